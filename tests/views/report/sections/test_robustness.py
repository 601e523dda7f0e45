"""Tests of the section on samples of the judgments and shallower pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.views.report.context import ReportContext
from assay.views.report.sections import robustness
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text


def modified_context(**changes: object) -> ReportContext:
    """Return a report context whose robustness analysis has some fields replaced."""
    context = simulated_context(6, 8, 2, "AP", "RR")
    assert context.robustness is not None
    vars(context)["robustness"] = replace(context.robustness, **changes)  # type: ignore[arg-type]
    return context


def test_half_and_fewest_judgments_are_summarized() -> None:
    means = np.array([[0.9, 0.8, 0.75, 0.6, 0.55], [0.9, 0.7, 0.6, 0.3, 0.15]])  # measures x ratios
    tau = means[:, :, None] + np.array([-0.1, 0, 0, 0, 0.1])
    assert headline(robustness, modified_context(tau=tau)) == [
        (
            "With half of the judgments, the order of 6 runs by AP has tau 0.750 with the order by all judgments "
            "(mean of 5 samples)."
        ),
        "With 10 % of the judgments, AP preserves the order best (tau 0.550); RR preserves it least (tau 0.150).",
    ]


def test_undefined_tau_is_omitted() -> None:
    tau = np.full((2, 5, 5), np.nan)
    tau[1] = 0.5
    assert headline(robustness, modified_context(tau=tau)) == [""]
    partly_defined = np.array([[[1.0, 1.0, 1.0, 1.0, np.nan]] * 5, [[0.5] * 5] * 5])
    assert "tau 1 with the order" in headline(robustness, modified_context(tau=partly_defined))[0]


def test_seeds_of_the_samples_are_listed() -> None:
    text = visible_text(robustness, simulated_context(6, 8, 2, "AP"))
    assert "drawn at random with seeds 0 to 4." in text


def test_few_runs_are_mentioned() -> None:
    assert (
        headline(robustness, simulated_context(2, 8, 2, "AP", "RR"))[-1]
        == "With only 2 runs there are few possible orders, so tau says little."
    )


def test_pools_are_summarized() -> None:
    context = simulated_context(5, 8, 2, "AP")
    pool = context.pool_depth
    assert pool is not None
    text = visible_text(robustness, context)
    expected = f"A pool of depth 10 of these runs would contain {pool.sizes[1, 0]:,} of {pool.sizes[-1, 0]:,} judgments"
    assert expected in text
    assert "Shallower pools" in text


def test_runs_outside_the_pool() -> None:
    context = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 2]}), "RR")
    assert context.pool_depth is None
    text = visible_text(robustness, context)
    assert "Of 4 judged documents, 2 were retrieved by at least one of these runs." in text
    assert "would contain all judgments" in text
    complete = context_of({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    assert "Every judged document was retrieved by one of these runs." in visible_text(robustness, complete)


def test_missing_order_is_explained() -> None:
    assert headline(robustness, simulated_context(1, 4))[0] == (
        "There is only one run, so there is no order of runs to compare."
    )
    equal_runs = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2]}), "RR")
    assert "The means of all runs are equal" in headline(robustness, equal_runs)[0]


def test_samples_without_omitted_judgments_are_explained() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    context = context_of(qrels, runs)
    [sentence] = headline(robustness, context)
    assert sentence == (
        "The robustness of the order of runs could not be tested: each topic has too few documents of the same grade "
        "to omit any judgment."
    )
    text = visible_text(robustness, context)
    assert "Mean tau" not in text
    assert "Shallower pools" in text


def test_ratio_without_omitted_judgments_is_excluded() -> None:
    report = modified_context().robustness
    assert report is not None
    sizes = np.array([[report.whole, 1]] * 4 + [[report.whole - 1, 1]])
    context = modified_context(sizes=sizes)
    assert (
        headline(robustness, context)[0]
        == "At 50 % of the judgments, no judgment could be omitted, so this percentage was not tested."
    )
    assert context.robustness is not None
    assert robustness.tabulate_samples(context.robustness).heads == ["measure", "10 %"]
    assert robustness.describe_fewest(replace(report, sizes=sizes[::-1])) is None
