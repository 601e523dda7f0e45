"""Figures, drawn by the modules of ``views.plots`` from the campaign in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException

from assay import theory
from assay.effort._curve import REFERENCES
from assay.errors import suggestion
from assay.meta._correlate import correlate
from assay.theory.ranking_order import UNEQUAL
from assay.views.explorer.effort import (
    CURVE_GAIN,
    classify_points,
    compute_curves,
    read_curve,
    read_gain,
    read_point_filter,
)
from assay.views.explorer.overview import reject_single_run
from assay.views.explorer.pairs import PairTest, compute_distance, separation
from assay.views.explorer.parameters import Query
from assay.views.explorer.responses import CSV, JSON, Content, to_json
from assay.views.explorer.state import CONFIDENCE, DEFAULT_MEASURES, ExplorerState
from assay.views.plots import (
    archetypes,
    balancing,
    boxes,
    census,
    correlation,
    crp,
    crp_aggregate,
    crp_dcg,
    crp_topic,
    deciding,
    differences,
    effort_gain,
    heatmap,
    leaderboard,
    med_difference,
    order,
    rbp_bounds,
    recovery,
    significance,
    topic_spread,
)
from assay.views.plots._export import specification
from assay.views.plots._figures import Data, figure
from assay.views.plots._style import PALETTES, Style
from assay.views.plots._theme import THEMES, config

MAX_RUNS = 1_000
MAX_COMPARED_RUNS = 60
MAX_ORDERED_RUNS = 40
MAX_CURVES = 8
MAX_MARKED = 8
MAX_BALANCED_MEASURES = 8
MAX_BOUNDED_MEASURES = 2
MAX_DEPTH = 200
LENGTHS = 200

ComputeData = Callable[[], Data]
"""Function that computes the data of a figure, after its parameters have been checked."""


def _archetypes(state: ExplorerState, _query: Query) -> ComputeData:
    """A typical curve of each archetype."""
    return lambda: archetypes.data(state.effort)


def _balancing(_state: ExplorerState, query: Query) -> ComputeData:
    """Balancing indices of a few measures, for rankings of up to *n* documents."""
    measures = query.measures(balancing.MEASURES, MAX_BALANCED_MEASURES)
    longest = query.integer("n", LENGTHS, 2, 500)
    step = -(-longest // 50)  # More than about fifty points would take long and could not be distinguished.
    lengths = sorted({1, *range(step, longest + 1, step), longest})
    return lambda: balancing.data(measures=measures, sizes=lengths)


def _boxes(state: ExplorerState, query: Query) -> ComputeData:
    """Box plots of several measures, over runs or over topics."""
    measures = query.measures(DEFAULT_MEASURES)
    unit = query.choice("unit", boxes.UNITS, boxes.UNITS[0])
    return lambda: boxes.data(state.values(measures), measures=map(str, measures), unit=unit)


def _census(state: ExplorerState, query: Query) -> ComputeData:
    """Number of curves of each archetype, over all runs and for each run."""
    most = query.integer("most", 40, 1, MAX_RUNS)
    return lambda: census.data(state.effort, most=most)


def _correlation(state: ExplorerState, query: Query) -> ComputeData:
    """Kendall's tau between the orders of runs by several measures."""
    measures = query.measures(DEFAULT_MEASURES)
    sort = query.choice("order", correlation.ORDERS, "alike")
    reject_single_run(state)
    return lambda: correlation.data(correlate(state.values(measures)), order=sort)


