"""Figures of the values of measures."""

from __future__ import annotations

from collections.abc import Callable

from assay.meta._correlate import correlate
from assay.views.explorer.metadata import CONFIDENCE
from assay.views.explorer.overview import reject_single_run
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from assay.views.plots import balancing as _balancing
from assay.views.plots import boxes as _boxes
from assay.views.plots import correlation as _correlation
from assay.views.plots import heatmap as _heatmap
from assay.views.plots import leaderboard as _leaderboard
from assay.views.plots import rbp_bounds as _rbp_bounds
from assay.views.plots import topic_spread as _topic_spread
from assay.views.plots._figures import Data

ComputeData = Callable[[], Data]
"""Function that computes the data of a figure, after its parameters have been checked."""
MAX_RUNS = 1_000
MAX_MARKED = 8
MAX_BOUNDED_MEASURES = 2
LENGTHS = 200


def balancing(_state: ExplorerState, query: Query) -> ComputeData:
    """Balancing indices of a few measures, for rankings of up to *n* documents."""
    measures = query.measures(_balancing.MEASURES, 8)
    longest = query.integer("n", LENGTHS, 2, 500)
    return lambda: _balancing.data(measures=measures, sizes=_choose_lengths(longest))


def _choose_lengths(longest: int) -> list[int]:
    """Return about fifty lengths up to *longest*; more points would take long and could not be distinguished."""
    step = -(-longest // 50)
    return sorted({1, *range(step, longest + 1, step), longest})


def boxes(state: ExplorerState, query: Query) -> ComputeData:
    """Box plots of several measures, over runs or over topics."""
    measures = query.measures(DEFAULT_MEASURES)
    unit = query.choice("unit", _boxes.UNITS, _boxes.UNITS[0])
    return lambda: _boxes.data(state.values(measures), measures=map(str, measures), unit=unit)


def correlation(state: ExplorerState, query: Query) -> ComputeData:
    """Kendall's tau between the orders of runs by several measures."""
    measures = query.measures(DEFAULT_MEASURES)
    order = query.choice("order", _correlation.ORDERS, "alike")
    reject_single_run(state)
    return lambda: _correlation.data(correlate(state.values(measures)), order=order)


def heatmap(state: ExplorerState, query: Query) -> ComputeData:
    """Values of one measure for all runs and topics."""
    measure = query.measure(DEFAULT_MEASURES[0])
    most = query.optional_integer("most", 1, MAX_RUNS)
    return lambda: _heatmap.data(state.values(measure), measure=str(measure), most=most)


def leaderboard(state: ExplorerState, query: Query) -> ComputeData:
    """Leaderboard by one measure."""
    measure = query.measure(DEFAULT_MEASURES[0])
    confidence = query.fraction("confidence", CONFIDENCE)
    most = query.integer("most", 40, 1, MAX_RUNS)
    return lambda: _leaderboard.data(state.values(measure), measure=str(measure), confidence=confidence, most=most)


def rbp_bounds(state: ExplorerState, query: Query) -> ComputeData:
    """Bounds of the value of each run."""
    measures = query.measures(("RBP(p=0.8)",), MAX_BOUNDED_MEASURES)
    return lambda: _rbp_bounds.data(state.campaign.without_cache(), measures=measures)


def topic_spread(state: ExplorerState, query: Query) -> ComputeData:
    """Spread of the values of all runs on each topic; selected runs are marked."""
    measure = query.measure(DEFAULT_MEASURES[0])
    runs = query.runs(most=MAX_MARKED)
    return lambda: _topic_spread.data(state.values(measure), measure=str(measure), mark=runs or None)
