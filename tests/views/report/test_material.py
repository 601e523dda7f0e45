"""What a report is made of is what the analyses give by themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.effort.against_gain import effort_gain
from assay.errors import AssayError
from assay.meta.pool_depth import pool_depth
from assay.meta.robustness import robustness
from assay.views.report.material import LOOKED_AT, Material, ReportSettings
from report_cases import graded, material, simulated


@pytest.fixture(scope="module")
def campaign() -> tuple[object, list[object]]:
    made = assay.simulate(systems=5, topics=8, seed=4)
    return made.qrels, list(made.runs)


def test_values_are_those_of_evaluate(campaign: tuple[object, list[object]]) -> None:
    found = material(*campaign, "AP", "nDCG@10")
    assert np.array_equal(found.results.values, assay.evaluate(*campaign, ["AP", "nDCG@10"]).values)
    assert [found.runs[run] for run in found.order] == found.results.best("AP")


def test_effort_against_gain_is_that_of_the_command(campaign: tuple[object, list[object]]) -> None:
    found = material(*campaign, "AP", "NumUnjudgedRet", "RR").against_gain
    alone = effort_gain(*campaign, ["AP", "RR"])
    assert found is not None
    assert found.classes().equals(alone.classes())


def test_measures_of_cost_are_no_gain(campaign: tuple[object, list[object]]) -> None:
    assert material(*campaign, "NumUnjudgedRet").against_gain is None


def test_robustness_and_pools_are_those_of_the_commands(campaign: tuple[object, list[object]]) -> None:
    found = material(*campaign, "AP", seeds=2, ratios=(50, 10), depths=(5, 1000))
    alone = robustness(*campaign, "AP", ratios=(50, 10), seeds=2)
    assert found.robustness is not None
    assert found.robustness.frame().equals(alone.frame())
    assert found.depths == (5,), "a pool that has all judgments is not tried"
    assert found.pool_depth is not None
    assert found.pool_depth.summary().equals(pool_depth(*campaign, "AP", [5]).summary())


def test_places() -> None:
    found = material(*graded({"a": [1, 2], "b": [1, 1], "c": [2, 1], "d": [0, 0]}), "RR", "NumUnjudgedRet")
    assert found.places[:, 0].tolist() == [2, 1, 2, 4]
    assert found.places[:, 1].tolist() == [2, 1, 2, 4], "fewer unjudged documents are better"
    assert found.order == (1, 0, 2, 3)


def test_a_run_without_a_value_is_the_last() -> None:
    runs = {"a": {"q1": {"x": 1.0}}, "b": {"q2": {"rel": 1.0}}}
    found = material({"q1": {"x": 0}, "q2": {"rel": 1}}, runs, topics="intersection", undefined="exclude")
    assert np.isnan(found.overall[0, 0])
    assert found.places[:, 0].tolist() == [2, 1]
    assert found.order == (1, 0)


def test_medians() -> None:
    found = material(*graded({"a": [1, 2], "b": [2, 2], "c": [0, 1]}), "RR")
    assert found.medians.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_unjudged_documents_are_counted_whatever_the_policy(unjudged: str) -> None:
    qrels = {"q1": {"a": 1, "b": -1, "c": 0}, "q2": {"a": 1}}
    runs = {"x": {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, "y": {"q2": {"a": 1.0}}}
    found = material(qrels, runs, unjudged=unjudged)
    assert found.unjudged[0, 0].tolist() == [0.5, 0.5, 0.5], "a negative grade is no judgment"
    assert np.isnan(found.unjudged[0, 1]).all(), "there is nothing to be judged"
    assert found.unjudged[1, 1].tolist() == [0.0, 0.0, 0.0]
    assert found.unjudged_ranks(0, 0, 9) == [2, 4]
    assert found.unjudged_ranks(0, 0, 1) == [2]
    assert found.unjudged_ranks(0, 1, 9) == []
    assert found.residuals.values[0, 0, 0] == pytest.approx(0.5**2 + 0.5**4 + 0.5**4)


def test_only_the_first_ranks_are_looked_at() -> None:
    ranking = {f"d{i}": 1000.0 - i for i in range(1, 201)}
    qrels = {"q": {f"d{i}": 0 for i in range(1, 11)} | {"rel": 1}}
    found = material(qrels, {"x": {"q": ranking}})
    assert found.unjudged[0, 0].tolist() == [0.0, 90 / LOOKED_AT[1], 190 / 200]


def test_of_one_run_there_is_nothing_to_compare() -> None:
    found = simulated(1, 4, 1, "AP", "RR")
    assert found.comparison is None
    assert found.correlation is None
    assert found.robustness is None
    assert found.pool_depth is None
    assert simulated(3, 4).correlation is None, "of one measure neither"


def test_condensed_rankings_have_no_bounds() -> None:
    assert simulated(2, 4, 1, unjudged="condensed").bounds is None
    found = simulated(2, 4, 1, "P@5").bounds
    assert found is not None
    assert isinstance(found.means(), pl.DataFrame)


def test_notes_are_kept_once() -> None:
    found = material({"q1": {"a": 1}, "q2": {"b": 0}}, {"x": {"q1": {"a": 1.0}}})
    _ = found.results, found.effort, found.bounds
    assert len(found.notes) == len(set(found.notes))
    assert any("without relevant documents" in note for note in found.notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ties": "expected"}, "ties 'expected': curves"),
        ({"ties": "trec"}, "ties 'trec': choose one of"),
        ({"test": "chi"}, "test 'chi': choose one of"),
        ({"correction": "holms"}, "did you mean holm"),
        ({"alpha": 5}, "alpha must lie between 0 and 1"),
        ({"resamples": 10}, "the test t draws none"),
        ({"most": 0}, "most must be at least 1"),
        ({"measures": ("nDGC",)}, "there is no measure nDGC; did you mean nDCG"),
        ({"measures": tuple(f"P@{k}" for k in range(1, 60))}, "40 measures at most, got 59"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_read(settings: dict[str, object], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        Material.of("no such file", "no such file", ReportSettings(**settings))  # type: ignore[arg-type]


def test_long_names_of_runs_stay_distinct() -> None:
    from assay import simulate
    from assay.views.report.names import run_name

    made = simulate(systems=3, topics=3, seed=1)
    names = [f"splade-v3-distilled-hard-negatives-{n}-msmarco-passage-reranked-top1000" for n in range(3)]
    of = material(made.qrels, [run.named(name) for run, name in zip(made.runs, names, strict=True)])
    shown = [run_name(of, run) for run in range(3)]
    assert len(set(map(str, shown))) == 3
    assert [name.full for name in shown] == names
