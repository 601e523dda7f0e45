"""Figures that compare runs."""

from __future__ import annotations

from assay import theory
from assay.theory.ranking_order import UNEQUAL
from assay.views.explorer.overview import refuse_one_run
from assay.views.explorer.pairs import PairTest, compute_distance, read_pair
from assay.views.explorer.parameters import LARGEST_WHOLE, Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from assay.views.explorer.value_figures import Make
from assay.views.plots import deciding as _deciding
from assay.views.plots import differences as _differences
from assay.views.plots import med_difference as _med_difference
from assay.views.plots import order as _order
from assay.views.plots import significance as _significance
from assay.views.plots._figures import Data

MOST_COMPARED = 60
MOST_ORDERED = 40
DEEPEST = 200


def deciding(state: ExplorerState, query: Query) -> Make:
    """Two rankings of a topic side by side."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.whole("depth", 20, 1, DEEPEST)
    topic = topics[0] if topics else None

    def make() -> Data:
        pair = state.campaign.select((a, b))
        return _deciding.data(pair, measure=str(measure), pair=(a, b), topic=topic, depth=depth)

    return make


def differences(state: ExplorerState, query: Query) -> Make:
    """Differences of two runs by topic."""
    a, b = read_pair(query)
    test = PairTest(query)
    return lambda: _differences.data(test.compare(state), pair=(a, b))


def med_difference(state: ExplorerState, query: Query) -> Make:
    """Maximized effectiveness distance of two runs by topic."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    depth = query.maybe_whole("depth", 1, LARGEST_WHOLE)
    return lambda: _med_difference.data(compute_distance(state, a, b, measure, depth), unit="topics", pair=(a, b))


def order(state: ExplorerState, query: Query) -> Make:
    """Partial order of the best runs on a topic, with which every measure of utility agrees."""
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.whole("depth", 20, 1, DEEPEST)
    most = query.whole("most", 25, 2, MOST_ORDERED)
    unequal = query.choice("unequal", UNEQUAL, UNEQUAL[0])
    refuse_one_run(state)

    def make() -> Data:
        best = state.values(measure).best(measure)[:most]
        report = theory.order(state.campaign.select(best), measure, depth=depth, unequal=unequal)
        return _order.data(report, topic=topics[0] if topics else None, depth=depth, most=most)

    return make


def significance(state: ExplorerState, query: Query) -> Make:
    """Significance of the differences between all pairs of runs; the best runs are shown."""
    test = PairTest(query)
    most = query.whole("most", 40, 2, MOST_COMPARED)
    refuse_one_run(state)
    return lambda: _significance.data(test.compare(state), most=most)
