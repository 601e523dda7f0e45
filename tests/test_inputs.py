"""Whatever a user has becomes qrels and joined runs; how it is evaluated is tested in test_evaluation.py."""

from __future__ import annotations

import pytest

from assay.inputs import as_qrels, count, join_all, some
from assay.model.policies import Policies
from assay.model.qrels import Qrels

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}}


def test_qrels_are_taken_as_they_are() -> None:
    qrels = Qrels.from_dict(QRELS)
    assert as_qrels(qrels) is qrels


def test_runs_keep_their_order_however_long_they_take() -> None:
    runs = {f"r{i}": {"q1": {"a": 1.0, **{f"d{j}": 0.5 for j in range(200 * (5 - i))}}} for i in range(5)}
    qrels, joined = join_all(QRELS, runs, Policies(), lenient=False, progress=None)
    assert qrels.topics == ("q1", "q2")
    assert [run.name for run in joined] == ["r0", "r1", "r2", "r3", "r4"]
    assert [int(run.part.length[0]) for run in joined] == [1001, 801, 601, 401, 201]


def test_an_error_in_the_qrels_comes_before_one_in_a_run() -> None:
    with pytest.raises(ValueError, match=r"^nowhere\.qrels: no such file"):
        join_all("nowhere.qrels", ["nowhere.run"], Policies(), lenient=False, progress=None)


def test_words_for_messages() -> None:
    assert (count(1, "topic"), count(0, "topic")) == ("1 topic", "0 topics")
    assert (some("abc"), some("abcdefg")) == ("a, b, c", "a, b, c, d, e, …")
