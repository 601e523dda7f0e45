"""Inputs of every kind become judgments and joined runs, in the given order."""

from __future__ import annotations

import pytest

import assay
from assay.engine.sources import as_qrels
from assay.model.notes import join_names, pluralize
from assay.model.qrels import Qrels

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}}


def test_as_qrels_returns_qrels_unchanged() -> None:
    qrels = Qrels.from_dict(QRELS)
    assert as_qrels(qrels) is qrels


def test_runs_keep_their_order_regardless_of_their_length() -> None:
    runs = {f"r{i}": {"q1": {"a": 1.0, **{f"d{j}": 0.5 for j in range(200 * (5 - i))}}} for i in range(5)}
    campaign = assay.read(QRELS, runs)
    assert campaign.topics == ("q1", "q2")
    assert campaign.runs == ("r0", "r1", "r2", "r3", "r4")
    assert campaign.whole.length.reshape(5, 2)[:, 0].tolist() == [1001, 801, 601, 401, 201]


def test_errors_in_the_qrels_are_reported_before_errors_in_runs() -> None:
    with pytest.raises(ValueError, match=r"^nowhere\.qrels: no such file"):
        assay.read("nowhere.qrels", ["nowhere.run"])


def test_pluralize_and_join_names() -> None:
    assert (pluralize(1, "topic"), pluralize(0, "topic")) == ("1 topic", "0 topics")
    assert (join_names("abc"), join_names("abcdefg")) == ("a, b, c", "a, b, c, d, e, …")
