"""Mean and extremes of values over all orders of tied documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._values import compute_values, standard_deviations
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.uncertainty._ties.report import ORDERS
from assay.uncertainty._ties.tied_run import FIXED, TiedRun

_BLOCK = 1 << 19  # documents of the rankings evaluated together


class OrderValues(NamedTuple):
    """Values and exactness as in ``TieReport``, and the largest sampling error (standard error) of each measure."""

    values: Floats
    exact: Bools
    error: Floats


class TieSpread(NamedTuple):
    """Mean and extremes over all orders of tied documents: measures x rankings."""

    mean: Floats
    low: Floats
    high: Floats


def evaluate_orders(measures: tuple[Measure, ...], runs: list[TiedRun]) -> OrderValues:
    """Add the mean and the extremes over all orders of tied documents to the values in fixed orders."""
    mixed = Judged.concatenate([run.mixed for run in runs])
    no_rankings = mixed.select_rankings(np.zeros(0, dtype=np.int64))
    has_closed_form = np.array([measure.expected_values(no_rankings) is not None for measure in measures])
    is_monotone = np.array([measure.tie_key(no_rankings) is not None for measure in measures])
    spread = compute_spread(measures, mixed)
    error = _sample_orders(measures, mixed, spread, has_closed_form, is_monotone)
    fixed_values = np.stack([run.values for run in runs], axis=2)
    default_values = fixed_values[FIXED.index("trec_eval-10")]
    cell = np.repeat(np.arange(len(runs)), [len(run.mixed) for run in runs]), mixed.topic
    # The order of trec_eval is one of all orders, so its value and the mean can exceed the extremes only by rounding.
    low = np.fmin(np.fmin(spread.low, spread.mean), default_values[:, *cell])
    high = np.fmax(np.fmax(spread.high, spread.mean), default_values[:, *cell])
    # In all other rankings, the order of tied documents does not change values: the default order represents all
    # orders.
    over_orders = {name: default_values.copy() for name in ("expected", "min", "max")}
    for order, value in zip(over_orders, (spread.mean, low, high), strict=True):
        over_orders[order][:, *cell] = value
    values = np.stack(
        [over_orders[order] if order in over_orders else fixed_values[FIXED.index(order)] for order in ORDERS]
    )
    exact = np.ones(values.shape[:2], dtype=bool)
    if len(mixed):  # without mixed groups all orders have the same values
        exact[ORDERS.index("expected")] = has_closed_form
        exact[ORDERS.index("min")] = exact[ORDERS.index("max")] = is_monotone
    return OrderValues(values, exact, error)


def compute_spread(measures: tuple[Measure, ...], tied: Judged) -> TieSpread:
    """Return the means that have a closed form, and the extremes: tied documents sorted best first and best last.

    Rankings are evaluated in blocks to limit memory.
    """
    shape = (len(measures), len(tied))
    spread = TieSpread(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan))
    for rankings in _split_blocks(tied):
        block = tied.select_rankings(rankings)
        by_grade = np.arange(1.0 + len(tied.levels))
        for i, measure in enumerate(measures):
            if measure.expected_values(block) is not None:
                spread.mean[i, rankings] = compute_values(measure, block).value
            key = measure.tie_key(block)
            sort_key = by_grade if key is None else key
            best_last, best_first = (
                compute_values(measure, block.sort_ties(sort_key, best_first=first)).value for first in (False, True)
            )
            # Without a tie key it is unknown which of the two orders is better.
            spread.low[i, rankings] = best_last if key is not None else np.fmin(best_last, best_first)
            spread.high[i, rankings] = best_first if key is not None else np.fmax(best_last, best_first)
    return spread


def _split_blocks(judged: Judged) -> list[Ints]:
    """Return the indices of the rankings of each block of about ``_BLOCK`` documents."""
    block_index = judged.start[1:] // _BLOCK
    return np.split(np.arange(len(judged)), np.flatnonzero(np.diff(block_index)) + 1) if len(judged) else []


def _sample_orders(
    measures: tuple[Measure, ...], tied: Judged, spread: TieSpread, has_closed_form: Bools, is_monotone: Bools
) -> Floats:
    """Fill in the means and extremes that need sampled orders; return the largest standard error of each measure.

    ``evaluate`` draws the same orders from the same seed, so the means are the same.
    """
    error = np.zeros(len(measures))
    sampled_measures = np.flatnonzero(~(has_closed_form & is_monotone))
    if not len(sampled_measures) or not len(tied):
        return error
    samples = np.empty((len(sampled_measures), tied.policies.samples, len(tied)))
    for sample in range(tied.policies.samples):
        shuffled = tied.shuffle_ties(sample)
        for row, i in enumerate(sampled_measures):
            samples[row, sample] = compute_values(measures[i], shuffled).value
    for values, i in zip(samples, sampled_measures, strict=True):
        if not has_closed_form[i]:
            spread.mean[i] = values.mean(axis=0)
            error[i] = standard_deviations(values).max(initial=0.0) / np.sqrt(len(values))
        if not is_monotone[i]:
            spread.low[i] = np.fmin(spread.low[i], values.min(axis=0))
            spread.high[i] = np.fmax(spread.high[i], values.max(axis=0))
    return error
