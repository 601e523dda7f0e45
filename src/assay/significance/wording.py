"""Sentences about comparisons: the test, the correction, and what was found."""

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
    """Return the test, the correction and its family, as in ``paired t test, Holm's correction over all 15 pairs``."""
    test = get_test_title(comparison.test)
    if comparison.test.corrected:
        return f"{test} over {comparison.family_title}"
    over = "" if comparison.correction == "none" else f" over {comparison.family_title}"
    return f"{test}, {_CORRECTIONS[comparison.correction]}{over}"


def get_test_title(test: SignificanceTest) -> str:
    """Return the title of a test in captions."""
    return test.title or f"test {test.name}"


def p_label(comparison: Comparison) -> str:
    """Return the name of the p that decides what is significant: ``p (Holm)``, or ``p`` if nothing is corrected."""
    return "p (all pairs)" if comparison.test.corrected else _SHORT[comparison.correction]


def interval_label(comparison: Comparison) -> str:
    """Return the name of intervals, such as ``95 % CI``."""
    return f"{100 * (1 - comparison.alpha):.6g} % CI"


def describe_intervals(comparison: Comparison, *, with_p: bool = True) -> str:
    """Return which comparisons the intervals of differences refer to, and the p beside them unless it is corrected."""
    level = interval_label(comparison)
    if comparison.test.corrected:
        return f"{level} and p hold for all pairs together"
    by = f" by {comparison.test.interval}" if comparison.test.interval else ""
    return f"{level}{by} {'and p are' if with_p else 'is'} of each pair alone, not corrected"


def write_conclusions(comparison: Comparison) -> list[str]:
    """Return a sentence or two for each measure: which runs differ from the leader, or from the baselines."""
    measures = comparison.results.measures
    if comparison.baselines:
        return [
            _compare_with_baseline(comparison, separate(comparison, measure, baseline))
            for measure in measures
            for baseline in comparison.baselines
        ]
    return [_compare_with_leader(comparison, separate(comparison, measure)) for measure in measures]


def _compare_with_baseline(comparison: Comparison, found: Separation) -> str:
    if not (found.better or found.worse or found.tied):
        return f"{found.measure}: no run could be tested against {found.reference} (too few topics)."
    number = "no run" if not found.better else pluralize(len(found.better), "run")
    verb = "are" if len(found.better) > 1 else "is"
    equal = f" ({join_names(found.equal)} with an equal mean)" if found.equal else ""
    return (
        f"{found.measure}: {number} {verb} significantly better than {found.reference}, {len(found.worse)} "
        f"significantly worse, {len(found.tied)} not significantly different{equal}"
        f"{_equivalent(comparison, found)}{_untested(found)}."
    )


def _equivalent(comparison: Comparison, found: Separation) -> str:
    """Return how many runs are equivalent to the baseline, if that was tested."""
    if comparison.margin is None:
        return ""
    others = (*found.better, *found.worse, *found.tied)
    p = [comparison.between(found.measure, run, found.reference)["p_equivalent"] for run in others]
    number = sum(one < comparison.alpha for one in p)
    return f"; {number or 'none'} equivalent within {comparison.margin}"


def _compare_with_leader(comparison: Comparison, found: Separation) -> str:
    if not found.tested:
        return f"{found.measure}: no pair could be tested (too few topics)."
    if found.tested == 1 and not found.untested:
        return f"{found.measure}: {_conclude_pair(comparison, found)}."
    differ = f"{found.measure}: {found.significant:,} of {found.tested:,} pairs differ significantly."
    if found.equal:
        leads = f"{join_names((found.reference, *found.equal))} are tied for first: their means are equal"
        first = found.reference
    else:
        leads, first = f"{found.reference} has the best mean", "it"
    others = [run for run in found.tied if run not in found.equal]
    if others:
        verb = "does" if len(others) == 1 else "do"
        many = (
            f"{pluralize(len(others), 'other run')} ({join_names(others)})" if len(others) > 5 else join_names(others)
        )
        return f"{differ} {leads}; {many} {verb} not differ significantly from {first}{_untested(found)}."
    if found.worse or found.better:
        return f"{differ} {leads}; every other run differs significantly from {first}{_untested(found)}."
    return f"{differ} {leads}{_untested(found)}."


def _conclude_pair(comparison: Comparison, found: Separation) -> str:
    [other] = (*found.better, *found.worse, *found.tied)
    if found.equal:
        return f"{found.reference} and {other} are tied: their means are equal"
    numbers = comparison.between(found.measure, found.reference, other)
    topics = (
        f"{numbers['wins']:.0f} and worse on {numbers['losses']:.0f} of {pluralize(int(numbers['topics']), 'topic')}"
    )
    wins = f"{found.reference} is better on {topics}"
    if found.tied:
        return f"{found.reference} and {other} do not differ significantly; {wins}"
    return f"{found.reference} is significantly better than {other}; {wins}"


def _untested(found: Separation) -> str:
    return f"; {len(found.untested):,} could not be tested" if found.untested else ""
