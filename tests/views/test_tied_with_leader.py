"""Tests that all views agree on the runs tied with the leader; on TREC-8: 129 runs, 8,256 pairs."""

from __future__ import annotations

import json

import polars as pl
import pytest

from assay.cli import main
from assay.results._evaluate import evaluate
from assay.significance._compare import compare
from assay.significance.separation import separate
from assay.simulation import simulate
from assay.views.report.context import ReportContext
from assay.views.report.sections import leaderboard, significance
from assay.views.report.settings import ReportSettings
from explorer_cases import client_of, read_state
from real_data import read_trec8, real
from report_cases import context_of, headline


@pytest.mark.parametrize("test", ["t", "wilcoxon", "tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_report_separates_runs_like_the_comparison(test: str, correction: str) -> None:
    collection = simulate(systems=12, topics=20, depth=60, pool=20, seed=8)
    settings = {"test": test, "correction": correction}
    expected = separate(compare(evaluate(collection.qrels, collection.runs, "AP"), **settings), "AP")
    report = context_of(collection.qrels, collection.runs, "AP", **settings)
    assert report.separation == expected


def test_all_views_agree_on_trec8(capsys) -> None:
    qrels, runs = real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"), real("trec8-adhoc", "runs")

    def read_rows(command: str, *args: str) -> pl.DataFrame:
        assert main([command, str(qrels), str(runs), "-m", "AP", "--format", "json", *args]) == 0
        return pl.DataFrame(json.loads(capsys.readouterr().out)["rows"], infer_schema_length=None)

    pairs = read_rows("compare").with_columns(significant=pl.col("p_adjusted") < 0.05)
    leader = "READWARE2"
    with_leader = pairs.filter((pl.col("run_a") == leader) | (pl.col("run_b") == leader), ~pl.col("significant"))
    tied = {*with_leader["run_a"], *with_leader["run_b"]} - {leader}
    assert (len(pairs), pairs["significant"].sum(), len(tied)) == (8256, 3085, 37)

    board = read_rows("leaderboard")
    assert board["run"][0] == leader
    assert set(board.filter(pl.col("tied_with_leader"))["run"]) == {leader, *tied}

    client = client_of(read_state(qrels, runs))
    separation = client.api("separation")
    assert (separation["reference"], set(separation["tied"]), separation["significant"]) == (leader, tied, 3085)
    matrix = pl.read_csv(client.get("/api/figures/significance.csv").text.encode())
    assert set(matrix.select("significant", "tested").iter_rows()) == {(3085, 8256)}
    assert (matrix["verdict"] == "better").sum() == 5

    report = ReportContext.of(read_trec8(), ReportSettings(measures=("AP",)))
    assert report.separation is not None
    assert (report.separation.reference, set(report.separation.tied)) == (leader, tied)
    assert "37 other runs do not differ" in headline(leaderboard, report)[1]
    assert "3,085 of 8,256 pairs" in headline(significance, report)[0]

    baseline = "ok8alx"
    with_baseline = read_rows("compare", "--baseline", baseline).with_columns(significant=pl.col("p_adjusted") < 0.05)
    baseline_board = read_rows("leaderboard", "--baseline", baseline)
    for column, sign in (("beats", 1), ("loses_to", -1)):
        expected = with_baseline.filter(pl.col("significant"), pl.col("difference").sign() == sign)["run_a"]
        assert set(baseline_board.filter(pl.col(column) == baseline)["run"]) == set(expected)
    assert with_baseline["significant"].sum() == 66
