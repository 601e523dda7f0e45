"""Texts of a campaign."""

import pytest

import assay
from assay.errors import InputError

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUNS = {"a": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}}, "b": {"q1": {"d2": 1.0}}}
TEXTS = {"queries": {"q1": "one"}, "docs": {"d1": {"title": "T", "text": "x"}}}


def test_derived_campaigns_keep_texts():
    campaign = assay.read(QRELS, RUNS, **TEXTS)
    derived = [
        campaign.select("a", "q1"),
        campaign.with_policies(missing="exclude"),
        campaign.with_policies(ties="score-id"),
        campaign.with_grades({1: 2}),
        campaign.pool(1),
        campaign.with_qrels({"q1": {"d2": 1}}),
        campaign.top(1),
        campaign.without_cache(),
    ]
    for other in (campaign, *derived):
        assert other.queries["q1"] == "one"
        assert other.docs["d1"] == ("T", "x")
        assert other.queries.get("q2") is other.docs.get("d2") is None
        assert [item.role for item in other.provenance.inputs][-2:] == ["queries", "docs"]


def test_texts_can_be_added_and_do_not_change_values():
    campaign = assay.read(QRELS, RUNS)
    assert not campaign.queries
    assert not campaign.docs
    with_texts = campaign.with_texts(**TEXTS)
    assert with_texts.queries["q1"] == "one"
    assert assay.evaluate(with_texts, "AP").values.tolist() == assay.evaluate(campaign, "AP").values.tolist()
    assert with_texts.with_texts(queries={"q1": "other"}).docs["d1"].title == "T"


def test_a_missing_file_is_an_error_before_the_runs_are_read():
    with pytest.raises(InputError, match=r"no-such-file.jsonl: no such file"):
        assay.read(QRELS, "no-such.run", docs="no-such-file.jsonl")
