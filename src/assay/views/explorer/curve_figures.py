"""Figures of effort: points, curves and archetypes."""

from __future__ import annotations

from assay.effort._curve import REFERENCES
from assay.views.explorer.effort import (
    CURVE_GAIN,
    PointFilter,
    classify_points,
    compute_curves,
    read_curve,
    read_gain,
    tabulate_points,
)
from assay.views.explorer.parameters import MAX_INTEGER, Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from assay.views.explorer.value_figures import MAX_RUNS, ComputeData
from assay.views.plots import archetypes as _archetypes
from assay.views.plots import census as _census
from assay.views.plots import crp as _crp
from assay.views.plots import crp_aggregate as _crp_aggregate
from assay.views.plots import crp_dcg as _crp_dcg
from assay.views.plots import crp_topic as _crp_topic
from assay.views.plots import recovery as _recovery
from assay.views.plots._figures import Data

MAX_CURVES = 8


def archetypes(state: ExplorerState, _query: Query) -> ComputeData:
    """A typical curve of each archetype."""
    return lambda: _archetypes.data(state.effort)


def census(state: ExplorerState, query: Query) -> ComputeData:
    """Number of curves of each archetype, over all runs and for each run."""
    most = query.integer("most", 40, 1, MAX_RUNS)
    return lambda: _census.data(state.effort, most=most)


def crp(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of up to eight runs on a topic."""
    topic, runs = query.topic(), query.runs(most=MAX_CURVES)
    depth = query.optional_integer("depth", 1, MAX_INTEGER)
    curves, bar = query.choices("curves", REFERENCES), query.choice("bar", _crp.BARS, _crp.BARS[0])
    selected = runs or list(state.campaign.runs[:1])
    return lambda: _crp.data(compute_curves(state, topic, selected, CURVE_GAIN, depth), curves=curves, bar=bar)


def crp_aggregate(state: ExplorerState, query: Query) -> ComputeData:
    """Indicators of one run over topics."""
    run = query.run()
    return lambda: _crp_aggregate.data(state.effort, run=run)


def crp_dcg(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of CRP and DCG of one ranking, by rank."""
    run, topic, gain, depth = read_curve(query)
    return lambda: _crp_dcg.data(compute_curves(state, topic, [run], gain, depth), gain=gain)


def crp_topic(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of all runs on a topic."""
    topic = query.topic()
    order = query.measure(DEFAULT_MEASURES[0], "order")
    return lambda: _crp_topic.data(state.campaign, topic=topic, order=str(order))


def effort_gain(state: ExplorerState, query: Query) -> ComputeData:
    """Effort and gain of all runs and topics, or of selected ones."""
    gain, point_filter = read_gain(query), PointFilter(query)
    return lambda: Data(point_filter.apply(tabulate_points(classify_points(state, gain))))


def recovery(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of one ranking and of its full-scale ranking."""
    run, topic = query.run(), query.topic()
    return lambda: _recovery.data(compute_curves(state, topic, [run], CURVE_GAIN))
