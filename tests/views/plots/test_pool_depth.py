"""Tests of values with a shallow pool against values with all judgments."""

from __future__ import annotations

import pytest

from assay import evaluate, read, simulate
from assay.errors import InputError
from assay.meta._pool_depth import pool_depth
from assay.views.plots.pool_depth import data, draw
from chart_parts import mark_rows, marks, titles
from oracles import kendall as rank
from oracles import pool_depth as oracle

QRELS = {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}
RUNS = {"x": {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, "y": {"q": {"c": 2.0, "b": 1.0}}}


def test_values_computed_by_hand() -> None:
    """The pool of depth 1 contains a and c. AP of x is 1 with both pools; AP of y is 0 and (1/2)/3."""
    plot_data = data(read(QRELS, RUNS), measures=["AP", "RBP(p=0.5)"], pool=1)
    assert plot_data.frame.columns == ["measure", "run", "pool", "shallow", "full", "tau"]
    rows = plot_data.frame.drop("tau").rows()
    assert rows == [
        ("AP", "x", 1, 1.0, 1.0),
        ("AP", "y", 1, 0.0, pytest.approx(1 / 6)),
        ("RBP(p=0.5)", "x", 1, 0.5, 0.875),
        ("RBP(p=0.5)", "y", 1, 0.0, 0.25),
    ]
    assert plot_data.frame["tau"].to_list() == [1.0] * 4
    assert plot_data.provenance.inputs


def test_simulated_campaign_matches_the_definition() -> None:
    collection = simulate(systems=4, topics=5, seed=6)
    qrels = {
        topic: dict(zip(rows["doc"], rows["grade"], strict=True))
        for (topic,), rows in collection.qrels.frame().group_by("topic")
    }
    runs = {
        run.name: {
            topic: dict(zip(rows["doc"], rows["score"], strict=True))
            for (topic,), rows in run.frame().group_by("topic")
        }
        for run in collection.runs
    }
    frame = data(read(collection.qrels, collection.runs), measures=["AP"], pool=3).frame
    pool = oracle.pool(qrels, list(runs.values()), 3)
    full = evaluate(collection.qrels, collection.runs, "AP")
    shallow = evaluate(pool, runs, "AP", missing="empty")
    for run, shallow_value, full_value in frame.select("run", "shallow", "full").iter_rows():
        assert shallow_value == pytest.approx(shallow.select([run]).overall().item(), abs=1e-12)
        assert full_value == full.select([run]).overall().item()
    assert frame["tau"][0] == pytest.approx(rank.tau_b(frame["shallow"].to_list(), frame["full"].to_list()))


def test_one_pool_of_an_existing_report_is_shown() -> None:
    campaign = read(QRELS, RUNS)
    report = pool_depth(campaign, ["AP"], [1, 2])
    for depth in (1, 2):
        frame = data(report, pool=depth).frame
        assert frame.equals(data(campaign, measures=["AP"], pool=depth).frame)
        assert frame["pool"].to_list() == [depth, depth]
    with pytest.raises(InputError, match="pool: the report has no depth 5; choose one of 1, 2"):
        data(report, pool=5)


def test_panels_show_tau_and_the_number_of_lower_runs() -> None:
    collection = simulate(systems=6, topics=8, seed=3)
    frame = data(read(collection.qrels, collection.runs), measures=["AP", "RBP(p=0.8)"]).frame
    chart = draw(frame)
    assert marks(chart) == ["line", "circle", "line", "circle"]
    tau = frame.filter(measure="AP")["tau"][0]
    lower = (frame.filter(measure="AP")["full"] < frame.filter(measure="AP")["shallow"]).sum()
    assert lower > 0
    assert titles(chart) == [
        "AP",
        f"tau {tau:.3f}, {lower} of 6 lower",
        "RBP(p=0.8)",
        f"tau {frame.filter(measure='RBP(p=0.8)')['tau'][0]:.3f}, 0 of 6 lower",
    ]
    for row in mark_rows(chart, "line"):
        assert row["shallow"] == row["full"]


def test_rounding_differences_are_not_counted_as_lower() -> None:
    frame = data(read(QRELS, RUNS), measures="AP", pool=1).frame
    rounded = frame.with_columns(full=frame["shallow"] - 1e-16)
    assert "0 of 2 lower" in titles(draw(rounded))[1]


def test_no_tau_without_relevant_documents() -> None:
    plot_data = data(read({"q": {"a": 0, "b": 0}}, RUNS), measures="AP")
    assert plot_data.frame["tau"].to_list() == [None, None]
    assert titles(draw(plot_data.frame)) == ["AP", "no tau, 0 of 2 lower"]


def test_invalid_inputs_are_rejected() -> None:
    with pytest.raises(InputError, match="at least two runs"):
        data(read(QRELS, {"x": RUNS["x"]}))
    with pytest.raises(InputError, match="depth"):
        data(read(QRELS, RUNS), pool=0)
