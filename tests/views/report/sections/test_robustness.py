"""What is said of samples of the judgments and of shallower pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.views.report.context import ReportContext
from assay.views.report.sections import robustness
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text


def sampled(**changed: object) -> ReportContext:
    """A campaign whose robustness is known."""
    found = simulated_context(6, 8, 2, "AP", "RR", seeds=2, ratios=(90, 50, 10))
    assert found.robustness is not None
    vars(found)["robustness"] = replace(found.robustness, **changed)  # type: ignore[arg-type]
    return found


def test_half_of_the_judgments() -> None:
    tau = np.array([[[0.9, 0.9], [0.7, 0.8], [0.5, 0.6]], [[0.9, 0.9], [0.6, 0.6], [0.1, 0.2]]])
    assert headline(robustness, sampled(tau=tau)) == [
        "With half of the judgments, the order of 6 runs by AP has tau 0.750 with the order by all judgments (mean of 2 samples).",
        "With 10 %, AP preserves the order best (tau 0.550) and RR worst (tau 0.150).",
    ]


def test_a_tau_that_is_not_there_is_not_told() -> None:
    tau = np.full((2, 3, 2), np.nan)
    tau[1] = 0.5
    assert headline(robustness, sampled(tau=tau)) == [""]
    some = np.array([[[1.0, np.nan]] * 3, [[0.5, 0.5]] * 3])
    assert "tau 1 with the order" in headline(robustness, sampled(tau=some))[0]


def test_the_nearest_ratio_stands_for_half() -> None:
    found = simulated_context(6, 8, 2, "AP", seeds=1, ratios=(90, 60))
    [told] = headline(robustness, found)
    assert told.startswith("With 60 % of the judgments, the order of 6 runs by AP")
    assert "(mean of 1 sample)" in told
    assert "with seed 0." in visible_text(robustness, found)


def test_few_runs_are_said_to_be_few() -> None:
    assert (
        headline(robustness, simulated_context(2, 8, 2, "AP", "RR"))[-1]
        == "With only 2 runs there are few possible orders, so tau says little."
    )


def test_pools() -> None:
    found = simulated_context(5, 8, 2, "AP", depths=(5, 10))
    pool = found.pool_depth
    assert pool is not None
    seen = visible_text(robustness, found)
    told = f"A pool of depth 10 of these runs would contain {pool.sizes[1, 0]:,} of {pool.sizes[-1, 0]:,} judgments"
    assert told in seen
    assert "Shallower pools" in seen


def test_runs_that_were_not_pooled() -> None:
    found = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 2]}), "RR")
    assert found.pool_depth is None
    seen = visible_text(robustness, found)
    assert "Of 4 judged documents, 2 were retrieved by at least one of these runs." in seen
    assert "would contain all judgments" in seen
    every = context_of({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    assert "Every judged document was retrieved by one of these runs." in visible_text(robustness, every)


def test_what_cannot_change() -> None:
    assert headline(robustness, simulated_context(1, 4))[0] == (
        "There is only one run, so there is no order of runs to compare."
    )
    same = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2]}), "RR")
    assert "The means of all runs are equal" in headline(robustness, same)[0]


def test_what_leaves_out_no_judgment_tests_nothing() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    found = context_of(qrels, runs)
    [only] = headline(robustness, found)
    assert only == (
        "The robustness of the order of runs could not be tested: each topic has too few documents of the same grade "
        "to leave out any judgment."
    )
    seen = visible_text(robustness, found)
    assert "Mean tau" not in seen
    assert "Shallower pools" in seen


def test_a_share_that_leaves_out_none() -> None:
    found = sampled().robustness
    assert found is not None
    full = np.array([[found.whole, 1], [found.whole, 1], [found.whole - 1, 1]])
    some = sampled(sizes=full)
    assert headline(robustness, some)[0] == "At 50 % no judgment could be left out, so this sample tests nothing."
    assert some.robustness is not None
    assert robustness.tabulate_samples(some.robustness).heads == ["measure", "10 %"]
    assert robustness.describe_fewest(replace(found, sizes=full[[2, 0, 1]])) is None
