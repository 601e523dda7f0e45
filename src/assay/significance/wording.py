"""Sentences that describe the test, the correction and the conclusions of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.notes import join_names, pluralize
from assay.significance.base import SignificanceTest
from assay.significance.separation import Separation, separate

if TYPE_CHECKING:
    from assay.significance.comparison import Comparison

_CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
_SHORT = {"holm": "p (Holm)", "bonferroni": "p (Bonferroni)", "bh": "p (BH)", "none": "p"}


def describe_test(comparison: Comparison) -> str:
    """Describe the test and the correction: ``paired t test, Holm's correction over all 15 pairs of runs``."""
    test = get_test_title(comparison.test)
    if comparison.test.corrected:
        return f"{test} over {comparison.family_title}"
    family = "" if comparison.correction == "none" else f" over {comparison.family_title}"
    return f"{test}, {_CORRECTIONS[comparison.correction]}{family}"


def get_test_title(test: SignificanceTest) -> str:
    """Return the title of a test in captions."""
    return test.title or f"test {test.name}"


def p_label(comparison: Comparison) -> str:
    """Return the name of the p-value that determines significance: ``p (Holm)``, or ``p`` without a correction."""
    return "p (all pairs)" if comparison.test.corrected else _SHORT[comparison.correction]


def interval_label(comparison: Comparison) -> str:
    """Return the name of confidence intervals, such as ``95 % CI``."""
    return f"{100 * (1 - comparison.alpha):.6g} % CI"


def describe_intervals(comparison: Comparison, *, with_p: bool = True) -> str:
    """State whether intervals (and with *with_p* the uncorrected p) hold for each pair alone or for all pairs."""
    level = interval_label(comparison)
    if comparison.test.corrected:
        return f"{level} and p hold for all pairs together"
    method = f" by {comparison.test.interval}" if comparison.test.interval else ""
    return f"{level}{method} {'and p are' if with_p else 'is'} for each pair alone, not corrected"


def write_conclusions(comparison: Comparison) -> list[str]:
    """State, for each measure, which runs differ significantly from the leader, or from the baselines."""
    measures = comparison.results.measures
    if comparison.baselines:
        return [
            _compare_with_baseline(comparison, separate(comparison, measure, baseline))
            for measure in measures
            for baseline in comparison.baselines
        ]
    return [_compare_with_leader(comparison, separate(comparison, measure)) for measure in measures]


def _compare_with_baseline(comparison: Comparison, separation: Separation) -> str:
    """State how many runs are better than the baseline, worse, or not significantly different."""
    if not (separation.better or separation.worse or separation.tied):
        return f"{separation.measure}: no run could be tested against {separation.reference} (too few topics)."
    better_runs = "no run" if not separation.better else pluralize(len(separation.better), "run")
    verb = "are" if len(separation.better) > 1 else "is"
    equal_runs = f" ({join_names(separation.equal_mean)} with an equal mean)" if separation.equal_mean else ""
    return (
        f"{separation.measure}: {better_runs} {verb} significantly better than {separation.reference}, "
        f"{len(separation.worse)} significantly worse, {len(separation.tied)} not significantly different{equal_runs}"
        f"{_count_equivalent(comparison, separation)}{_count_untested(separation)}."
    )


def _count_equivalent(comparison: Comparison, separation: Separation) -> str:
    """State how many runs are equivalent to the baseline, if equivalence was tested."""
    if comparison.margin is None:
        return ""
    others = (*separation.better, *separation.worse, *separation.tied)
    p = [comparison.between(separation.measure, run, separation.reference)["p_equivalent"] for run in others]
    count = sum(p_equivalent < comparison.alpha for p_equivalent in p)
    return f"; {count or 'none'} equivalent within {comparison.margin}"


def _compare_with_leader(comparison: Comparison, separation: Separation) -> str:
    """State how many pairs of runs differ, and which runs do not differ from the leader."""
    if not separation.tested_count:
        return f"{separation.measure}: no pair could be tested (too few topics)."
    if separation.tested_count == 1 and not separation.untested:
        return f"{separation.measure}: {_conclude_pair(comparison, separation)}."
    counts = f"{separation.significant_count:,} of {separation.tested_count:,}"
    differ = f"{separation.measure}: {counts} pairs differ significantly."
    if separation.equal_mean:
        leads = (
            f"{join_names((separation.reference, *separation.equal_mean))} are tied for first: their means are equal"
        )
        first = separation.reference
    else:
        leads, first = f"{separation.reference} has the best mean", "it"
    others = [run for run in separation.tied if run not in separation.equal_mean]
    if others:
        verb = "does" if len(others) == 1 else "do"
        names = (
            f"{pluralize(len(others), 'other run')} ({join_names(others)})" if len(others) > 5 else join_names(others)
        )
        return f"{differ} {leads}; {names} {verb} not differ significantly from {first}{_count_untested(separation)}."
    if separation.worse or separation.better:
        others_tested = "every other tested run" if separation.untested else "every other run"
        return f"{differ} {leads}; {others_tested} differs significantly from {first}{_count_untested(separation)}."
    return f"{differ} {leads}{_count_untested(separation)}."


def _conclude_pair(comparison: Comparison, separation: Separation) -> str:
    """State whether the only two runs differ, and on how many topics each is better."""
    [other] = (*separation.better, *separation.worse, *separation.tied)
    if separation.equal_mean:
        return f"{separation.reference} and {other} are tied: their means are equal"
    numbers = comparison.between(separation.measure, separation.reference, other)
    topics = (
        f"{numbers['wins']:.0f} and worse on {numbers['losses']:.0f} of {pluralize(int(numbers['topics']), 'topic')}"
    )
    wins = f"{separation.reference} is better on {topics}"
    if separation.tied:
        return f"{separation.reference} and {other} do not differ significantly; {wins}"
    return f"{separation.reference} is significantly better than {other}; {wins}"


def _count_untested(separation: Separation) -> str:
    return f"; {len(separation.untested):,} could not be tested" if separation.untested else ""
