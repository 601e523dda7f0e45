"""Compare runs over several collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError, check_choice, suggestion
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.notes import join_names, pluralize
from assay.results._evaluate import evaluate
from assay.results.collections import MEASURES
from assay.results.results import Results
from assay.results.run_pairs import pair_runs, require_two_runs
from assay.significance.collection_comparison import RESERVED, CollectionComparison
from assay.significance.collection_numbers import (
    POPULATIONS,
    Settings,
    check_settings,
    compute_pair_numbers,
    compute_run_numbers,
)
from assay.significance.tests._paired import check_resampling
from assay.significance.validation import resolve_test
from assay.significance.values import prepare_values

MAX_RESAMPLES = 1_000_000
_LEAST_COLLECTIONS = 6  # 2 / 2^6 is the first two-sided p of a sign test below 0.05
INCOMPLETE = {
    "unranked": "shown, but without average and rank",
    "runs": "left out",
    "common": "kept; collections that a run lacks are left out",
}


@check_arguments
def collections(
    sources: Mapping[str, Campaign | Results],
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    population: str = "topics",
    incomplete: str = "unranked",
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> CollectionComparison:
    """Compare runs over several collections: values per collection, averages with intervals, and ranks.

    All collections have the same weight in the average, whatever their number of topics. Topics of different
    collections are never mixed.

    Parameters
    ----------
    sources
        Campaigns or results by name of the collection; a run has the same name in all of them.
    measures
        Measures to compare by; by default nDCG@10 for campaigns, and the measures that all results have.
    baseline
        A run with which every other run is compared; without a baseline, all pairs of runs are compared.
    population
        ``topics``: intervals and tests are about other topics of these collections. ``collections``: they are about
        other collections like these, and need several collections.
    incomplete
        Runs that lack a collection: ``unranked`` (shown, but without average and rank), ``runs`` (left out) or
        ``common`` (kept; the collections that a run lacks are left out). Missing values are never imputed.
    test
        ``t`` or ``randomization``; with population ``collections`` also ``wilcoxon``, ``sign`` and ``bootstrap``.
    correction
        Correction of p: over the pairs of runs for averages, and over the collections of a pair within collections.
    alpha
        The significance level; intervals have the level 1 - alpha.
    resamples, seed
        Number of resamples and seed of rank intervals and of randomization tests.
    progress
        Called with the number of measures done and their total.

    References
    ----------
    Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7, 2006. Mogstad, Romano, Shaikh &
    Wilhelm, *Inference for ranks*, Review of Economic Studies 91, 2024.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(6)}
    >>> poor = {f"q{i}": {"b": 1.0 + i % 3, "a": 1.5} for i in range(6)}
    >>> campaign = assay.read(qrels, {"good": good, "poor": poor})
    >>> comparison = assay.collections({"first": campaign, "second": campaign}, "RR")
    >>> comparison.table("ranks").frame.select("run", "macro", "rank").rows()
    [('good', 1.0, 1.0), ('poor', 0.6666666666666666, 2.0)]
    """
    check_choice("population", population, POPULATIONS)
    check_choice("incomplete", incomplete, INCOMPLETE)
    resolve_test(test, correction, alpha=alpha, seed=seed)
    check_resampling(resamples, seed)
    if resamples > MAX_RESAMPLES:
        raise InputError(f"resamples must be at most {MAX_RESAMPLES:,}, got {resamples}")
    settings = Settings(population, test, correction, alpha, resamples, seed)
    check_settings(settings)
    results = _evaluate(sources, measures)
    runs = tuple(dict.fromkeys(run for one in results.values() for run in one.runs))
    results, runs, notes = _select_complete(results, runs, incomplete)
    require_two_runs(runs)
    pairs = _list_pairs(runs, baseline)
    numbers = []
    for index in track(range(len(next(iter(results.values())).measures)), progress):
        values = [_align_runs(one, index, runs) for one in results.values()]
        lower = next(iter(results.values())).measures[index].lower_is_better
        numbers.append(
            (compute_run_numbers(values, lower, settings), compute_pair_numbers(values, pairs, lower, settings))
        )
    if population == "collections" and test in ("sign", "wilcoxon") and len(results) < _LEAST_COLLECTIONS:
        notes = (*notes, f"the {test} test of {len(results)} collections cannot reach p < 0.05; it needs at least 6")
    return CollectionComparison(results, runs, pairs, baseline, settings, tuple(numbers), notes)


def _evaluate(
    sources: Mapping[str, Campaign | Results], measures: str | Measure | Iterable[str | Measure] | None
) -> dict[str, Results]:
    """Return the results of each collection, all with the same measures."""
    if not sources:
        raise InputError("sources: need at least one collection")
    for name in sources:
        if name in RESERVED:
            raise InputError(f"collection {name!r}: is the name of a column; choose another name")
    chosen = measures
    if measures is None and any(isinstance(source, Results) for source in sources.values()):
        names = [set(map(str, source.measures)) for source in sources.values() if isinstance(source, Results)]
        first = next(source for source in sources.values() if isinstance(source, Results))
        chosen = [one for one in first.measures if str(one) in set.intersection(*names)]
        if not chosen:
            raise InputError("measures: the collections have no measure in common")
    results = {
        name: (source.select(measures=chosen) if isinstance(source, Results) else evaluate(source, chosen or MEASURES))
        for name, source in sources.items()
    }
    for one in next(iter(results.values())).measures:
        if one.aggregate != "mean":
            raise InputError(f"measure '{one}': has no arithmetic mean over topics; choose another measure")
    return results


def _select_complete(
    results: dict[str, Results], runs: tuple[str, ...], incomplete: str
) -> tuple[dict[str, Results], tuple[str, ...], tuple[str, ...]]:
    """Apply the policy on runs that lack a collection; return results, runs and notes."""
    lacking = {run: [name for name, one in results.items() if run not in one.runs] for run in runs}
    lacking = {run: names for run, names in lacking.items() if names}
    notes = tuple(f"{name}: {note}" for name, one in results.items() for note in one.notes)
    if not lacking:
        return results, runs, notes
    listed = join_names([f"{run} lacks {join_names(names)}" for run, names in lacking.items()])
    if incomplete == "runs":
        kept_runs = tuple(run for run in runs if run not in lacking)
        require_two_runs(kept_runs, f" that have all collections ({listed})")
        return results, kept_runs, (*notes, f"{pluralize(len(lacking), 'run')} left out: {listed}")
    if incomplete == "common":
        common = {name: one for name, one in results.items() if set(runs) <= set(one.runs)}
        if not common:
            raise InputError(f"incomplete 'common': no collection has all runs ({listed})")
        left_out = [name for name in results if name not in common]
        return common, runs, (*notes, f"{pluralize(len(left_out), 'collection')} left out: {join_names(left_out)}")
    return results, runs, (*notes, f"{listed}; runs without all collections have no average and no rank")


def _list_pairs(runs: tuple[str, ...], baseline: str | None) -> Ints:
    if baseline is None:
        return pair_runs(runs)
    if baseline not in runs:
        hint = suggestion(baseline, runs) or f"; the runs are {join_names(runs)}"
        raise InputError(f"baseline {baseline!r} is not among the runs{hint}")
    index = runs.index(baseline)
    return np.array([(run, index) for run in range(len(runs)) if run != index], dtype=np.int64)


def _align_runs(results: Results, index: int, runs: tuple[str, ...]) -> Floats:
    """Return the values of a measure as runs x topics, with NaN for runs that the collection lacks."""
    values = prepare_values(results, index)
    aligned = np.full((len(runs), values.shape[1]), np.nan)
    for row, run in enumerate(runs):
        if run in results.runs:
            aligned[row] = values[results.runs.index(run)]
    return aligned
