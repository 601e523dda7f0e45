"""Figures that compare runs: what a request asks for, and what makes the data."""

from __future__ import annotations

import polars as pl

from assay.theory.order import UNEQUAL, ordered
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.overview import refuse_one_run
from assay.views.explorer.pairs import Test, distance_of, two
from assay.views.explorer.parameters import LARGEST_WHOLE, Query
from assay.views.explorer.value_figures import Make
from assay.views.plots import deciding as _deciding
from assay.views.plots import differences as _differences
from assay.views.plots import med_difference as _med_difference
from assay.views.plots import order as _order
from assay.views.plots import significance as _significance

MOST_COMPARED = 60
MOST_ORDERED = 40
DEEPEST = 200


def deciding(of: Campaign, query: Query) -> Make:
    """Two rankings of a topic side by side."""
    a, b = two(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.whole("depth", 20, 1, DEEPEST)
    topic = topics[0] if topics else None
    return lambda: _deciding.shaped(of.rankings, of.values(measure), a, b, topic=topic, depth=depth)


def differences(of: Campaign, query: Query) -> Make:
    """Of two runs, by topic."""
    a, b = two(query)
    test = Test(query)
    return lambda: _differences.shaped(test.compare(of), a, b)


def med_difference(of: Campaign, query: Query) -> Make:
    """Of two runs, by topic."""
    a, b = two(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    depth = query.maybe_whole("depth", 1, LARGEST_WHOLE)
    return lambda: _med_difference.shaped(distance_of(of, a, b, measure, depth), "topics", (a, b))


def order(of: Campaign, query: Query) -> Make:
    """Which of the best runs are better than others on a topic whatever the measure."""
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.whole("depth", 20, 1, DEEPEST)
    most = query.whole("most", 25, 2, MOST_ORDERED)
    unequal = query.choice("unequal", UNEQUAL, UNEQUAL[0])
    refuse_one_run(of)

    def make() -> pl.DataFrame:
        best = of.values(measure).best(measure)[:most]
        report = ordered(of.some(best), (measure,), depth=depth, unequal=unequal)
        return _order.shaped(report, topics[0] if topics else None, depth, most)

    return make


def significance(of: Campaign, query: Query) -> Make:
    """All pairs of runs are compared; the best runs are shown."""
    test = Test(query)
    most = query.whole("most", 40, 2, MOST_COMPARED)
    refuse_one_run(of)
    return lambda: _significance.shaped(test.compare(of), most)
