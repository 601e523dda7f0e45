"""The JSON API of the explorer: every route, its parameters, and its answer."""

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
from reference_pages._markdown import block, code, listed, table
from reference_pages._requests import HEADER, Request
from reference_pages._sample import sample_campaign
from reference_pages._schema import sketch

TITLE = "JSON API of the explorer"
ABOUT = "every route that `assay explore` answers under `/api/`, with its parameters and the shape of its answer"
_HEAD = """\
`assay explore QRELS RUN...` serves pages, and what they show as JSON under `/api/`. Everything is read with GET;
parameters stand in the query, and every one is checked. Numbers that are not finite are `null`. Answers carry an
`ETag`, and are compressed if the client takes gzip. An error is one object, with the status of the answer:
"""
_SHAPES = """\
The shape of an answer names the keys of an object and the kind of each value; `[...]` is a list of such, `RUN` and
`MEASURE` stand for names.
"""
_STATUS = {
    400: "a parameter is missing, unknown or out of range; the message says which, and what can be given",
    403: "a page of another site asked",
    404: "there is nothing under this address",
    405: "only GET and HEAD are answered: nothing can be changed",
    414: "the address is too long",
    421: "the server does not answer to that host name",
    503: "too many requests at once, or one takes too long; `Retry-After` says when to try again",
}
_FIGURES = """\
## /api/figures/{figure}

A figure as a Vega-Lite specification without a theme (that is in `/api/themes`); with `.csv` behind its name, the data
that it shows, whose columns are in [Figures](plots.md). Every figure takes:
"""


def page() -> str:
    """The page."""
    error = json.loads(error_json(HTTPException(400, "there is no run 'bm52'; did you mean bm25?")))
    statuses = table(("status", "when"), ((str(status), when) for status, when in _STATUS.items()))
    routes = (_route(name) for name in API)
    return "\n".join([_HEAD, block(json.dumps(error), "json"), statuses, _SHAPES, *routes, *_figures()])


def _route(name: str) -> str:
    request = Request(_state())
    answer = json.loads(to_json(API[name](_state(), request)))
    names = {"RUN": _state().campaign.runs, "MEASURE": DEFAULT_MEASURES}
    # What Vega takes is told elsewhere, at length.
    shape = f"{{{', '.join(f'{theme}: {{...}}' for theme in THEMES)}}}" if name == "themes" else sketch(answer, names)
    return f"## /api/{name}\n\n{summary(API[name])}\n\n{request.shown()}\n{block(shape)}"


def _figures() -> list[str]:
    palettes = (code("palette"), f"one of {listed(PALETTES)}", code(next(iter(PALETTES))))
    parts = [_FIGURES, table(HEADER, [palettes, (code("width"), "whole number from 200 to 4000", "")])]
    for name, parameters in FIGURES.items():
        request = Request(_state())
        parameters(_state(), request)
        about = f"{figures()[name].title}. {summary(parameters)}\n"
        parts += [f"### /api/figures/{name}\n", about, request.shown()]
    return parts


@cache
def _state() -> ExplorerState:
    return ExplorerState(sample_campaign())
