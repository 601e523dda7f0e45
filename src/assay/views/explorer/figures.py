"""Figures, drawn by the modules of ``views.plots`` from the campaign in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException

from assay.errors import suggestion
from assay.views.explorer import curve_figures as curves
from assay.views.explorer import pair_figures as pairs
from assay.views.explorer import value_figures as values
from assay.views.explorer.pairs import separation
from assay.views.explorer.parameters import Query
from assay.views.explorer.responses import CSV, JSON, Content, to_json
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.value_figures import ComputeData
from assay.views.plots._export import specification
from assay.views.plots._figures import figure
from assay.views.plots._style import PALETTES, THEMES, Style, config

FIGURES: dict[str, Callable[[ExplorerState, Query], ComputeData]] = {
    "archetypes": curves.archetypes,
    "balancing": values.balancing,
    "boxes": values.boxes,
    "census": curves.census,
    "correlation": values.correlation,
    "crp": curves.crp,
    "crp-aggregate": curves.crp_aggregate,
    "crp-dcg": curves.crp_dcg,
    "crp-topic": curves.crp_topic,
    "deciding": pairs.deciding,
    "differences": pairs.differences,
    "effort-gain": curves.effort_gain,
    "heatmap": values.heatmap,
    "leaderboard": values.leaderboard,
    "med-difference": pairs.med_difference,
    "order": pairs.order,
    "rbp-bounds": values.rbp_bounds,
    "recovery": curves.recovery,
    "significance": pairs.significance,
    "topic-spread": values.topic_spread,
}
"""By figure: a function that reads its parameters and returns a function that computes its data."""
SLOW_FIGURES = ("med-difference", "order", "rbp-bounds", "significance")
"""Figures that may take seconds."""

FIRST_PAGE = ("leaderboard", "census", "correlation")
"""Figures of the first page."""


def prepare(state: ExplorerState) -> None:
    """Compute the content of the first page and import its modules, so that the first request is fast."""
    state.prepare()
    if len(state.campaign.runs) > 1:
        separation(state, Query(b"", state))
    for name in FIRST_PAGE if len(state.campaign.runs) > 1 else FIRST_PAGE[:2]:
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
