"""What is said of samples of the judgments and of shallower pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.views.report.context import ReportContext
from assay.views.report.sections import robustness
from report_cases import context_of, graded, headline, shown, simulated


def sampled(**changed: object) -> ReportContext:
    """A campaign whose robustness is known."""
    found = simulated(6, 8, 2, "AP", "RR", seeds=2, ratios=(90, 50, 10))
    assert found.robustness is not None
    vars(found)["robustness"] = replace(found.robustness, **changed)  # type: ignore[arg-type]
    return found


def test_half_of_the_judgments() -> None:
    tau = np.array([[[0.9, 0.9], [0.7, 0.8], [0.5, 0.6]], [[0.9, 0.9], [0.6, 0.6], [0.1, 0.2]]])
    assert headline(robustness, sampled(tau=tau)) == [
        "With half of the judgments, AP orders 6 runs with tau 0.750 to the order by all of them (mean of 2 samples).",
        "With 10 % of them, the order is kept best by AP (tau 0.550) and worst by RR (tau 0.150).",
    ]


def test_a_tau_that_is_not_there_is_not_told() -> None:
    tau = np.full((2, 3, 2), np.nan)
    tau[1] = 0.5
    assert headline(robustness, sampled(tau=tau)) == [""]
    some = np.array([[[1.0, np.nan]] * 3, [[0.5, 0.5]] * 3])
    assert "tau 1 to the order" in headline(robustness, sampled(tau=some))[0]


def test_the_nearest_ratio_stands_for_half() -> None:
    found = simulated(6, 8, 2, "AP", seeds=1, ratios=(90, 60))
    [told] = headline(robustness, found)
    assert told.startswith("With 60 % of the judgments, AP")
    assert "(mean of 1 sample)" in told
    assert "from seed 0;" in shown(robustness, found)


def test_few_runs_are_said_to_be_few() -> None:
    assert (
        headline(robustness, simulated(2, 8, 2, "AP", "RR"))[-1]
        == "With only 2 runs there are few orders, and tau says little."
    )


def test_pools() -> None:
    found = simulated(5, 8, 2, "AP", depths=(5, 10))
    pool = found.pool_depth
    assert pool is not None
    seen = shown(robustness, found)
    told = f"A pool of depth 10 of these runs would have {pool.sizes[1, 0]:,} of {pool.sizes[-1, 0]:,} judgments"
    assert told in seen
    assert "Shallower pools" in seen


def test_runs_that_were_not_pooled() -> None:
    found = context_of(*graded({"a": [1, 2], "b": [2, 2]}), "RR")
    assert found.pool_depth is None
    seen = shown(robustness, found)
    assert "Of 4 judgments, 2 are of documents that one of these runs has retrieved." in seen
    assert "no smaller than the judgments" in seen
    every = context_of({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    assert "Every judged document was retrieved by one of these runs." in shown(robustness, every)


def test_what_cannot_change() -> None:
    assert headline(robustness, simulated(1, 4))[0] == ("The order of runs cannot change: there is one run only.")
    same = context_of(*graded({"a": [1, 2], "b": [1, 2]}), "RR")
    assert "their means are all the same" in headline(robustness, same)[0]


def test_what_leaves_out_no_judgment_tests_nothing() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    found = context_of(qrels, runs)
    [only] = headline(robustness, found)
    assert only == (
        "How much the order of runs hangs on the judgments could not be tested: too few documents of each topic have "
        "the same grade for any judgment to be left out."
    )
    seen = shown(robustness, found)
    assert "Mean tau" not in seen
    assert "Shallower pools" in seen


def test_a_share_that_leaves_out_none() -> None:
    found = sampled().robustness
    assert found is not None
    full = np.array([[found.whole, 1], [found.whole, 1], [found.whole - 1, 1]])
    some = sampled(sizes=full)
    assert headline(robustness, some)[0] == "At 50 % no judgment could be left out, which tests nothing."
    assert some.robustness is not None
    assert robustness.tabulate_samples(some.robustness).heads == ["measure", "10 %"]
    assert robustness.describe_fewest(replace(found, sizes=full[[2, 0, 1]])) is None
