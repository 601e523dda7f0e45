"""The numbers of a report are those of the analyses by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay import effort
from assay.errors import AssayError
from assay.meta._pool_depth import pool_depth
from assay.meta._robustness import robustness
from assay.views.report.context import UNJUDGED_DEPTHS
from assay.views.report.settings import ReportSettings, check_settings
from report_cases import campaign_with_ranks, context_of, simulated_context


@pytest.fixture(scope="module")
def campaign() -> tuple[object, list[object]]:
    made = assay.simulate(systems=5, topics=8, seed=4)
    return made.qrels, list(made.runs)


def test_values_are_those_of_evaluate(campaign: tuple[object, list[object]]) -> None:
    found = context_of(*campaign, "AP", "nDCG@10")
    assert np.array_equal(found.results.values, assay.evaluate(*campaign, ["AP", "nDCG@10"]).values)
    assert [found.runs[run] for run in found.order] == found.results.best("AP")


def test_effort_against_gain_is_that_of_the_command(campaign: tuple[object, list[object]]) -> None:
    found = context_of(*campaign, "AP", "NumUnjudgedRet", "RR").against_gain
    alone = effort.against_gain(assay.read(*campaign), ["AP", "RR"])
    assert found is not None
    assert found.classes().equals(alone.classes())


def test_measures_of_cost_are_no_gain(campaign: tuple[object, list[object]]) -> None:
    assert context_of(*campaign, "NumUnjudgedRet").against_gain is None


def test_robustness_and_pools_are_those_of_the_commands(campaign: tuple[object, list[object]]) -> None:
    found = context_of(*campaign, "AP", seeds=2, ratios=(50, 10), depths=(5, 1000))
    alone = robustness(assay.read(*campaign), "AP", ratios=(50, 10), seeds=2)
    assert found.robustness is not None
    assert found.robustness.frame().equals(alone.frame())
    assert found.depths == (5,), "a pool that has all judgments is not tried"
    assert found.pool_depth is not None
    assert found.pool_depth.frame().equals(pool_depth(assay.read(*campaign), "AP", [5]).frame())


def test_places() -> None:
    found = context_of(
        *campaign_with_ranks({"a": [1, 2], "b": [1, 1], "c": [2, 1], "d": [0, 0]}), "RR", "NumUnjudgedRet"
    )
    assert found.places[:, 0].tolist() == [2, 1, 2, 4]
    assert found.places[:, 1].tolist() == [2, 1, 2, 4], "fewer unjudged documents are better"
    assert found.order == (1, 0, 2, 3)


def test_a_run_without_a_value_is_the_last() -> None:
    runs = {"a": {"q1": {"x": 1.0}}, "b": {"q2": {"rel": 1.0}}}
    found = context_of({"q1": {"x": 0}, "q2": {"rel": 1}}, runs, missing="exclude", undefined="exclude")
    assert np.isnan(found.overall[0, 0])
    assert found.places[:, 0].tolist() == [2, 1]
    assert found.order == (1, 0)


def test_medians() -> None:
    found = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 2], "c": [0, 1]}), "RR")
    assert found.medians.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_unjudged_documents_are_counted_whatever_the_policy(unjudged: str) -> None:
    qrels = {"q1": {"a": 1, "b": -1, "c": 0}, "q2": {"a": 1}}
    runs = {"x": {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, "y": {"q2": {"a": 1.0}}}
    found = context_of(qrels, runs, unjudged=unjudged)
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
    found = context_of(qrels, {"x": {"q": ranking}})
    assert found.unjudged[0, 0].tolist() == [0.0, 90 / UNJUDGED_DEPTHS[1], 190 / 200]


def test_of_one_run_there_is_nothing_to_compare() -> None:
    found = simulated_context(1, 4, 1, "AP", "RR")
    assert found.comparison is None
    assert found.correlation is None
    assert found.robustness is None
    assert found.pool_depth is None
    assert simulated_context(3, 4).correlation is None, "of one measure neither"


def test_condensed_rankings_have_no_bounds() -> None:
    assert simulated_context(2, 4, 1, unjudged="condensed").bounds is None
    found = simulated_context(2, 4, 1, "P@5").bounds
    assert found is not None
    assert isinstance(found.means(), pl.DataFrame)


def test_notes_are_kept_once() -> None:
    found = context_of({"q1": {"a": 1}, "q2": {"b": 0}}, {"x": {"q1": {"a": 1.0}}})
    _ = found.results, found.effort, found.bounds
    assert len(found.notes) == len(set(found.notes))
    assert any("without relevant documents" in note for note in found.notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "chi"}, "test 'chi': choose one of"),
        ({"correction": "holms"}, "did you mean holm"),
        ({"alpha": 5}, "alpha must lie between 0 and 1"),
        ({"resamples": 10}, "the test t does not resample"),
        ({"most": 0}, "most must be at least 1"),
        ({"without": ("topic",)}, "unknown section; did you mean topics"),
        ({"without": ("xyz",)}, "choose from leaderboard, effort"),
        ({"measures": ("nDGC",)}, "there is no measure nDGC; did you mean nDCG"),
        ({"measures": tuple(f"P@{k}" for k in range(1, 60))}, "at most 40 measures, got 59"),
        ({"seed": -1}, "seed must be .*at least 0"),
    ],
)
def test_wrong_settings_need_no_campaign_to_be_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        check_settings(ReportSettings(**settings))


def test_campaigns_that_cannot_be_reported_on() -> None:
    qrels, runs = {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}
    with pytest.raises(AssayError, match=r"ties 'expected': .* choose another"):
        context_of(qrels, runs, ties="expected")
    with pytest.raises(AssayError, match=r"runs: .* at least one run"):
        context_of(qrels, None)
    with pytest.raises(AssayError, match=r"qrels: .* read the campaign with qrels"):
        context_of(None, runs)


def test_long_names_of_runs_stay_distinct() -> None:
    from assay import simulate
    from assay.views.report.names import run_name

    made = simulate(systems=3, topics=3, seed=1)
    names = [f"splade-v3-distilled-hard-negatives-{n}-msmarco-passage-reranked-top1000" for n in range(3)]
    of = context_of(made.qrels, [run.named(name) for run, name in zip(made.runs, names, strict=True)])
    shown = [run_name(of, run) for run in range(3)]
    assert len(set(map(str, shown))) == 3
    assert [name.full for name in shown] == names
