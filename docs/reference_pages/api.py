"""JSON API of the explorer: every route with its parameters and its response."""

from __future__ import annotations

import json
from functools import cache

from starlette.exceptions import HTTPException

from assay.views.explorer.app import API
from assay.views.explorer.figures import FIGURES
from assay.views.explorer.responses import error_json, to_json
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from assay.views.plots._figures import figures
from assay.views.plots._style import PALETTES
from assay.views.plots._theme import THEMES
from reference_pages._docstrings import read_summary
from reference_pages._json_shape import render_shape
from reference_pages._markdown import format_code, format_code_list, render_block, render_table
from reference_pages._requests import HEADER, RecordingRequest
from reference_pages._sample import read_sample

TITLE = "JSON API of the explorer"
ABOUT = "the routes of `assay explore` under `/api/`, with their parameters and the shape of their responses"
_HEAD = """\
How can a program read the data of the explorer? `assay explore QRELS RUN...` serves HTML pages. It also serves the data
of these pages as JSON under `/api/`. All routes use GET with parameters in the query string. Unknown parameters are
errors. Numbers that are not finite are `null`. Responses have an `ETag`. They are compressed if the client accepts
gzip. An error is an object with the status code and a message:
"""
_SHAPES = """\
Each section shows the shape of the response: the keys of objects and the type of each value. A list is written as
`[...]` around the shape of its items. `RUN` and `MEASURE` stand for the names of runs and measures.
"""
_STATUS = {
    400: "a parameter is missing, unknown or out of range; the message names the parameter and its valid values",
    403: "the request comes from a page of another site",
    404: "unknown address",
    405: "only GET and HEAD are allowed",
    414: "the address is too long",
    421: "unknown host name",
    503: "too many requests, or the computation takes too long; `Retry-After` is the number of seconds to wait",
}
_FIGURES = """\
## /api/figures/{figure}

This route returns a figure as a Vega-Lite specification without a theme. `/api/themes` returns the themes.
`/api/figures/{figure}.csv` returns the data of the figure ([Figures](plots.md) lists the columns).

Every figure has these parameters:
"""


def render_page() -> str:
    """Return the page."""
    error = json.loads(error_json(HTTPException(400, "there is no run 'bm52'; did you mean bm25?")))
    statuses = render_table(("status", "cause"), ((str(status), cause) for status, cause in _STATUS.items()))
    sections = (_render_route(name) for name in API)
    return "\n".join([_HEAD, render_block(json.dumps(error), "json"), statuses, _SHAPES, *sections, *_render_figures()])


def _render_route(name: str) -> str:
    request = RecordingRequest(_build_state())
    response = json.loads(to_json(API[name](_build_state(), request)))
    names = {"RUN": _build_state().campaign.runs, "MEASURE": DEFAULT_MEASURES}
    # The documentation of Vega describes the keys of a theme.
    themes = f"{{{', '.join(f'{theme}: {{...}}' for theme in THEMES)}}}"
    shape = themes if name == "themes" else render_shape(response, names)
    return f"## /api/{name}\n\n{read_summary(API[name])}\n\n{request.to_table()}\n{render_block(shape)}"


def _render_figures() -> list[str]:
    palettes = (format_code("palette"), f"one of {format_code_list(PALETTES)}", format_code(next(iter(PALETTES))))
    parts = [_FIGURES, render_table(HEADER, [palettes, (format_code("width"), "whole number from 200 to 4000", "")])]
    for name, parameters in FIGURES.items():
        request = RecordingRequest(_build_state())
        parameters(_build_state(), request)
        about = f"{figures()[name].title}. {read_summary(parameters)}\n"
        parts += [f"### /api/figures/{name}\n", about, request.to_table()]
    return parts


@cache
def _build_state() -> ExplorerState:
    return ExplorerState(read_sample())
