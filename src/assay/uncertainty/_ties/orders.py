"""Mean and extremes of values over all orders of tied documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.measures._values import deviation, values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.uncertainty._ties.report import ORDERS
from assay.uncertainty._ties.tied_run import FIXED, TiedRun

_DOCUMENTS = 1 << 19  # in a block of rankings


class OrderValues(NamedTuple):
    """Values and their exactness, as in a report, and for each measure the largest standard error of sampling."""

    values: Floats
    exact: Bools
    error: Floats


class _Spread(NamedTuple):
    """Mean and extremes over all orders of tied documents: measures x rankings."""

    mean: Floats
    low: Floats
    high: Floats


def evaluate_orders(measures: tuple[Measure, ...], runs: list[TiedRun]) -> OrderValues:
    """Add the mean and the extremes over all orders of tied documents to the values in the fixed orders."""
    mixed = Judged.together([run.mixed for run in runs])
    nothing = mixed.only(np.zeros(0, dtype=np.int64))
    closed = np.array([measure.expected(nothing) is not None for measure in measures])
    monotone = np.array([measure.worth(nothing) is not None for measure in measures])
    spread = _find_spread(measures, mixed)
    error = _sample(measures, mixed, spread, closed, monotone)
    fixed = np.stack([run.values for run in runs], axis=2)
    own = fixed[FIXED.index("trec_eval-10")]
    place = np.repeat(np.arange(len(runs)), [len(run.mixed) for run in runs]), mixed.topic
    # The order of trec_eval is one of all: if it or the mean lies beyond the extremes, that is rounding.
    low = np.fmin(np.fmin(spread.low, spread.mean), own[:, *place])
    high = np.fmax(np.fmax(spread.high, spread.mean), own[:, *place])
    over = {"expected": own.copy(), "min": own.copy(), "max": own.copy()}
    for order, value in zip(over, (spread.mean, low, high), strict=True):
        over[order][:, *place] = value
    every = np.stack([over[order] if order in over else fixed[FIXED.index(order)] for order in ORDERS])
    exact = np.ones(every.shape[:2], dtype=bool)
    if len(mixed):  # else there is only one order that matters
        exact[ORDERS.index("expected")] = closed
        exact[ORDERS.index("min")] = exact[ORDERS.index("max")] = monotone
    return OrderValues(every, exact, error)


def _find_spread(measures: tuple[Measure, ...], tied: Judged) -> _Spread:
    """Return means in closed form, and the values with tied documents best first and best last.

    Block by block, so that memory does not grow with the number of runs.
    """
    shape = (len(measures), len(tied))
    spread = _Spread(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan))
    for rankings in _blocks(tied):
        block = tied.only(rankings)
        by_grade = np.arange(1.0 + len(tied.levels))
        for i, measure in enumerate(measures):
            if measure.expected(block) is not None:
                spread.mean[i, rankings] = values(measure, block).value
            worth = measure.worth(block)
            by = by_grade if worth is None else worth
            last, first = (values(measure, block.by_worth(by, best_first=best)).value for best in (False, True))
            # Without a claim of the measure these are two orders like any other.
            spread.low[i, rankings] = last if worth is not None else np.fmin(last, first)
            spread.high[i, rankings] = first if worth is not None else np.fmax(last, first)
    return spread


def _blocks(judged: Judged) -> list[Ints]:
    """Return the numbers of the rankings of each block, which holds about ``_DOCUMENTS`` documents."""
    number = judged.start[1:] // _DOCUMENTS
    return np.split(np.arange(len(judged)), np.flatnonzero(np.diff(number)) + 1) if len(judged) else []


def _sample(measures: tuple[Measure, ...], tied: Judged, spread: _Spread, closed: Bools, monotone: Bools) -> Floats:
    """Fill in the means and extremes that need sampled orders; return the largest standard error for each measure.

    The orders are those that ``evaluate`` draws from the same seed, so the means are the same.
    """
    error = np.zeros(len(measures))
    sampled = np.flatnonzero(~(closed & monotone))
    if not len(sampled) or not len(tied):
        return error
    draws = np.empty((len(sampled), tied.policies.samples, len(tied)))
    for number in range(tied.policies.samples):
        order = tied.shuffled(number)
        for row, i in enumerate(sampled):
            draws[row, number] = values(measures[i], order).value
    for draw, i in zip(draws, sampled, strict=True):
        if not closed[i]:
            spread.mean[i] = draw.mean(axis=0)
            error[i] = deviation(draw).max(initial=0.0) / np.sqrt(len(draw))
        if not monotone[i]:
            spread.low[i] = np.fmin(spread.low[i], draw.min(axis=0))
            spread.high[i] = np.fmax(spread.high[i], draw.max(axis=0))
    return error
