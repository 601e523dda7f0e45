"""Every figure: content, source, options, and the columns of its data."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.cli.plot import figure_command, figure_parser
from assay.views.plots._export import FORMATS
from assay.views.plots._figures import Data, Figure, figures
from assay.views.plots._style import PALETTES
from assay.views.plots._theme import THEMES
from reference_pages._markdown import convert_inline, format_code, format_code_list, render_block, render_table
from reference_pages._parsers import render_arguments
from reference_pages._sample import read_sample

TITLE = "Figures"
ABOUT = "every figure of `assay plot`: content, options, and columns of its data"
PAPERS = {
    "Angelini et al. (2012)": "crp.md",
    "Ferrante et al. (2015)": "measurement.md",
    "Ferro et al. (2016)": "twist.md",
    "Moffat & Zobel (2008)": "rbp.md",
    "Moffat (2018)": "med.md",
}
"""Pages on the papers that figures are based on."""
_HEAD = """\
What does a figure show, and which options does it have? `assay plot FIGURE` and `assay.plot("FIGURE", ...)` draw a
figure. The [gallery](../gallery/README.md) shows an example of each figure. [Commands](commands.md#plot) lists the
options that all figures have.
"""
# Faster than the default settings, with the same columns.
_FAST_SETTINGS: dict[str, Any] = {"sizes": [2, 3], "trials": 20, "seeds": 2}
_TYPE_NAMES = {pl.String: "text", pl.Float64: "number", pl.Boolean: "true or false"}


def render_page() -> str:
    """Return the page."""
    known = figures()
    rows = ((f"[{name}](#{name})", figure.title, _format_source(figure)) for name, figure in known.items())
    index = render_table(("figure", "content", "source"), rows)
    formats = f"Figures are written as {format_code_list(FORMATS)}. The format `csv` contains the data of the figure."
    themes = f"The themes are {format_code_list(THEMES)}. The palettes are {format_code_list(PALETTES)}.\n"
    return "\n".join([_HEAD, formats, themes, index, *map(_render_section, known.values())])


def format_citation(figure: Figure) -> str:
    """Return a sentence that cites the paper, with a link that is relative to a folder of ``docs``."""
    return f" This figure is based on {_format_source(figure)}." if figure.source else ""


def _format_source(figure: Figure) -> str:
    paper, comma, figure_number = (figure.source or "").partition(",")
    link = f"[{paper}](../papers/{PAPERS[paper]})" if paper in PAPERS else paper
    return f"{link}{comma}{figure_number}"


def _render_section(figure: Figure) -> str:
    inputs = {"qrels": "QRELS", "runs": "RUN..."}
    input_words = " ".join(inputs[need] for need in figure.needs)
    usage = f"assay plot {figure.name} " + (f"[{input_words}]" if input_words and figure.optional else input_words)
    parts = [
        f"## {figure.name}\n",
        f"**{figure.title}.**\n",
        f"{convert_inline(figure.about)}{format_citation(figure)}\n",
        f"[![{figure.title}](../gallery/{figure.name}.png)](../gallery/README.md#{figure.name})\n",
        render_block(f"{usage.strip()} [options]"),
    ]
    parser = figure_parser(figure, figure_command(figure))
    option_table = render_arguments(parser, inputs=False).get("", "No further options.\n")
    columns = _format_columns(_compute_sample_data(figure).frame)
    return "\n".join([*parts, option_table, f"The data has these columns: {columns}.\n"])


def _compute_sample_data(figure: Figure) -> Data:
    """Return the data of a figure for a small campaign."""
    names = {parameter.name for parameter in figure.parameters}
    options = {name: value for name, value in _FAST_SETTINGS.items() if name in names}
    sources = [read_sample()] if figure.needs and not figure.optional else []
    return figure.data(*sources, **options)


def _format_columns(frame: pl.DataFrame) -> str:
    return ", ".join(f"{format_code(name)} ({_type_name(dtype)})" for name, dtype in frame.schema.items())


def _type_name(dtype: pl.DataType) -> str:
    return "whole number" if dtype.is_integer() else _TYPE_NAMES[dtype.base_type()]
