"""Figures that compare runs."""

from __future__ import annotations

from assay import theory
from assay.theory.ranking_order import UNEQUAL
from assay.views.explorer.overview import reject_single_run
from assay.views.explorer.pairs import PairTest, compute_distance, read_pair
from assay.views.explorer.parameters import MAX_INTEGER, Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from assay.views.explorer.value_figures import ComputeData
from assay.views.plots import deciding as _deciding
from assay.views.plots import differences as _differences
from assay.views.plots import med_difference as _med_difference
from assay.views.plots import order as _order
from assay.views.plots import significance as _significance
from assay.views.plots._figures import Data

MAX_COMPARED_RUNS = 60
MAX_ORDERED_RUNS = 40
MAX_DEPTH = 200


def deciding(state: ExplorerState, query: Query) -> ComputeData:
    """Two rankings of a topic side by side."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.integer("depth", 20, 1, MAX_DEPTH)
    topic = topics[0] if topics else None

    def compute() -> Data:
        pair = state.campaign.select((a, b))
        return _deciding.data(pair, measure=str(measure), pair=(a, b), topic=topic, depth=depth)

    return compute


def differences(state: ExplorerState, query: Query) -> ComputeData:
    """Differences of two runs by topic."""
    a, b = read_pair(query)
    test = PairTest(query)
    return lambda: _differences.data(test.compare(state), pair=(a, b))


def med_difference(state: ExplorerState, query: Query) -> ComputeData:
    """Maximized effectiveness distance of two runs by topic."""
    a, b = read_pair(query)
    measure = query.measure(DEFAULT_MEASURES[0])
    depth = query.optional_integer("depth", 1, MAX_INTEGER)
    return lambda: _med_difference.data(compute_distance(state, a, b, measure, depth), unit="topics", pair=(a, b))


def order(state: ExplorerState, query: Query) -> ComputeData:
    """Partial order of the best runs on a topic; every measure of utility agrees with this order."""
    measure = query.measure(DEFAULT_MEASURES[0])
    topics = query.topics(1)
    depth = query.integer("depth", 20, 1, MAX_DEPTH)
    most = query.integer("most", 25, 2, MAX_ORDERED_RUNS)
    unequal = query.choice("unequal", UNEQUAL, UNEQUAL[0])
    reject_single_run(state)

    def compute() -> Data:
        best = state.values(measure).best(measure)[:most]
        report = theory.order(state.campaign.select(best), measure, depth=depth, unequal=unequal)
        return _order.data(report, topic=topics[0] if topics else None, depth=depth, most=most)

    return compute


def significance(state: ExplorerState, query: Query) -> ComputeData:
    """Significance of the differences between all pairs of runs; only the best runs are shown."""
    test = PairTest(query)
    most = query.integer("most", 40, 2, MAX_COMPARED_RUNS)
    reject_single_run(state)
    return lambda: _significance.data(test.compare(state), most=most)