def _crp(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of up to eight runs on a topic."""
    topic, runs, depth = query.topic(), query.runs(most=MAX_CURVES), query.depth()
    curves, bar = query.choices("curves", REFERENCES), query.choice("bar", crp.BARS, crp.BARS[0])
    selected = runs or list(state.campaign.runs[:1])
    return lambda: crp.data(compute_curves(state, topic, selected, CURVE_GAIN, depth), curves=curves, bar=bar)


def _crp_aggregate(state: ExplorerState, query: Query) -> ComputeData:
    """Indicators of one run over topics."""
    run = query.run()
    return lambda: crp_aggregate.data(state.effort, run=run)


def _crp_dcg(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of CRP and DCG of one ranking, by rank."""
    run, topic, gain, depth = read_curve(query)
    return lambda: crp_dcg.data(compute_curves(state, topic, [run], gain, depth), gain=gain)


def _crp_topic(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of all runs on a topic."""
    topic, measure = query.topic(), query.measure(name="order")
    return lambda: crp_topic.data(state.campaign, topic=topic, order=str(measure))


def _deciding(state: ExplorerState, query: Query) -> ComputeData:
    """Two rankings of a topic side by side."""
    pair, measure, topic = query.pair(), query.measure(), query.optional_topic()
    depth = query.integer("depth", 20, 1, MAX_DEPTH)
    campaign = state.campaign
    return lambda: deciding.data(campaign.select(pair), measure=str(measure), pair=pair, topic=topic, depth=depth)


def _differences(state: ExplorerState, query: Query) -> ComputeData:
    """Differences of two runs by topic."""
    pair, test = query.pair(), PairTest(query)
    return lambda: differences.data(test.compare(state), pair=pair)


def _effort_gain(state: ExplorerState, query: Query) -> ComputeData:
    """Effort and gain of all runs and topics, or of selected ones."""
    gain, is_selected = read_gain(query), read_point_filter(query)
    return lambda: Data(effort_gain.data(classify_points(state, gain)).frame.filter(is_selected))


def _heatmap(state: ExplorerState, query: Query) -> ComputeData:
    """Values of one measure for all runs and topics."""
    measure = query.measure()
    most = query.optional_integer("most", 1, MAX_RUNS)
    return lambda: heatmap.data(state.values(measure), measure=str(measure), most=most)


def _leaderboard(state: ExplorerState, query: Query) -> ComputeData:
    """Leaderboard by one measure."""
    measure = query.measure()
    confidence = query.fraction("confidence", CONFIDENCE)
    most = query.integer("most", 40, 1, MAX_RUNS)
    return lambda: leaderboard.data(state.values(measure), measure=str(measure), confidence=confidence, most=most)


def _med_difference(state: ExplorerState, query: Query) -> ComputeData:
    """Maximized effectiveness distance of two runs by topic."""
    pair, measure, depth = query.pair(), query.measure(), query.depth()
    return lambda: med_difference.data(compute_distance(state, pair, measure, depth), unit="topics", pair=pair)


def _order(state: ExplorerState, query: Query) -> ComputeData:
    """Partial order of the best runs on a topic; measures that satisfy the axioms never contradict it."""
    measure, topic = query.measure(), query.optional_topic()
    depth = query.integer("depth", 20, 1, MAX_DEPTH)
    most = query.integer("most", 25, 2, MAX_ORDERED_RUNS)
    unequal = query.choice("unequal", UNEQUAL, UNEQUAL[0])
    reject_single_run(state)

    def compute() -> Data:
        best = state.values(measure).best(measure)[:most]
        report = theory.order(state.campaign.select(best), measure, depth=depth, unequal=unequal)
        return order.data(report, topic=topic, depth=depth, most=most)

    return compute


def _rbp_bounds(state: ExplorerState, query: Query) -> ComputeData:
    """Bounds of the value of each run."""
    measures = query.measures(("RBP(p=0.8)",), MAX_BOUNDED_MEASURES)
    return lambda: rbp_bounds.data(state.campaign.without_cache(), measures=measures)


def _recovery(state: ExplorerState, query: Query) -> ComputeData:
    """Curves of one ranking and of its full-scale ranking."""
    run, topic = query.run(), query.topic()
    return lambda: recovery.data(compute_curves(state, topic, [run], CURVE_GAIN))


def _significance(state: ExplorerState, query: Query) -> ComputeData:
    """Significance of the differences between all pairs of runs; only the best runs are shown."""
    test, most = PairTest(query), query.integer("most", 40, 2, MAX_COMPARED_RUNS)
    reject_single_run(state)
    return lambda: significance.data(test.compare(state), most=most)


def _topic_spread(state: ExplorerState, query: Query) -> ComputeData:
    """Spread of the values of all runs on each topic; selected runs are marked."""
    measure, runs = query.measure(), query.runs(most=MAX_MARKED)
    return lambda: topic_spread.data(state.values(measure), measure=str(measure), mark=runs or None)


FIGURES: dict[str, Callable[[ExplorerState, Query], ComputeData]] = {
    "archetypes": _archetypes,
    "balancing": _balancing,
    "boxes": _boxes,
    "census": _census,
    "correlation": _correlation,
    "crp": _crp,
    "crp-aggregate": _crp_aggregate,
    "crp-dcg": _crp_dcg,
    "crp-topic": _crp_topic,
    "deciding": _deciding,
    "differences": _differences,
    "effort-gain": _effort_gain,
    "heatmap": _heatmap,
    "leaderboard": _leaderboard,
    "med-difference": _med_difference,
    "order": _order,
    "rbp-bounds": _rbp_bounds,
    "recovery": _recovery,
    "significance": _significance,
    "topic-spread": _topic_spread,
}
"""By figure: a function that reads its parameters and returns a function that computes its data."""
SLOW_FIGURES = ("med-difference", "order", "rbp-bounds", "significance")
"""Figures that may take seconds."""


def prepare(state: ExplorerState) -> None:
    """Compute the content of the first page and import its modules, so that the first request is fast."""
    state.prepare()
    first_page = ["leaderboard", "census"]
    if len(state.campaign.runs) > 1:
        separation(state, Query(b"", state))
        first_page.append("correlation")
    for name in first_page:
        render(state, name, Query(b"", state))


def render(state: ExplorerState, path: str, query: Query) -> Content:
    """Return a figure as Vega-Lite without a theme, or its data if the name ends with ``.csv``."""
    name, dot, ending = path.partition(".")
    if name not in FIGURES or (dot and ending != "csv"):
        raise HTTPException(404, f"there is no figure {path[:80]!r}{suggestion(name[:80], FIGURES)}")
    palette = query.choice("palette", PALETTES, next(iter(PALETTES)))
    width = query.optional_integer("width", 200, 4000)
    compute = FIGURES[name](state, query)
    query.reject_unknown_parameters()
    frame = compute().frame
    if dot:
        return Content.of(frame.write_csv(null_value="").encode(), CSV, f"{name}.csv")
    return Content.of(to_json(specification(figure(name).draw(frame, Style(palette, width)), checked=False)), JSON)


def themes(_state: ExplorerState, query: Query) -> dict[str, Any]:
    """Configurations of Vega for light and dark pages."""
    query.reject_unknown_parameters()
    return {theme: config(theme, background=False) for theme in THEMES}
