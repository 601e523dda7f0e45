"""Every figure: content, source, options, and the columns of its data."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.cli.plot import figure_command, figure_parser
from assay.views.plots._export import FORMATS
from assay.views.plots._figures import Data, Figure, figures
from assay.views.plots._style import PALETTES, THEMES
from reference_pages._markdown import block, code, inline, listed, table
from reference_pages._parsers import arguments
from reference_pages._sample import sample_campaign

TITLE = "Figures"
ABOUT = "every figure of `assay plot`: what it shows, its options, and the columns of its data"
PAPERS = {
    "Angelini et al. (2012)": "crp.md",
    "Ferrante et al. (2015)": "measurement.md",
    "Ferro et al. (2016)": "twist.md",
    "Moffat & Zobel (2008)": "rbp.md",
    "Moffat (2018)": "med.md",
}
"""The pages of the papers that figures are taken from."""
_HEAD = """\
`assay plot FIGURE` draws a figure, and so does `assay.plot("FIGURE", ...)`; the [gallery](../gallery/README.md) shows
them all. The options of all figures are in [Commands](commands.md#plot).
"""
_QUICK: dict[str, Any] = {"sizes": [2, 3], "trials": 20, "seeds": 2}  # the columns are the same
_KINDS = {pl.String: "text", pl.Float64: "number", pl.Boolean: "true or false"}


def page() -> str:
    """The page."""
    known = figures()
    rows = ((f"[{name}](#{name})", one.title, _paper(one)) for name, one in known.items())
    index = table(("figure", "content", "source"), rows)
    formats = f"Figures are written as {listed(FORMATS)}; `csv` is the data behind the figure."
    looks = f"Themes: {listed(THEMES)}; palettes: {listed(PALETTES)}.\n"
    return "\n".join([_HEAD, formats, looks, index, *map(_section, known.values())])


def cited(figure: Figure) -> str:
    """Return a sentence that cites the paper, with a link to its page, for a page one folder below."""
    return f" After {_paper(figure)}." if figure.source else ""


def _paper(figure: Figure) -> str:
    paper, comma, place = (figure.source or "").partition(",")
    known = f"[{paper}](../papers/{PAPERS[paper]})" if paper in PAPERS else paper
    return f"{known}{comma}{place}"


def _section(figure: Figure) -> str:
    inputs = {"qrels": "QRELS", "runs": "RUN..."}
    words = " ".join(inputs[need] for need in figure.needs)
    written = f"assay plot {figure.name} " + (f"[{words}]" if words and figure.optional else words)
    parts = [
        f"## {figure.name}\n",
        f"{figure.title}.{cited(figure)} {inline(figure.about)}\n",
        f"[![{figure.title}](../gallery/{figure.name}.png)](../gallery/README.md#{figure.name})\n",
        block(f"{written.strip()} [options]"),
    ]
    parser = figure_parser(figure, figure_command(figure))
    own = arguments(parser, inputs=False).get("", "It has no options of its own.\n")
    return "\n".join([*parts, own, f"Data: {_columns(_sample_data(figure).frame)}.\n"])


def _sample_data(figure: Figure) -> Data:
    """Return the data of a figure for a small campaign."""
    chosen = {one.name: _QUICK[one.name] for one in figure.parameters if one.name in _QUICK}
    sources = [sample_campaign()] if figure.needs and not figure.optional else []
    return figure.data(*sources, **chosen)


def _columns(frame: pl.DataFrame) -> str:
    return ", ".join(f"{code(name)} ({_kind(dtype)})" for name, dtype in frame.schema.items())


def _kind(dtype: pl.DataType) -> str:
    return "whole number" if dtype.is_integer() else _KINDS[dtype.base_type()]
