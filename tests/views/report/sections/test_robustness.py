"""What is said of samples of the judgments and of shallower pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.analyses.meta.robustness import Robustness
from assay.views.report.sections import robustness
from report_cases import graded, headline, material, section, simulated, text


def sampled(**changed: object) -> Robustness:
    found = simulated(6, 8, 2, "AP", "RR", seeds=2, ratios=(90, 50, 10)).robustness
    assert found is not None
    return replace(found, **changed)  # type: ignore[arg-type]


def test_half_of_the_judgments() -> None:
    tau = np.array([[[0.9, 0.9], [0.7, 0.8], [0.5, 0.6]], [[0.9, 0.9], [0.6, 0.6], [0.1, 0.2]]])
    found = sampled(tau=tau)
    assert text(robustness.describe_half(found)) == (
        "With half of the judgments, AP orders 6 runs with tau 0.750 to the order by all of them (mean of 2 samples)."
    )
    assert text(robustness.describe_fewest(found)) == (
        "With 10 % of them, the order is kept best by AP (tau 0.550) and worst by RR (tau 0.150)."
    )


def test_a_tau_that_is_not_there_is_not_told() -> None:
    tau = np.full((2, 3, 2), np.nan)
    tau[1] = 0.5
    found = sampled(tau=tau)
    assert robustness.describe_half(found) is None
    assert robustness.describe_fewest(found) is None
    some = np.array([[[1.0, np.nan]] * 3, [[0.5, 0.5]] * 3])
    assert "tau 1 to the order" in text(robustness.describe_half(sampled(tau=some)))


def test_the_nearest_ratio_stands_for_half() -> None:
    found = simulated(6, 8, 2, "AP", seeds=1, ratios=(90, 60)).robustness
    assert found is not None
    assert text(robustness.describe_half(found)).startswith("With 60 % of the judgments, AP")
    assert "(mean of 1 sample)" in text(robustness.describe_half(found))
    assert "from seed 0;" in text(section(robustness, simulated(6, 8, 2, "AP", seeds=1)))


def test_few_runs_are_said_to_be_few() -> None:
    assert (
        headline(robustness, simulated(2, 8, 2, "AP", "RR"))[-1]
        == "With only 2 runs there are few orders, and tau says little."
    )


def test_pools() -> None:
    found = simulated(5, 8, 2, "AP", depths=(5, 10))
    pool = found.pool_depth
    assert pool is not None
    assert text(robustness.describe_shallow_pool(pool)).startswith(
        f"A pool of depth 10 of these runs would have {pool.sizes[1, 0]:,} of {pool.sizes[-1, 0]:,} judgments"
    )
    assert "Shallower pools" in text(section(robustness, found))


def test_runs_that_were_not_pooled() -> None:
    qrels, runs = graded({"a": [1, 2], "b": [2, 2]})
    found = material(qrels, runs, "RR")
    assert found.pool_depth is None
    assert (
        text(robustness.count_retrieved(found))
        == "Of 4 judgments, 2 are of documents that one of these runs has retrieved."
    )
    assert "no smaller than the judgments" in text(section(robustness, found))
    every = material({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    assert text(robustness.count_retrieved(every)) == "Every judged document was retrieved by one of these runs."


def test_what_cannot_change() -> None:
    assert headline(robustness, simulated(1, 4))[0] == ("The order of runs cannot change: there is one run only.")
    same = material(*graded({"a": [1, 2], "b": [1, 2]}), "RR")
    assert "their means are all the same" in headline(robustness, same)[0]


def test_what_leaves_out_no_judgment_tests_nothing() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    found = material(qrels, runs)
    [only] = headline(robustness, found)
    assert only == (
        "How much the order of runs hangs on the judgments could not be tested: too few documents of each topic have "
        "the same grade for any judgment to be left out."
    )
    seen = text(section(robustness, found))
    assert "Mean tau" not in seen
    assert "Shallower pools" in seen


def test_a_share_that_leaves_out_none() -> None:
    found = sampled()
    full = np.array([[found.whole, 1], [found.whole, 1], [found.whole - 1, 1]])
    some = replace(found, sizes=full)
    assert text(robustness.describe_half(some)) == "At 50 % no judgment could be left out, which tests nothing."
    assert robustness.tabulate_samples(some).heads == ("measure", "10 %")
    assert robustness.describe_fewest(replace(found, sizes=full[[2, 0, 1]])) is None
