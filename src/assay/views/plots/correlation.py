"""Agreement of measures on the order of runs: Kendall's tau of each pair of measures.

Each measure orders the runs by their means. Two measures are commonly called equivalent if tau is above 0.9 (bold) and
noticeably different if tau is below 0.8 (muted). A name labels the row to its left and the column below it. Similar
measures are adjacent: measures are sorted by a hierarchical clustering with the distance 1 - tau (average linkage).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.meta._correlate import DIFFERENT, EQUIVALENT, Correlation, correlate
from assay.meta.study_context import MEASURES
from assay.model.arrays import Floats
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_choice
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Tables 3, 4"
ORDERS = ("alike", "given")
CHOICES = {"order": ORDERS}
_MAX_CELL = 34  # pixels
_CHARACTER_WIDTH = 6.6
_MIN_NUMBER_CELL = 19  # minimum size of a cell with a number, in pixels
_MAX_OPACITY = 0.72  # of a cell with tau = 1


def data(
    source: Campaign | Results | Correlation,
    *,
    measures: Iterable[str] = MEASURES,
    order: str = "alike",
    share: float | None = None,
) -> Data:
    """Tabulate each ordered pair of measures: measure, other, row, column, tau, tau_ap, p, runs.

    *row* and *column* are the positions of the two measures in the figure, from 1. A measure is also paired with
    itself.
    """
    check_choice("order", order, ORDERS)
    report = source if isinstance(source, Correlation) else correlate(source, measures, best=share)
    if not report.symmetric:
        raise InputError("this figure compares all pairs of measures; omit the separate measures of the rows")
    names = [str(row_measure.measure) for row_measure in report.rows]
    positions = np.array(cluster_order(report.taus.tau) if order == "alike" else range(len(names)), dtype=np.int64)
    row, column = np.indices((len(names), len(names))).reshape(2, -1)
    i, j = positions[row], positions[column]
    series = pl.Series(names, dtype=pl.String)
    numbers = {name: pl.Series(getattr(report.taus, name)[i, j]).fill_nan(None) for name in ("tau", "tau_ap", "p")}
    pairs = {"measure": series.gather(i), "other": series.gather(j), "row": row + 1, "column": column + 1, **numbers}
    frame = pl.DataFrame(pairs).with_columns(runs=pl.lit(len(report.runs), pl.Int64))
    return Data(frame, report.notes, report.provenance)


def cluster_order(tau: Floats) -> list[int]:
    """Return an order of the measures in which similar measures are adjacent.

    The order is reversed if necessary, so that measure 0 is in the first half.

    >>> cluster_order(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]]))
    [0, 2, 1]
    """
    if len(tau) < 3:
        return list(range(len(tau)))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    # If tau is undefined, the distance is 1, as for uncorrelated measures.
    distance = np.where(np.isnan(tau), 1.0, 1 - (tau + tau.T) / 2)
    np.fill_diagonal(distance, 0)
    condensed = np.maximum(squareform(distance, checks=False), 0)
    leaves = [int(leaf) for leaf in leaves_list(linkage(condensed, "average", optimal_ordering=True))]
    return leaves if leaves.index(0) * 2 <= len(leaves) - 1 else leaves[::-1]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a triangle of cells with the names on its diagonal."""
    names = frame.unique("row", keep="first", maintain_order=True).sort("row")["measure"].to_list()
    if len(names) < 2:
        return empty_chart("fewer than two measures", style)
    width = style.total_width(560) - 8
    short = list(shorten_names(names, 32 if width >= 480 else 18).values())
    cell = _cell_size(short, width)
    side = cell * len(names)
    scale = alt.Scale(domain=[0, len(names)], range=[0, side], nice=False)
    x, y = alt.X("left:Q", scale=scale, axis=None), alt.Y("top:Q", scale=scale, axis=None)
    cells = _cells(frame.filter(pl.col("row") > pl.col("column")))
    labels = pl.DataFrame({"name": names, "short": short, "at": [number + 0.5 for number in range(len(names))]})
    label = alt.Chart(rows(labels)).mark_text(style="label", align="left", dx=4 - cell / 2)
    return alt.layer(
        *_tiles(cells, x, y, style),
        *(_numbers(cells, cell) if cell >= _MIN_NUMBER_CELL else []),
        label.encode(alt.X("at:Q"), alt.Y("at:Q"), alt.Text("short:N"), tooltip("name:N")),
        _caption(side, cell >= _MIN_NUMBER_CELL),
        width=side,
        height=side,
    )


