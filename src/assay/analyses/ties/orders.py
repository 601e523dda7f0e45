"""The mean and the extremes over all orders of tied documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.analyses.ties.one_run import FIXED, OneRun, valued
from assay.analyses.ties.report import ORDERS
from assay.measures import Measure
from assay.measures._values import deviation, values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged

_DOCUMENTS = 1 << 19  # of rankings looked at together


class Over(NamedTuple):
    """The values and whether they are exact, as in a report, and for each measure the largest error of sampling."""

    values: Floats
    exact: Bools
    error: Floats


class _Spread(NamedTuple):
    """The mean and the extremes over all orders of tied documents: measures x rankings."""

    mean: Floats
    low: Floats
    high: Floats


def over_orders(chosen: tuple[Measure, ...], found: list[OneRun]) -> Over:
    """The mean and the extremes over all orders of tied documents, where these matter, beside the fixed orders."""
    mixed = Judged.together([one.mixed for one in found])
    nothing = mixed.only(np.zeros(0, dtype=np.int64))
    closed = np.array([measure.expected(nothing) is not None for measure in chosen])
    monotone = np.array([measure.worth(nothing) is not None for measure in chosen])
    spread = _arranged(chosen, mixed)
    error = _drawn(chosen, mixed, spread, closed, monotone)
    fixed = _fixed(chosen, found, mixed)
    own = fixed[FIXED.index("trec_eval-10")]
    place = np.repeat(np.arange(len(found)), [len(one.mixed) for one in found]), mixed.topic
    # The order of trec_eval is one of all; that it or the mean lies beyond the extremes can only be rounding.
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
    return Over(every, exact, error)


def _fixed(chosen: tuple[Measure, ...], found: list[OneRun], longest: Judged) -> Floats:
    """Orders x measures x runs x topics; what depends on the longest ranking of all runs is computed only now."""
    fixed = np.stack([one.values for one in found], axis=2)
    waiting = [i for i, measure in enumerate(chosen) if measure.core.uses_max_depth]
    if waiting:
        depths = longest.longest, longest.longest_condensed
        for number, run in enumerate(found):
            orders = {order: judged.sized(*depths) for order, judged in run.orders.items()}
            fixed[:, waiting, number] = valued(tuple(chosen[i] for i in waiting), orders)
    return fixed


def _arranged(chosen: tuple[Measure, ...], tied: Judged) -> _Spread:
    """Means in closed form, and the values with tied documents best first and best last.

    Some rankings at a time, so that memory does not grow with the number of runs.
    """
    shape = (len(chosen), len(tied))
    spread = _Spread(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan))
    for some_rankings in _pieces(tied):
        piece = tied.only(some_rankings)
        by_grade = np.arange(1.0 + len(tied.levels))
        for i, measure in enumerate(chosen):
            if measure.expected(piece) is not None:
                spread.mean[i, some_rankings] = values(measure, piece).value
            worth = measure.worth(piece)
            by = by_grade if worth is None else worth
            last, first = (values(measure, piece.by_worth(by, best_first=best)).value for best in (False, True))
            # Where nothing is known of the measure these are two orders like others.
            spread.low[i, some_rankings] = last if worth is not None else np.fmin(last, first)
            spread.high[i, some_rankings] = first if worth is not None else np.fmax(last, first)
    return spread


def _pieces(judged: Judged) -> list[Ints]:
    """Rankings that together hold about a number of documents."""
    number = judged.start[1:] // _DOCUMENTS
    return np.split(np.arange(len(judged)), np.flatnonzero(np.diff(number)) + 1) if len(judged) else []


def _drawn(chosen: tuple[Measure, ...], tied: Judged, spread: _Spread, closed: Bools, monotone: Bools) -> Floats:
    """Fill in what only random orders can tell; the largest standard error of the mean for each measure.

    The orders are those that ``evaluate`` draws from the same seed, so the means are the same.
    """
    error = np.zeros(len(chosen))
    sampled = np.flatnonzero(~(closed & monotone))
    if not len(sampled) or not len(tied):
        return error
    draws = np.empty((len(sampled), tied.policies.samples, len(tied)))
    for number in range(tied.policies.samples):
        order = tied.shuffled(number)
        for row, i in enumerate(sampled):
            draws[row, number] = values(chosen[i], order).value
    for draw, i in zip(draws, sampled, strict=True):
        if not closed[i]:
            spread.mean[i] = draw.mean(axis=0)
            error[i] = deviation(draw).max(initial=0.0) / np.sqrt(len(draw))
        if not monotone[i]:
            spread.low[i] = np.fmin(spread.low[i], draw.min(axis=0))
            spread.high[i] = np.fmax(spread.high[i], draw.max(axis=0))
    return error
