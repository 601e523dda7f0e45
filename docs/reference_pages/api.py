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
from assay.views.plots._style import PALETTES, THEMES
from reference_pages._docstrings import summary
from reference_pages._markdown import block, code, code_list, table
from reference_pages._requests import HEADER, Request
from reference_pages._sample import sample_campaign
from reference_pages._schema import sketch

TITLE = "JSON API of the explorer"
ABOUT = "the routes of `assay explore` under `/api/`, with their parameters and the shape of their responses"
_HEAD = """\
`assay explore QRELS RUN...` serves HTML pages, and their data as JSON under `/api/`. All routes use GET with parameters
in the query string; unknown parameters are errors. Numbers that are not finite are `null`. Responses have an `ETag`
and are compressed if the client accepts gzip. An error is an object with the status code and a message:
"""
_SHAPES = """\
Each section shows the shape of the response: the keys of objects and the type of each value. `[...]` is a list of
such values; `RUN` and `MEASURE` stand for names.
"""
_STATUS = {
    400: "a parameter is missing, unknown or out of range; the message names it and the valid values",
    403: "the request comes from a page of another site",
    404: "unknown address",
    405: "only GET and HEAD are allowed",
    414: "the address is too long",
    421: "unknown host name",
    503: "too many requests, or the computation takes too long; `Retry-After` is the time to wait",
}
_FIGURES = """\
## /api/figures/{figure}

A figure as a Vega-Lite specification without a theme; `/api/themes` has the themes. `/api/figures/{figure}.csv` returns
the data of the figure ([Figures](plots.md) lists the columns). Every figure has these parameters:
"""


def page() -> str:
    """Return the page."""
    error = json.loads(error_json(HTTPException(400, "there is no run 'bm52'; did you mean bm25?")))
    statuses = table(("status", "cause"), ((str(status), cause) for status, cause in _STATUS.items()))
    routes = (_route(name) for name in API)
    return "\n".join([_HEAD, block(json.dumps(error), "json"), statuses, _SHAPES, *routes, *_figures()])


def _route(name: str) -> str:
    request = Request(_state())
    answer = json.loads(to_json(API[name](_state(), request)))
    names = {"RUN": _state().campaign.runs, "MEASURE": DEFAULT_MEASURES}
    # The documentation of Vega describes the keys of a theme.
    shape = f"{{{', '.join(f'{theme}: {{...}}' for theme in THEMES)}}}" if name == "themes" else sketch(answer, names)
    return f"## /api/{name}\n\n{summary(API[name])}\n\n{request.to_table()}\n{block(shape)}"


def _figures() -> list[str]:
    palettes = (code("palette"), f"one of {code_list(PALETTES)}", code(next(iter(PALETTES))))
    parts = [_FIGURES, table(HEADER, [palettes, (code("width"), "whole number from 200 to 4000", "")])]
    for name, parameters in FIGURES.items():
        request = Request(_state())
        parameters(_state(), request)
        about = f"{figures()[name].title}. {summary(parameters)}\n"
        parts += [f"### /api/figures/{name}\n", about, request.to_table()]
    return parts


@cache
def _state() -> ExplorerState:
    return ExplorerState(sample_campaign())