def _cell_size(names: Sequence[str], width: int) -> float:
    """Return the largest size of cells at which all names end within *width* pixels."""
    limits = [(width - 4 - _CHARACTER_WIDTH * len(name)) / number for number, name in enumerate(names) if number]
    return max(min(_MAX_CELL, width / len(names), *limits), 6)


def _cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the positions, colours and texts of cells."""
    tau = pl.col("tau")
    texts = [_format_tau(value) for value in frame["tau"].to_list()]
    return frame.with_columns(
        pl.Series("text", texts, dtype=pl.String),
        left=pl.col("column") - 1,
        right=pl.col("column"),
        top=pl.col("row") - 1,
        bottom=pl.col("row"),
        centre=pl.col("column") - 0.5,
        middle=pl.col("row") - 0.5,
        sign=pl.when(tau < 0).then(pl.lit("opposite")).otherwise(pl.lit("alike")),
        depth=(tau.abs() ** 3 * _MAX_OPACITY).clip(0.04),
    )


def _format_tau(tau: float | None) -> str:
    """Format tau with two decimals and without a leading zero.

    >>> _format_tau(0.934), _format_tau(1.0), _format_tau(-0.5), _format_tau(0.0), _format_tau(None)
    ('.93', '1', '-.50', '0', '-')
    """
    if tau is None:
        return "-"
    text = f"{tau:.2f}"
    integers = {"1.00": "1", "-1.00": "-1", "0.00": "0", "-0.00": "0"}
    return integers.get(text, text.replace("0.", ".", 1))


def _tiles(cells: pl.DataFrame, x: alt.X, y: alt.Y, style: Style) -> list[alt.Chart]:
    fields = tooltip("measure:N", "other:N", *decimals("tau", "tau_ap"), "p:Q", "runs:Q")
    channels = [x, alt.X2("right:Q"), y, alt.Y2("bottom:Q"), fields]
    shades = alt.Scale(domain=["alike", "opposite"], range=[style.colours.late, style.colours.early])
    colour = alt.Color("sign:N", scale=shades, legend=None)
    # The opacity encodes tau and stays below 1, so that text in the colour of the theme is readable on the cells.
    opacity = alt.Opacity("depth:Q", scale=None)
    known, unknown = cells.filter(pl.col("tau").is_not_null()), cells.filter(pl.col("tau").is_null())
    tiles = alt.Chart(rows(known)).mark_rect(strokeWidth=0).encode(*channels, colour, opacity)
    return [tiles, alt.Chart(rows(unknown)).mark_rect(style="soft").encode(*channels)] if len(unknown) else [tiles]


def _numbers(cells: pl.DataFrame, cell: float) -> list[Any]:
    """Draw tau in each cell: bold where measures are equivalent, muted where they differ noticeably."""
    tau = pl.col("tau")
    kinds: list[tuple[pl.Expr, dict[str, Any]]] = [
        (tau > EQUIVALENT, {"style": "label", "fontWeight": "bold"}),
        (tau.is_between(DIFFERENT, EQUIVALENT), {"style": "label"}),
        (tau.is_null() | (tau < DIFFERENT), {"style": "muted"}),
    ]
    channels = alt.X("centre:Q"), alt.Y("middle:Q"), alt.Text("text:N")
    return [
        alt.Chart(rows(texts)).mark_text(fontSize=10 if cell >= 24 else 9, **options).encode(*channels)
        for mask, options in kinds
        if len(texts := cells.filter(mask).select("centre", "middle", "text"))
    ]


def _caption(side: float, has_numbers: bool) -> Any:
    """Draw a caption below the cells; it explains the numbers, or the colours of cells without numbers."""
    text = "Kendall's tau: bold above 0.9, muted below 0.8" if has_numbers else "Kendall's tau: darker cells agree more"
    chart = alt.Chart(rows(pl.DataFrame({"text": [text]})))
    mark = chart.mark_text(style="muted", align="left", baseline="top", dy=6)
    return mark.encode(alt.Text("text:N"), x=alt.value(0), y=alt.value(side))
