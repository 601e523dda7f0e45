"""``compare``: differences between runs, their significance and effect size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io.fork import refuse_fork
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Ints
from assay.model.checks import check_integer
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.run_pairs import pair_runs, require_two_runs
from assay.results.sliced_results import SlicedResults
from assay.significance.base import SignificanceTest
from assay.significance.comparison import Comparison
from assay.significance.notes import note_comparison, note_systems
from assay.significance.slice_comparison import compare_in_slices
from assay.significance.statistics import COLUMNS, ComparisonSettings
from assay.significance.systems import average_by_system, decompose_variance
from assay.significance.validation import FAMILIES, parse_margin, resolve_baselines, resolve_test
from assay.significance.values import adjust, compute_numbers

__all__ = ["COLUMNS", "FAMILIES", "Comparison", "compare", "resolve_baselines", "resolve_test"]


MEASURES = ("AP", "nDCG@10")
"""Default measures of the comparison of a campaign."""


@check_arguments
def compare(
    source: Campaign | Results | SlicedResults,
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
    min_topics: int = 5,
    resamples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare runs with each other, or with baselines, paired by topic.

    Parameters
    ----------
    source
        Results of :func:`assay.evaluate`, or a campaign to evaluate, with at least two runs. For results in slices
        (:meth:`assay.Results.by`), runs are also compared in each slice, and the report is a :class:`SliceComparison`.
    measures
        Measures to compare by; by default AP and nDCG@10 for a campaign, and all measures of results.
    test
        The name of a significance test, such as ``t`` or ``wilcoxon`` (``assay compare --help`` lists them), or a test.
    correction
        ``holm``, ``bonferroni``, ``bh`` (Benjamini and Hochberg) or ``none``. Tukey's tests are not corrected further,
        because their p holds for all pairs of runs together.
    family
        The comparisons over which p is corrected: the comparisons by one ``measure`` (default), or by ``all`` measures.
    baseline
        One or several runs with which every other run is compared; without a baseline, all pairs of runs are compared.
    alpha
        The significance level of the corrected p. Confidence intervals have the level 1 - alpha and hold for each pair
        alone.
    margin
        The largest difference that does not matter, such as 0.02, or ``"5%"`` of the mean of the baseline. With a
        margin, the report also contains a test of equivalence. A percentage is tested as a contrast with the baseline.
    power
        Probability of detecting a difference, such as 0.8. With a power, the report also contains the number of topics
        needed.
    detect
        The difference to detect, such as 0.02, given the observed variance of the differences of a pair (topic set size
        design). The default is the observed difference.
    systems
        The system of each run, by name of the run. Systems are compared by the mean of their runs on each topic.
    min_topics
        Number of topics that a slice needs for a test. Smaller slices have no p.
    resamples, seed
        Number of resamples and seed of randomization and bootstrap tests.
    progress
        Called with the number of measures done and their total.

    References
    ----------
    Sakai, *Laboratory Experiments in Information Retrieval*, 2018. The description of each test has further references.

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
    check_integer("min_topics", min_topics, 2)
    results = _get_results(source, measures)
    compared = results if systems is None else average_by_system(results, systems)
    baselines = resolve_baselines(baseline, compared.runs, compared.provenance)
    pairs = _list_pairs(compared, baselines)
    settings = ComparisonSettings(chosen, alpha, parse_margin(margin, compared, baselines), power, detect)
    numbers = compute_numbers(compared, pairs, settings, progress)
    numbers["p_adjusted"] = numbers["p"] if chosen.corrected else adjust(numbers["p"], chosen, correction, family)
    comparison = Comparison(
        results=compared,
        pairs=pairs,
        numbers=numbers,
        test=chosen,
        correction=correction,
        family=family,
        alpha=alpha,
        baselines=baselines,
        margin=settings.margin,
        power=power,
        detect=detect,
        systems=dict(systems or {}),
        shares=decompose_variance(results, systems or {}),
        notes=(),
    )
    notes = (*note_systems(results, compared), *compared.notes, *note_comparison(comparison))
    comparison = replace(comparison, notes=notes)
    if isinstance(source, SlicedResults):
        return compare_in_slices(comparison, source.slices, settings, min_topics)
    return comparison


def _get_results(
    source: Campaign | Results | SlicedResults, measures: str | Measure | Iterable[str | Measure] | None
) -> Results:
    if isinstance(source, SlicedResults):
        source = source.results
    if isinstance(source, Results):
        return source if measures is None else source.select(measures=measures)
    if not isinstance(source, Campaign):
        raise InputError(f"source: expected results (assay.evaluate) or a campaign, got {type(source).__name__}")
    return evaluate(source, MEASURES if measures is None else measures)


def _list_pairs(results: Results, baselines: tuple[str, ...]) -> Ints:
    """Return pairs x 2: all pairs of runs, or each run with each baseline; a pair of two baselines occurs once."""
    require_two_runs(results.runs)
    if not baselines:
        return pair_runs(results.runs)
    indices = [results.runs.index(name) for name in baselines]
    pairs = [
        (run, baseline)
        for position, baseline in enumerate(indices)
        for run in range(len(results.runs))
        if run != baseline and run not in indices[:position]
    ]
    return np.array(pairs, dtype=np.int64)
