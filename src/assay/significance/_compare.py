"""``compare``: differences between runs, their significance and their size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.fork import refuse_fork
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.significance.base import SignificanceTest
from assay.significance.comparison import Comparison
from assay.significance.corrections import adjust_p_values
from assay.significance.notes import note_comparison, note_systems
from assay.significance.statistics import COLUMNS, ComparisonSettings, compute_statistics
from assay.significance.systems import average_by_system, decompose_variance
from assay.significance.validation import FAMILIES, parse_margin, require_two_runs, resolve_baselines, resolve_test
from assay.significance.values import prepare_values

__all__ = ["COLUMNS", "FAMILIES", "Comparison", "compare", "require_two_runs", "resolve_baselines", "resolve_test"]


MEASURES = ("AP", "nDCG@10")
"""What a campaign is compared by, unless measures are named."""


@check_arguments
def compare(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    test: str | SignificanceTest = "t",
    correction: str = "holm",
    family: str = "measure",
    baseline: str | Iterable[str] = (),
    alpha: float = 0.05,
    margin: float | str | None = None,
    power: float | None = None,
    detect: float | None = None,
    systems: Mapping[str, str] | None = None,
    resamples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare runs with each other, or with baselines, paired by topic.

    Parameters
    ----------
    source
        Results of :func:`assay.evaluate`, or a campaign to evaluate; with at least two runs.
    measures
        Measures to compare by; by default AP and nDCG@10 of a campaign, and all measures of results.
    test
        The name of a significance test, such as ``t`` or ``wilcoxon`` (``assay compare --help`` lists them), or a test.
    correction
        ``holm``, ``bonferroni``, ``bh`` (Benjamini and Hochberg) or ``none``. Tukey's tests are not corrected again:
        their p is that of all pairs of runs.
    family
        The comparisons that p is corrected over: those made by one ``measure`` (default), or by ``all``.
    baseline
        One or several runs that every other run is compared with; all pairs of runs are compared if there are none.
    alpha
        The level of significance of the corrected p. Intervals are of one pair by itself and have the confidence
        1 - alpha.
    margin
        A difference that does not matter, such as 0.02, or ``"5%"`` of the mean of the baseline: tests whether runs are
        equivalent.
    power
        Probability, such as 0.8, with which a difference is to be detected: reports the number of topics needed.
    detect
        The difference to detect, such as 0.02, given the observed variance of the differences of a pair (topic set size
        design). By default the observed difference.
    systems
        The system of each run: systems are compared by the means of their runs on each topic.
    resamples, seed
        Number of resamples and seed of randomization and bootstrap tests.
    progress
        Called with the number of measures done and their total.

    References
    ----------
    Sakai, *Laboratory Experiments in Information Retrieval*, 2018. Each test names what it comes from.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(8)}
    >>> second = {f"q{i}": {"a": 1.0 + i % 4, "b": 2.5} for i in range(8)}
    >>> comparison = compare(assay.read(qrels, {"first": first, "second": second}), "RR")
    >>> comparison.frame().select("run_a", "run_b", "difference", "wins", "ties").rows()
    [('first', 'second', 0.25, 4, 4)]
    """
    refuse_fork()
    chosen = resolve_test(
        test, correction, family, alpha=alpha, power=power, detect=detect, resamples=resamples, seed=seed
    )
    results = _results_of(source, measures)
    compared = results if systems is None else average_by_system(results, systems)
    named = resolve_baselines(baseline, compared.runs, compared.provenance)
    pairs = _pairs(compared, named)
    how = ComparisonSettings(chosen, alpha, parse_margin(margin, compared, named), power, detect)
    numbers = _numbers(compared, pairs, how, progress)
    numbers["p_adjusted"] = numbers["p"] if chosen.corrected else _adjusted(numbers["p"], chosen, correction, family)
    done = Comparison(
        results=compared,
        pairs=pairs,
        numbers=numbers,
        test=chosen,
        correction=correction,
        family=family,
        alpha=alpha,
        baselines=named,
        margin=how.margin,
        power=power,
        detect=detect,
        systems=dict(systems or {}),
        shares=decompose_variance(results, systems or {}),
        notes=(),
    )
    return replace(done, notes=(*note_systems(results, compared), *compared.notes, *note_comparison(done)))


def _results_of(source: Campaign | Results, measures: str | Measure | Iterable[str | Measure] | None) -> Results:
    if isinstance(source, Results):
        return source if measures is None else source.select(measures=measures)
    if not isinstance(source, Campaign):
        raise InputError(f"source: expected results (assay.evaluate) or a campaign, got {type(source).__name__}")
    return evaluate(source, MEASURES if measures is None else measures)


def _pairs(results: Results, baselines: tuple[str, ...]) -> Ints:
    """Pairs x 2. Each run against each baseline, baselines among themselves once; or all pairs."""
    many = len(results.runs)
    require_two_runs(many)
    if not baselines:
        return np.array(list(combinations(range(many), 2)), dtype=np.int64)
    base = [results.runs.index(name) for name in baselines]
    pairs = [
        (run, against)
        for place, against in enumerate(base)
        for run in range(many)
        if run != against and run not in base[:place]
    ]
    return np.array(pairs, dtype=np.int64)


def _numbers(
    results: Results, pairs: Ints, how: ComparisonSettings, progress: Callable[[int, int], None] | None
) -> dict[str, Floats]:
    """The numbers of all measures, measures x pairs each."""
    found = []
    for number, measure in enumerate(results.measures):
        values = prepare_values(results, number, whole=how.test.corrected)
        found.append(compute_statistics(values, pairs, measure, how))
        if progress is not None:
            progress(number + 1, len(results.measures))
    return {name: np.array([each[name] for each in found]) for name in found[0]}


def _adjusted(p: Floats, test: SignificanceTest, correction: str, family: str) -> Floats:
    """Adjusted over measures x pairs together, or measure by measure."""
    # Of a p of 0 among resamples it is known that it is less than one of them: that bound can be adjusted, 0 cannot.
    told = np.where(p == 0, 1 / getattr(test, "resamples", math.inf), p)
    if family == "all":
        return adjust_p_values(told.ravel(), correction).reshape(told.shape)
    return np.stack([adjust_p_values(row, correction) for row in told])
