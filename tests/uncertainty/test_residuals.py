"""Bounds of RBP against depth and persistence: the definition, the invariants of the paper, the measures themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.uncertainty.residuals import residual_curves
from assay.views.residual import residual as view
from assay.views.tables import FORMATS, render
from oracles import residual as oracle
from real_data import real
from strategies import POOLS, often

DOCS = "abcdefg"
GRADES = st.sampled_from(POOLS).flatmap(
    lambda pool: st.dictionaries(st.sampled_from(DOCS), st.sampled_from(pool or (0,)), min_size=1)
)
RANKING = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([1.0, 2.0, 2.5, 3.0, 4.0]), max_size=6)
QRELS = st.dictionaries(st.sampled_from(["1", "2"]), GRADES, min_size=1)
RUNS = st.lists(st.fixed_dictionaries({"1": RANKING, "2": RANKING}), min_size=1, max_size=3).map(
    lambda runs: {f"r{i}": run for i, run in enumerate(runs)}
)


def answers(qrels: dict[str, Any], runs: dict[str, Any]) -> bool:
    """Whether every run has a document for a topic of the qrels, and some grade is relevant; others are refused."""
    highest = max(grade for judged in qrels.values() for grade in judged.values())
    return not 0 < highest < 1 and all(any(run.get(topic) for topic in qrels) for run in runs.values())


def means(qrels: Any, judged: Any, run: Any, p: float, depth: int | None) -> tuple[float, float]:
    found = [
        oracle.rbp_bounds([judged[t].get(doc) for doc in oracle.ordered(run[t])], p, depth, lambda g: g >= 1, 1)
        for t in qrels
    ]
    return tuple(np.mean(found, axis=0))  # type: ignore[return-value]


@often(max_examples=60, qrels=QRELS, runs=RUNS)
def test_definition(qrels: Any, runs: Any) -> None:
    if not answers(qrels, runs):
        return
    ps, depths, pools = (0, 0.5, 0.95), (1, 2, 4, 9, None), (1, 3, None)
    frame = residual_curves(assay.read(qrels, runs), ps, depths=depths, pools=pools).frame()
    assert frame.columns == ["run", "pool", "p", "depth", "lower", "upper", "residual"]
    assert len(frame) == len(runs) * 45
    for name, pool, p, depth, lower, upper, residual in frame.iter_rows():
        judged = qrels if pool is None else oracle.pool(qrels, runs, pool)
        wanted = means(qrels, judged, runs[name], p, depth)
        assert (lower, residual) == pytest.approx(wanted, abs=1e-12)
        assert upper - lower == pytest.approx(residual, abs=1e-12)


@often(max_examples=40, qrels=QRELS, runs=RUNS)
def test_invariants(qrels: Any, runs: Any) -> None:
    if not answers(qrels, runs):
        return
    curves = residual_curves(assay.read(qrels, runs), (0.3, 0.9), depths=(1, 2, 3, 5, None), pools=(1, 2, 4, None))
    upper = curves.lower + curves.residual
    for axis in (1, 3):  # more judgments, and more ranks
        assert (np.diff(curves.lower, axis=axis) >= -1e-12).all()
        assert (np.diff(upper, axis=axis) <= 1e-12).all()
    assert (curves.lower >= 0).all()
    assert (upper <= 1 + 1e-12).all()


@often(max_examples=40, qrels=QRELS, runs=RUNS)
def test_whole_rankings_are_what_the_measures_say(qrels: Any, runs: Any) -> None:
    if not answers(qrels, runs):
        return
    frame = residual_curves(assay.read(qrels, runs), [0.8], depths=[None, 2]).frame()
    said = assay.evaluate(qrels, runs, ["RBP(p=0.8)", "RBPresidual(p=0.8)", "RBP(p=0.8)@2", "RBPresidual(p=0.8)@2"])
    values = said.values.mean(axis=2)
    for depth, (lower, residual) in ((None, values[:2]), (2, values[2:])):
        mine = frame.filter(pl.col("depth").eq_missing(depth))
        assert mine["lower"].to_list() == pytest.approx(lower.tolist(), abs=1e-12)
        assert mine["residual"].to_list() == pytest.approx(residual.tolist(), abs=1e-12)


QRELS_ = {"1": {"a": 2, "b": 0, "c": 1, "x": -1}, "2": {"a": 1}}
RUNS_ = {"one": {"1": {"a": 4.0, "x": 3.0, "c": 2.0}, "2": {"b": 1.0}}, "two": {"1": {"c": 1.0}}}
CAMPAIGN = assay.read(QRELS_, RUNS_)


def test_graded() -> None:
    frame = residual_curves(CAMPAIGN, [0.5], depths=[None], gains="exp12", only="one", topics="1").frame()
    assert frame.select("lower", "residual").rows() == [
        (pytest.approx(0.5 * 0.75 + 0.125 * 0.25), pytest.approx(0.75 * (0.125 + 0.25)))
    ]
    high = residual_curves(CAMPAIGN, [0.5], depths=[None], gains="unit", max_rel=4, only="one", topics="1").frame()
    assert high["lower"].to_list() == [pytest.approx(0.5 * 0.5 + 0.125 * 0.25)]
    assert high["residual"].to_list() == [pytest.approx(0.375)]
    strict = residual_curves(CAMPAIGN, [0.5], depths=[None], rel=2, only="one", topics="1").frame()
    assert strict["lower"].to_list() == [0.5]


def test_some_runs_and_topics() -> None:
    every = residual_curves(CAMPAIGN, [0.8], depths=[1, None], pools=[1, None])
    one = residual_curves(CAMPAIGN, [0.8], depths=[1, None], pools=[1, None], only=["two"])
    assert one.runs == ("two",)
    assert one.frame().equals(every.frame().filter(pl.col("run") == "two"))
    first, second = (residual_curves(CAMPAIGN, [0.8], topics=topic).lower for topic in ("1", "2"))
    both = residual_curves(CAMPAIGN, [0.8], topics=["2", "1"])
    assert both.lower == pytest.approx((first + second) / 2)
    assert repr(every) == "ResidualCurves(2 x 2 x 1 x 2 bounds)"
    assert any("two" in note for note in every.notes)  # it lacks a topic
    assert every.provenance["inputs"][0]["role"] == "qrels"


def test_tables() -> None:
    table = view(residual_curves(CAMPAIGN, [0.5, 0.99], depths=[1, 2], pools=[1, 3, None]))
    assert table.wide.columns == ["run", "p", "depth", "lower@1", "upper@1", "lower@3", "upper@3", "lower", "upper"]
    assert len(table.wide) == 8
    tidy = table.tidy
    for pool, name in ((1, "upper@1"), (3, "upper@3"), (None, "upper")):
        assert table.wide[name].to_list() == tidy.filter(pl.col("pool").eq_missing(pool))["upper"].to_list()
    whole = view(residual_curves(CAMPAIGN, [0.5], depths=[None]))
    assert whole.wide.columns == ["run", "p", "lower", "upper"]
    assert all(render(table, form) for form in FORMATS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"p": [1]}, "measure 'RBP': p must be below 1, got 1"),
        ({"gains": "exp"}, "gains=exp are not all within 0 and 1"),
        ({"depths": [0]}, "depths must be a whole number of at least 1, got 0"),
        ({"pools": [1.5]}, "pools must be a whole number of at least 1, got 1.5"),
        ({"only": "tow"}, "there is no run tow; did you mean two?"),
        ({"topics": ["9"]}, "there is no topic 9"),
        ({"topics": []}, "topics: name at least one"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as said:
        residual_curves(CAMPAIGN, **given)
    assert message in str(said.value)


def test_expected_ties_have_no_depth() -> None:
    with pytest.raises(AssayError, match="depths cut through tied documents; choose another tie policy"):
        residual_curves(CAMPAIGN.with_policies(ties="expected"))


def test_robust03() -> None:
    folder = real("robust03")
    runs = sorted((folder / "runs").iterdir())[:4]
    curves = residual_curves(
        assay.read(folder / "qrels.robust03.txt.gz", runs), (0.5, 0.95), depths=(10, 100, None), pools=(10, None)
    )
    upper = curves.lower + curves.residual
    for axis in (1, 3):
        assert (np.diff(curves.lower, axis=axis) >= -1e-12).all()
        assert (np.diff(upper, axis=axis) <= 1e-12).all()
    said = assay.evaluate(folder / "qrels.robust03.txt.gz", runs, ["RBP(p=0.95)", "RBPresidual(p=0.95)"])
    assert curves.lower[:, 1, 1, 2] == pytest.approx(said.values[0].mean(axis=1), abs=1e-12)
    assert curves.residual[:, 1, 1, 2] == pytest.approx(said.values[1].mean(axis=1), abs=1e-12)
