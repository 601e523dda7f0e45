"""Every figure: content, source, options, and the columns of its data."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.cli.plot import figure_command, figure_parser
from assay.views.plots._export import FORMATS
from assay.views.plots._figures import Data, Figure, figures
from assay.views.plots._style import PALETTES, THEMES
from reference_pages._markdown import block, code, code_list, inline, table
from reference_pages._parsers import arguments
from reference_pages._sample import sample_campaign

TITLE = "Figures"
ABOUT = "every figure of `assay plot`: content, options, and columns of its data"
PAPERS = {
    "Angelini et al. (2012)": "crp.md",
    "Ferrante et al. (2015)": "measurement.md",
    "Ferro et al. (2016)": "twist.md",
    "Moffat & Zobel (2008)": "rbp.md",
    "Moffat (2018)": "med.md",
}
"""Pages of the papers from which figures are taken."""
_HEAD = """\
`assay plot FIGURE` and `assay.plot("FIGURE", ...)` draw a figure. The [gallery](../gallery/README.md) shows an example
of each. [Commands](commands.md#plot) lists the options that all figures have.
"""
_QUICK: dict[str, Any] = {"sizes": [2, 3], "trials": 20, "seeds": 2}  # Fast settings with the same columns.
_KINDS = {pl.String: "text", pl.Float64: "number", pl.Boolean: "true or false"}


def page() -> str:
    """Return the page."""
    known = figures()
    rows = ((f"[{name}](#{name})", figure.title, _paper(figure)) for name, figure in known.items())
    index = table(("figure", "content", "source"), rows)
    formats = f"Figures are written as {code_list(FORMATS)}; `csv` is the data of the figure."
    looks = f"Themes: {code_list(THEMES)}; palettes: {code_list(PALETTES)}.\n"
    return "\n".join([_HEAD, formats, looks, index, *map(_section, known.values())])


def citation(figure: Figure) -> str:
    """Return a sentence that cites the paper; the link is relative to a folder of ``docs``."""
    return f" After {_paper(figure)}." if figure.source else ""


def _paper(figure: Figure) -> str:
    paper, comma, place = (figure.source or "").partition(",")
    known = f"[{paper}](../papers/{PAPERS[paper]})" if paper in PAPERS else paper
    return f"{known}{comma}{place}"


def _section(figure: Figure) -> str:
    inputs = {"qrels": "QRELS", "runs": "RUN..."}
    words = " ".join(inputs[need] for need in figure.needs)
    usage = f"assay plot {figure.name} " + (f"[{words}]" if words and figure.optional else words)
    parts = [
        f"## {figure.name}\n",
        f"{figure.title}.{citation(figure)} {inline(figure.about)}\n",
        f"[![{figure.title}](../gallery/{figure.name}.png)](../gallery/README.md#{figure.name})\n",
        block(f"{usage.strip()} [options]"),
    ]
    parser = figure_parser(figure, figure_command(figure))
    own = arguments(parser, inputs=False).get("", "No further options.\n")
    return "\n".join([*parts, own, f"Data: {_columns(_sample_data(figure).frame)}.\n"])


def _sample_data(figure: Figure) -> Data:
    """Return the data of a figure for a small campaign."""
    options = {one.name: _QUICK[one.name] for one in figure.parameters if one.name in _QUICK}
    sources = [sample_campaign()] if figure.needs and not figure.optional else []
    return figure.data(*sources, **options)


def _columns(frame: pl.DataFrame) -> str:
    return ", ".join(f"{code(name)} ({_kind(dtype)})" for name, dtype in frame.schema.items())


def _kind(dtype: pl.DataType) -> str:
    return "whole number" if dtype.is_integer() else _KINDS[dtype.base_type()]
