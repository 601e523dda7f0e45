"""Significant differences from one run: from the leader, or from a baseline.

The leader is selected from the data, so comparisons with the leader are corrected over all pairs of runs: a family of
only these comparisons would ignore that any run could have come first. A baseline is chosen beforehand, so comparisons
with the baseline form a family.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError
from assay.measures import Measure

if TYPE_CHECKING:
    from assay.significance.comparison import Comparison


@dataclass(frozen=True)
class Separation:
    """Runs that are significantly better than a reference run, significantly worse, or not significantly different.

    Attributes
    ----------
    measure
        The measure by which runs are compared.
    reference
        The leader, or the baseline.
    equal_mean
        Other runs whose mean equals the mean of the reference. Each of them is also in one of the following groups,
        depending on the test.
    better, worse
        Runs that are significantly better, or worse, than the reference.
    tied
        Runs that are not significantly different from the reference.
    untested
        Runs that share too few topics with the reference for a test.
    significant_count, tested_count
        Number of significant comparisons of the family by this measure, and number of tested comparisons.
    test, correction, family, alpha
        Name of the test, the correction, the comparisons that the correction covers, and the significance level.
    """

    measure: Measure
    reference: str
    equal_mean: tuple[str, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    tied: tuple[str, ...]
    untested: tuple[str, ...]
    significant_count: int
    tested_count: int
    test: str
    correction: str
    family: str
    alpha: float


def separate(comparison: Comparison, by: str | Measure, baseline: str | None = None) -> Separation:
    """Find the runs that are significantly better or worse than the leader, or than *baseline*; best runs first.

    The leader is the run with the best mean; among runs with equal means, the first run of the results.

    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(9)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(9)}
    >>> second = {f"q{i}": {"a": 1.0 if i else 3.0, "b": 2.0} for i in range(9)}
    >>> results = assay.evaluate(qrels, {"first": first, "second": second, "copy": first}, "RR")
    >>> separation = separate(assay.compare(results), "RR")
    >>> separation.reference, separation.tied, separation.worse, separation.family
    ('first', ('copy',), ('second',), 'all 3 pairs of runs')
    """
    results = comparison.results
    measure = results.find_measure(by)
    order = results.best(measure)
    reference = order[0] if baseline is None else baseline
    _check_family(comparison, baseline)
    column = results.runs.index(reference)
    verdict = dict(zip(results.runs, comparison.verdicts(measure)[:, column].tolist(), strict=True))
    others = [run for run in order if run != reference]
    places = dict(zip(results.runs, results.places(measure).tolist(), strict=True))
    p = comparison.numbers["p_adjusted"][results.measures.index(measure)]
    better, worse, tied = (tuple(run for run in others if verdict[run] == sign) for sign in (1, -1, 0))
    return Separation(
        measure=measure,
        reference=reference,
        equal_mean=tuple(run for run in others if places[run] == places[reference]),
        better=better,
        worse=worse,
        tied=tied,
        untested=tuple(run for run in others if np.isnan(verdict[run])),
        significant_count=int((p < comparison.alpha).sum()),
        tested_count=int((~np.isnan(p)).sum()),
        test=comparison.test.name,
        correction="none" if comparison.test.corrected else comparison.correction,
        family=comparison.family_title,
        alpha=comparison.alpha,
    )


def _check_family(comparison: Comparison, baseline: str | None) -> None:
    """Raise an error if the comparison does not contain the pairs that are needed."""
    if baseline is None and comparison.baselines:
        raise InputError("differences from the leader need all pairs of runs; compare without baselines")
    if baseline is not None and comparison.baselines and baseline not in comparison.baselines:
        raise InputError(f"{baseline} is not a baseline; the baselines are {', '.join(comparison.baselines)}")
