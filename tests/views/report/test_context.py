"""Tests that the numbers of a report match the analyses."""

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
from assay.views.report.context import POOL_DEPTHS, RATIOS, SAMPLES, UNJUDGED_DEPTHS
from assay.views.report.settings import ReportSettings, check_settings
from report_cases import campaign_with_ranks, context_of, simulated_context


@pytest.fixture(scope="module")
def campaign() -> tuple[object, list[object]]:
    collection = assay.simulate(systems=5, topics=8, seed=4)
    return collection.qrels, list(collection.runs)


def test_values_match_evaluate(campaign: tuple[object, list[object]]) -> None:
    context = context_of(*campaign, "AP", "nDCG@10")
    assert np.array_equal(context.results.values, assay.evaluate(*campaign, ["AP", "nDCG@10"]).values)
    assert [context.runs[run] for run in context.order] == context.results.best("AP")


def test_effort_against_gain_matches_the_analysis(campaign: tuple[object, list[object]]) -> None:
    against_gain = context_of(*campaign, "AP", "NumUnjudgedRet", "RR").against_gain
    expected = effort.against_gain(assay.read(*campaign), ["AP", "RR"])
    assert against_gain is not None
    assert against_gain.classes().equals(expected.classes())


def test_measures_where_lower_is_better_are_not_gains(campaign: tuple[object, list[object]]) -> None:
    assert context_of(*campaign, "NumUnjudgedRet").against_gain is None


def test_robustness_and_pool_depth_match_the_analyses(campaign: tuple[object, list[object]]) -> None:
    context = context_of(*campaign, "AP")
    expected = robustness(assay.read(*campaign), "AP", ratios=RATIOS, seeds=SAMPLES)
    assert context.robustness is not None
    assert context.robustness.frame().equals(expected.frame())
    assert context.depths == POOL_DEPTHS[: len(context.depths)]
    assert 0 < len(context.depths) < len(POOL_DEPTHS), "a pool that contains all judgments is skipped"
    assert context.pool_depth is not None
    assert context.pool_depth.frame().equals(pool_depth(assay.read(*campaign), "AP", context.depths).frame())


def test_ranks_of_runs() -> None:
    context = context_of(
        *campaign_with_ranks({"a": [1, 2], "b": [1, 1], "c": [2, 1], "d": [0, 0]}), "RR", "NumUnjudgedRet"
    )
    assert context.places[:, 0].tolist() == [2, 1, 2, 4]
    assert context.places[:, 1].tolist() == [2, 1, 2, 4], "fewer unjudged documents are better"
    assert context.order == [1, 0, 2, 3]


def test_run_without_a_value_is_last() -> None:
    runs = {"a": {"q1": {"x": 1.0}}, "b": {"q2": {"rel": 1.0}}}
    context = context_of({"q1": {"x": 0}, "q2": {"rel": 1}}, runs, missing="exclude", undefined="exclude")
    assert np.isnan(context.overall[0, 0])
    assert context.places[:, 0].tolist() == [2, 1]
    assert context.order == [1, 0]


def test_medians_of_topics() -> None:
    context = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 2], "c": [0, 1]}), "RR")
    assert context.topic_summary.median.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_unjudged_documents_are_counted_under_any_policy(unjudged: str) -> None:
    qrels = {"q1": {"a": 1, "b": -1, "c": 0}, "q2": {"a": 1}}
    runs = {"x": {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, "y": {"q2": {"a": 1.0}}}
    context = context_of(qrels, runs, unjudged=unjudged)
    assert context.unjudged[0, 0].tolist() == [0.5, 0.5, 0.5], "a negative grade counts as unjudged"
    assert np.isnan(context.unjudged[0, 1]).all(), "the ranking is empty"
    assert context.unjudged[1, 1].tolist() == [0.0, 0.0, 0.0]
    assert context.unjudged_ranks(0, 0, 9) == [2, 4]
    assert context.unjudged_ranks(0, 0, 3) == [2]
    assert context.unjudged_ranks(0, 1, 9) == []
    assert context.residuals.values[0, 0, 0] == pytest.approx(0.5**2 + 0.5**4 + 0.5**4)


def test_unjudged_fractions_at_several_depths() -> None:
    ranking = {f"d{i}": 1000.0 - i for i in range(1, 201)}
    qrels = {"q": {f"d{i}": 0 for i in range(1, 11)} | {"rel": 1}}
    context = context_of(qrels, {"x": {"q": ranking}})
    assert context.unjudged[0, 0].tolist() == [0.0, 90 / UNJUDGED_DEPTHS[1], 190 / 200]


def test_single_run_has_no_comparisons() -> None:
    context = simulated_context(1, 4, 1, "AP", "RR")
    assert context.comparison is None
    assert context.correlation is None
    assert context.robustness is None
    assert context.pool_depth is None
    assert simulated_context(3, 4).correlation is None, "one measure cannot be correlated"


def test_condensed_rankings_have_no_bounds() -> None:
    assert simulated_context(2, 4, 1, unjudged="condensed").bounds is None
    bounds = simulated_context(2, 4, 1, "P@5").bounds
    assert bounds is not None
    assert isinstance(bounds.means(), pl.DataFrame)


def test_notes_are_not_duplicated() -> None:
    context = context_of({"q1": {"a": 1}, "q2": {"b": 0}}, {"x": {"q1": {"a": 1.0}}})
    _ = context.results, context.effort, context.bounds
    assert len(context.notes) == len(set(context.notes))
    assert any("without relevant documents" in note for note in context.notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "chi"}, "test 'chi': choose one of"),
        ({"correction": "holms"}, "did you mean holm"),
        ({"alpha": 5}, "alpha must lie between 0 and 1"),
        ({"resamples": 10}, "the test t does not resample"),
        ({"most": 0}, "most must be at least 1"),
        ({"without": ("topic",)}, "unknown section; did you mean topics"),
        ({"without": ("xyz",)}, "choose from verdict, cases"),
        ({"measures": ("nDGC",)}, "there is no measure nDGC; did you mean nDCG"),
        ({"measures": tuple(f"P@{k}" for k in range(1, 60))}, "at most 40 measures, got 59"),
        ({"seed": -1}, "seed must be .*at least 0"),
    ],
)
def test_invalid_settings_are_rejected_without_a_campaign(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        check_settings(ReportSettings(**settings))


def test_unsuitable_campaigns_are_rejected() -> None:
    qrels, runs = {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}
    with pytest.raises(AssayError, match=r"ties 'expected': .* choose another"):
        context_of(qrels, runs, ties="expected")
    with pytest.raises(AssayError, match=r"runs: .* at least one run"):
        context_of(qrels, None)
    with pytest.raises(AssayError, match=r"qrels: .* read the campaign with qrels"):
        context_of(None, runs)


def test_long_names_of_runs_stay_distinct() -> None:
    from assay import simulate

    collection = simulate(systems=3, topics=3, seed=1)
    names = [f"splade-v3-distilled-hard-negatives-{n}-msmarco-passage-reranked-top1000" for n in range(3)]
    context = context_of(
        collection.qrels, [run.with_name(name) for run, name in zip(collection.runs, names, strict=True)]
    )
    short_names = [context.run_name(run) for run in range(3)]
    assert len(set(map(str, short_names))) == 3
    assert [name.full for name in short_names] == names
