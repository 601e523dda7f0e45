"""Figures of effort: points, curves, archetypes; what a request asks for, and what makes the data."""

from __future__ import annotations

import polars as pl

from assay.effort.curve import REFERENCES
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.effort import CURVE_GAIN, Chosen, curve_of, curve_parameters, gain_of, grid, points
from assay.views.explorer.parameters import LARGEST_WHOLE, Query
from assay.views.explorer.value_figures import MOST_RUNS, Make
from assay.views.plots import archetypes as _archetypes
from assay.views.plots import census as _census
from assay.views.plots import crp as _crp
from assay.views.plots import crp_aggregate as _crp_aggregate
from assay.views.plots import crp_dcg as _crp_dcg
from assay.views.plots import crp_topic as _crp_topic
from assay.views.plots import recovery as _recovery

MOST_CURVES = 8


def archetypes(of: Campaign, _query: Query) -> Make:
    """A typical curve of each kind."""
    return lambda: _archetypes.shaped(of.ready, of.effort)


def census(of: Campaign, query: Query) -> Make:
    """How many curves are of each kind, of all runs and of each."""
    most = query.whole("most", 40, 1, MOST_RUNS)
    return lambda: _census.shaped(of.effort, most)


def crp(of: Campaign, query: Query) -> Make:
    """Of up to eight runs on a topic."""
    topic, runs = query.topic(), query.runs(most=MOST_CURVES)
    depth = query.maybe_whole("depth", 1, LARGEST_WHOLE)
    curves, bar = query.some("curves", REFERENCES), query.choice("bar", _crp.BARS, _crp.BARS[0])
    chosen = runs or list(of.runs[:1])

    def make() -> pl.DataFrame:
        return _crp.shaped({run: curve_of(of, run, topic, "DCG") for run in chosen}, topic, curves, bar, depth)

    return make


def crp_aggregate(of: Campaign, query: Query) -> Make:
    """The indicators of one run over topics."""
    run = query.run()
    return lambda: _crp_aggregate.shaped(of.effort, run)


def crp_dcg(of: Campaign, query: Query) -> Make:
    """One ranking: its curves over the same ranks."""
    run, topic, gain, depth = curve_parameters(query)
    return lambda: _crp_dcg.shaped(curve_of(of, run, topic, gain), run, topic, gain, depth)


def crp_topic(of: Campaign, query: Query) -> Make:
    """All runs on a topic."""
    topic = query.topic()
    order = query.measure(DEFAULT_MEASURES[0], "order")
    return lambda: _crp_topic.shaped(of.ready, topic, str(order))


def effort_gain(of: Campaign, query: Query) -> Make:
    """Every point, or some."""
    gain, chosen = gain_of(query), Chosen(query)
    return lambda: chosen.of(points(of, grid(of, gain)))


def recovery(of: Campaign, query: Query) -> Make:
    """One ranking beside its full-scale ranking."""
    run, topic = query.run(), query.topic()
    return lambda: _recovery.shaped(curve_of(of, run, topic, CURVE_GAIN), run, topic)
