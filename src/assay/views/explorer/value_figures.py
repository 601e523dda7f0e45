"""Figures of the values of measures: what a request asks for, and what makes the data."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from assay.meta.correlation import correlated
from assay.uncertainty.bounding import bounded
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.metadata import CONFIDENCE
from assay.views.explorer.overview import refuse_one_run
from assay.views.explorer.parameters import Query
from assay.views.plots import balancing as _balancing
from assay.views.plots import boxes as _boxes
from assay.views.plots import correlation as _correlation
from assay.views.plots import heatmap as _heatmap
from assay.views.plots import leaderboard as _leaderboard
from assay.views.plots import rbp_bounds as _rbp_bounds
from assay.views.plots import topic_spread as _topic_spread

Make = Callable[[], pl.DataFrame]
"""Makes the data of a figure, once its parameters have been read."""
MOST_RUNS = 1_000
MOST_MARKED = 8
MOST_BOUNDED = 2
LENGTHS = 200


def balancing(_of: Campaign, query: Query) -> Make:
    """Of a few measures, for rankings of up to so many documents."""
    measures = query.measures(_balancing.MEASURES, 8)
    longest = query.whole("n", LENGTHS, 2, 500)
    return lambda: _balancing.data(measures=measures, sizes=_spread(longest)).frame


def _spread(longest: int) -> list[int]:
    """At most fifty lengths: all of them would take long, and nobody could tell them apart."""
    step = -(-longest // 50)
    return sorted({1, *range(step, longest + 1, step), longest})


def boxes(of: Campaign, query: Query) -> Make:
    """Of several measures, over runs or over topics."""
    measures = query.measures(DEFAULT_MEASURES)
    unit = query.choice("unit", _boxes.UNITS, _boxes.UNITS[0])
    return lambda: _boxes.shaped(of.values(measures), unit)


def correlation(of: Campaign, query: Query) -> Make:
    """Of several measures."""
    measures = query.measures(DEFAULT_MEASURES)
    order = query.choice("order", _correlation.ORDERS, "alike")
    refuse_one_run(of)
    return lambda: _correlation.shaped(correlated(of.values(measures)), order)


def heatmap(of: Campaign, query: Query) -> Make:
    """Every value of one measure."""
    measure = query.measure(DEFAULT_MEASURES[0])
    most = query.maybe_whole("most", 1, MOST_RUNS)
    return lambda: _heatmap.shaped(of.values(measure), most)


def leaderboard(of: Campaign, query: Query) -> Make:
    """By one measure."""
    measure = query.measure(DEFAULT_MEASURES[0])
    confidence = query.share("confidence", CONFIDENCE)
    most = query.whole("most", 40, 1, MOST_RUNS)
    return lambda: _leaderboard.shaped(of.values(measure), confidence, most)


def rbp_bounds(of: Campaign, query: Query) -> Make:
    """The band in which the value of each run lies."""
    measures = query.measures(("RBP(p=0.8)",), MOST_BOUNDED)
    return lambda: _rbp_bounds.shaped(bounded(of.afresh(), measures))


def topic_spread(of: Campaign, query: Query) -> Make:
    """How a measure is spread over runs, topic by topic, with some runs marked."""
    measure = query.measure(DEFAULT_MEASURES[0])
    runs = query.runs(most=MOST_MARKED)
    return lambda: _topic_spread.shaped(of.values(measure), runs or None)
