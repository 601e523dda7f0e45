"""Bounds of RBP by depth and persistence, compared with the definition, the paper and the measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import assay
from assay import uncertainty
from assay.errors import AssayError
from oracles import residual as oracle
from real_data import real
from report_contract import check_report
from strategies import POOLS, many_examples

DOCS = "abcdefg"
GRADES = st.sampled_from(POOLS).flatmap(
    lambda pool: st.dictionaries(st.sampled_from(DOCS), st.sampled_from(pool or (0,)), min_size=1)
)
RANKING = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([1.0, 2.0, 2.5, 3.0, 4.0]), max_size=6)
QRELS = st.dictionaries(st.sampled_from(["1", "2"]), GRADES, min_size=1)
RUNS = st.lists(st.fixed_dictionaries({"1": RANKING, "2": RANKING}), min_size=1, max_size=3).map(
    lambda runs: {f"r{i}": run for i, run in enumerate(runs)}
)


def is_valid_input(qrels: dict[str, Any], runs: dict[str, Any]) -> bool:
    """Return whether the highest grade is not between 0 and 1 and every run has documents for a judged topic."""
    highest = max(grade for judged in qrels.values() for grade in judged.values())
    return not 0 < highest < 1 and all(any(run.get(topic) for topic in qrels) for run in runs.values())


def mean_bounds(qrels: Any, judged: Any, run: Any, p: float, depth: int | None) -> tuple[float, float]:
    bounds = [
        oracle.rbp_bounds([judged[t].get(doc) for doc in oracle.rank_documents(run[t])], p, depth, lambda g: g >= 1, 1)
        for t in qrels
    ]
    return tuple(np.mean(bounds, axis=0))  # type: ignore[return-value]


@many_examples(max_examples=60, qrels=QRELS, runs=RUNS)
def test_agrees_with_the_definition(qrels: Any, runs: Any) -> None:
    if not is_valid_input(qrels, runs):
        return
    ps, depths, pools = (0, 0.5, 0.95), (1, 2, 4, 9, None), (1, 3)
    frame = uncertainty.residual(assay.read(qrels, runs), ps, depths=depths, pools=pools).frame()
    assert frame.columns == ["run", "pool", "p", "depth", "lower", "upper", "residual"]
    assert len(frame) == len(runs) * 45
    for name, pool, p, depth, lower, upper, residual in frame.iter_rows():
        judged = qrels if pool is None else oracle.pool(qrels, runs, pool)
        expected = mean_bounds(qrels, judged, runs[name], p, depth)
        assert (lower, residual) == pytest.approx(expected, abs=1e-12)
        assert upper - lower == pytest.approx(residual, abs=1e-12)


@many_examples(max_examples=40, qrels=QRELS, runs=RUNS)
def test_more_judgments_and_ranks_tighten_the_bounds(qrels: Any, runs: Any) -> None:
    if not is_valid_input(qrels, runs):
        return
    curves = uncertainty.residual(assay.read(qrels, runs), (0.3, 0.9), depths=(1, 2, 3, 5, None), pools=(1, 2, 4))
    upper = curves.lower + curves.residual
    for axis in (1, 3):  # The axes are more judgments and more ranks.
        assert (np.diff(curves.lower, axis=axis) >= -1e-12).all()
        assert (np.diff(upper, axis=axis) <= 1e-12).all()
    assert (curves.lower >= 0).all()
    assert (upper <= 1 + 1e-12).all()


@many_examples(max_examples=40, qrels=QRELS, runs=RUNS)
def test_agrees_with_the_measures(qrels: Any, runs: Any) -> None:
    if not is_valid_input(qrels, runs):
        return
    frame = uncertainty.residual(assay.read(qrels, runs), [0.8], depths=[None, 2]).frame()
    results = assay.evaluate(qrels, runs, ["RBP(p=0.8)", "RBPresidual(p=0.8)", "RBP(p=0.8)@2", "RBPresidual(p=0.8)@2"])
    values = results.values.mean(axis=2)
    for depth, (lower, residual) in ((None, values[:2]), (2, values[2:])):
        rows = frame.filter(pl.col("depth").eq_missing(depth))
        assert rows["lower"].to_list() == pytest.approx(lower.tolist(), abs=1e-12)
        assert rows["residual"].to_list() == pytest.approx(residual.tolist(), abs=1e-12)


SMALL_QRELS = {"1": {"a": 2, "b": 0, "c": 1, "x": -1}, "2": {"a": 1}}
SMALL_RUNS = {"one": {"1": {"a": 4.0, "x": 3.0, "c": 2.0}, "2": {"b": 1.0}}, "two": {"1": {"c": 1.0}}}
CAMPAIGN = assay.read(SMALL_QRELS, SMALL_RUNS)


def test_graded_gains() -> None:
    frame = uncertainty.residual(CAMPAIGN, [0.5], depths=[None], gains="exp12", runs="one", topics="1").frame()
    assert frame.select("lower", "residual").rows() == [
        (pytest.approx(0.5 * 0.75 + 0.125 * 0.25), pytest.approx(0.75 * (0.125 + 0.25)))
    ]
    high = uncertainty.residual(CAMPAIGN, [0.5], depths=[None], gains="unit", max_rel=4, runs="one", topics="1").frame()
    assert high["lower"].to_list() == [pytest.approx(0.5 * 0.5 + 0.125 * 0.25)]
    assert high["residual"].to_list() == [pytest.approx(0.375)]
    strict = uncertainty.residual(CAMPAIGN, [0.5], depths=[None], rel=2, runs="one", topics="1").frame()
    assert strict["lower"].to_list() == [0.5]


def test_selection_of_runs_and_topics() -> None:
    all_runs = uncertainty.residual(CAMPAIGN, [0.8], depths=[1, None], pools=1)
    one_run = uncertainty.residual(CAMPAIGN, [0.8], depths=[1, None], pools=1, runs=["two"])
    assert one_run.runs == ("two",)
    assert one_run.frame().equals(all_runs.frame().filter(pl.col("run") == "two"))
    first, second = (uncertainty.residual(CAMPAIGN, [0.8], topics=topic).lower for topic in ("1", "2"))
    both = uncertainty.residual(CAMPAIGN, [0.8], topics=["2", "1"])
    assert both.lower == pytest.approx((first + second) / 2)
    assert repr(all_runs) == "ResidualCurves(2 runs x 2 pools x 1 persistence x 2 depths)"
    assert any("two" in note for note in all_runs.notes)  # Run two lacks a topic.
    assert all_runs.provenance.inputs[0].role == "qrels"


def test_defaults_depend_on_against() -> None:
    by_depth, by_p = uncertainty.residual(CAMPAIGN), uncertainty.residual(CAMPAIGN, against="p")
    assert (by_depth.persistences, by_depth.depths) == ((0.5, 0.8, 0.95), (1, 2, 5, 10, 20, 50, 100))
    assert (by_p.persistences, by_p.depths) == ((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), (None,))
    assert by_depth.pools == by_p.pools == (None,)
    assert uncertainty.residual(CAMPAIGN, 0.8, depths=3, pools=2).frame()["pool"].to_list() == [2, None] * 2


def test_tables() -> None:
    report = uncertainty.residual(CAMPAIGN, [0.5, 0.99], depths=[1, None], pools=[1, 3])
    table = check_report(report)
    assert table.compact.columns == ["run", "depth", "p=0.5 low", "p=0.5 high", "p=0.99 low", "p=0.99 high"]
    assert table.compact["run"].unique(maintain_order=True).to_list()[:3] == [
        "one, pool of depth 1",
        "one, pool of depth 3",
        "one, all judgments",
    ]
    assert table.compact["depth"].str.strip_chars().to_list()[:2] == ["1", "all"]
    assert table.compact["p=0.99 high"].to_list() == table.frame.filter(p=0.99)["upper"].to_list()
    by_p = check_report(uncertainty.residual(CAMPAIGN, against="p", runs="one"))
    assert by_p.compact.columns == ["run", "p", "low", "high", "residual"]
    assert by_p.compact["p"].to_list()[-2:] == ["0.95", "0.99"]


def test_summary() -> None:
    [row] = uncertainty.residual(CAMPAIGN, 0.5, depths=2, runs="one", topics="1").frame().rows(named=True)
    summary = uncertainty.residual(CAMPAIGN, 0.5, depths=[1, 2], runs="one", topics="1").summary()
    assert (
        f"to depth 2 and all documents below it can increase RBP by at most {row['residual']:.4f} at p = 0.5."
        in summary
    )
    summary_by_p = uncertainty.residual(CAMPAIGN, against="p").summary()
    assert summary_by_p.count(" at p = ") == 2
    assert "(mean over 2 runs)" in summary_by_p


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": [1]}, "measure 'RBP': p must be below 1, got 1"),
        ({"gains": "exp"}, "gains=exp are not all between 0 and 1"),
        ({"depths": [0]}, "depths must be a whole number of at least 1, got 0"),
        ({"pools": [1.5]}, "pools must be a whole number of at least 1, got 1.5"),
        ({"runs": "tow"}, "there is no run tow; did you mean two?"),
        ({"topics": ["9"]}, "there is no topic 9"),
        ({"topics": []}, "topics: name at least one"),
        ({"against": "dept"}, "against 'dept': choose depth or p; did you mean depth?"),
    ],
)
def test_invalid_arguments_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        uncertainty.residual(CAMPAIGN, **options)
    assert message in str(error.value)


def test_expected_ties_raise() -> None:
    with pytest.raises(AssayError, match="depths cut through tied documents; choose another tie policy"):
        uncertainty.residual(CAMPAIGN.with_policies(ties="expected"))


def test_robust03_agrees_with_the_measures() -> None:
    folder = real("robust03")
    runs = sorted((folder / "runs").iterdir())[:4]
    curves = uncertainty.residual(
        assay.read(folder / "qrels.robust03.txt.gz", runs), (0.5, 0.95), depths=(10, 100, None), pools=(10,)
    )
    upper = curves.lower + curves.residual
    for axis in (1, 3):
        assert (np.diff(curves.lower, axis=axis) >= -1e-12).all()
        assert (np.diff(upper, axis=axis) <= 1e-12).all()
    results = assay.evaluate(folder / "qrels.robust03.txt.gz", runs, ["RBP(p=0.95)", "RBPresidual(p=0.95)"])
    assert curves.lower[:, 1, 1, 2] == pytest.approx(results.values[0].mean(axis=1), abs=1e-12)
    assert curves.residual[:, 1, 1, 2] == pytest.approx(results.values[1].mean(axis=1), abs=1e-12)
