"""The table of a tie report."""

from __future__ import annotations

import polars as pl

import assay
from assay.model.policies import TIES
from assay.uncertainty.ties import tie_report
from assay.views.tables import FORMATS, render
from assay.views.ties import ties

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
RUNS = {"y": {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0}}, "x": {"q1": {"a": 2.0, "b": 1.0}}}
CAMPAIGN = assay.read(QRELS, RUNS)
COUNTS = ["tied", "share", "groups", "largest", "mixed"]


def test_tidy_is_the_frame_of_the_report() -> None:
    report = tie_report(CAMPAIGN, ["RR", "NumRet"])
    assert ties(report).tidy.equals(report.frame())
    assert ties(report, per_topic=True).tidy.equals(report.frame(per_topic=True))


def test_wide_has_a_row_for_each_order_and_counts_where_scores_are_compared() -> None:
    table = ties(tie_report(CAMPAIGN, ["RR", "NumRet"]))
    assert table.wide.columns == ["run", "ties", "RR", "NumRet", *COUNTS]
    assert table.wide.filter(run="y").rows() == [
        ("y", "trec_eval-10", 0.75, 3, 2, 2 / 3, 1, 2, 2),
        ("y", "trec_eval-9", 0.75, 3, 2, 2 / 3, 1, 2, 2),
        ("y", "score-file", 1.0, 3, None, None, None, None, None),
        ("y", "score-id", 1.0, 3, None, None, None, None, None),
        ("y", "rank", None, None, None, None, None, None, None),
        ("y", "file", 1.0, 3, None, None, None, None, None),
        ("y", "expected", 0.875, 3, None, None, None, None, None),
        ("y", "min", 0.75, 3, None, None, None, None, None),
        ("y", "max", 1.0, 3, None, None, None, None, None),
    ]
    assert table.wide["run"].to_list() == ["y"] * 9 + ["x"] * 9
    assert table.wide.filter(run="x")["tied"].drop_nulls().to_list() == [0, 0]
    assert table.best == ()


def test_what_is_not_exact_has_rows_of_its_own() -> None:
    wide = ties(tie_report(CAMPAIGN, ["RR", "infAP"])).wide.filter(run="y")
    assert wide["ties"].to_list() == [*TIES, "min", "max", "lowest seen", "highest seen"]
    assert wide["RR"].to_list()[-4:] == [0.75, 1.0, None, None]
    assert wide["infAP"].is_null().to_list()[-4:] == [True, True, False, False]
    alone = ties(tie_report(CAMPAIGN, ["infAP"])).wide.filter(run="y")
    assert alone["ties"].to_list() == [*TIES, "lowest seen", "highest seen"]


def test_topic_by_topic() -> None:
    wide = ties(tie_report(CAMPAIGN, ["RR", "infAP"]), per_topic=True).wide
    assert wide.columns == ["run", "topic", "ties", "RR", "infAP", *COUNTS]
    assert wide["topic"].to_list()[:33] == ["q1"] * 11 + ["q2"] * 11 + ["all"] * 11
    assert wide.filter(run="y", ties="min").select("topic", "RR").rows() == [("q1", 0.5), ("q2", 1.0), ("all", 0.75)]
    assert wide.filter(run="y", ties="trec_eval-10")["tied"].to_list() == [2, 0, 2]


def test_sums_that_are_no_whole_numbers_keep_their_digits() -> None:
    table = ties(tie_report(CAMPAIGN, ["NumRelRet"]))
    assert table.wide.schema["NumRelRet"] == pl.Int64
    assert table.wide.schema["share"] == pl.Float64


def test_provenance_and_notes_come_along() -> None:
    report = tie_report(CAMPAIGN, "RR")
    table = ties(report)
    assert table.provenance["policies"]["ties"] == list(TIES)
    assert table.provenance["inputs"] == report.provenance.as_dict()["inputs"]
    assert table.notes == report.notes


def test_every_format_takes_it_and_people_get_lines_that_fit() -> None:
    names = {f"a-longer-name-{name}": run for name, run in RUNS.items()}
    table = ties(tie_report(assay.read(QRELS, names), ["AP", "nDCG@10", "P@10", "RR"]))
    assert all(render(table, form) for form in FORMATS)
    assert max(map(len, render(table, "table").decode().splitlines())) <= 110
