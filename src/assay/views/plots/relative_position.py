"""Relative position (RP) of documents: distance from the ranks of their grade in the ideal ranking.

The upper row is the ideal ranking, in which the documents of each grade occupy an interval of ranks (numbers above the
row). The lower row is the ranking. A line connects each document with the nearest rank of the interval of its grade.
The number below a document is its relative position: 0 if the document is in place, negative if it is too early, and
positive if it is too late. A question mark is an unjudged document, which counts as non-relevant. Lines that end at
the right edge lead to ranks that are not shown. Without input files, the figure shows the example of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay.effort._curve import tabulate_curve
from assay.model.judged import Judged
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import text_width
from assay.views.plots._crp_layers import (
    ABSENT_OPACITY,
    POSITION_LABELS,
    RankAxis,
    bar_legend,
    layer,
    line_colour,
    merge_ranks,
    nominal,
    pixels,
    quantitative,
    text_layer,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, empty_chart
from assay.views.plots.crp import format_grade, heading

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 1"
KEEP = "documents"
EXAMPLE = (3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0)
"""Grades of the example of the paper by rank; the topic has two, two and three documents of the grades 3, 2 and 1."""
COUNTS: dict[float, int] = {3: 2, 2: 2, 1: 3, 0: 8}
_LEFT, _RIGHT = 50, 10
_IDEAL, _RANKING, _CELL = 18, 104, 20  # upper ends of the two rows, and the height of a row
_NUMBERS = _RANKING + _CELL + 12
_BOTTOM = _NUMBERS + 10
_MIN_FONT_SIZE = 7
SHADE = nominal("colour", scale=None)
_MAX_OPACITY = 0.6  # darker cells would hide their grades


def data(
    source: Campaign | ShownCurves | None = None, *, topic: str | None = None, run: str | None = None, depth: int = 20
) -> Data:
    """Tabulate one row per rank: topic and run (null for the example), rank, document, grade, ideal, target, rp.

    *grade* is null for unjudged documents and for ranks after the last document. *ideal* is the grade at this rank of
    the ideal ranking. *target* is the nearest rank at which the ideal ranking has the grade of the document, so that
    *rp* is rank minus *target*.
    """
    check_minimum("depth", depth, 1)
    if source is None:
        judged = Judged.from_grades([list(EXAMPLE)], COUNTS)
        curve = tabulate_curve(judged, [f"d{rank}" for rank in range(1, len(EXAMPLE) + 1)])
        return Data(_tabulate(curve[:depth], None, None))
    selected = choose_curves(source, topic, run, most=1)
    curve = selected.curves[selected.run]
    return Data(_tabulate(curve[:depth], selected.topic, selected.run), selected.notes, selected.provenance)


def _tabulate(curve: pl.DataFrame, topic: str | None, run: str | None) -> pl.DataFrame:
    names = (pl.lit(name, pl.String).alias(column) for name, column in ((topic, "topic"), (run, "run")))
    return curve.select(*names, "rank", "document", "grade", "ideal", target=pl.col("rank") - pl.col("rp"), rp="rp")


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the ideal ranking above the ranking, and a line for each document."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    width = style.total_width() - _LEFT - _RIGHT
    ranks = RankAxis(len(frame), width)
    ideal, documents = _ideal_cells(frame, ranks), _document_cells(frame, ranks, style)
    names = (("ideal", _IDEAL + _CELL / 2), ("ranking", _RANKING + _CELL / 2), ("RP", _NUMBERS))
    # Numbers become smaller if they would overlap. If they would be illegible, colours and tooltips must suffice.
    size = round(min(11, 11 * (ranks.rank_width - 2) / max(map(text_width, documents["number"]))), 1)
    legible = size >= _MIN_FONT_SIZE
    row_names = tuple({"text": text, "y": y} for text, y in (names if legible else names[:2]))
    numbers = layer(
        documents if legible else documents.clear(),
        "text",
        {"fontSize": size},
        x=ranks.axis(),
        y={"value": _NUMBERS},
        text=nominal("number"),
        color=SHADE,
    )
    layers = [
        *_cells(ideal, _IDEAL, ranks, style),
        text_layer(ideal, ranks.axis("middle"), {"value": _IDEAL - 9}, "muted", "interval", fontSize=10),
        *_cells(documents, _RANKING, ranks, style),
        _lines(documents, ranks),
        numbers,
        text_layer(row_names, {"value": -8}, pixels("y"), "label", align="right"),
        *bar_legend(POSITION_LABELS, _BOTTOM, ranks, style),
        _hover(documents, ranks),
    ]
    if frame["run"][0] is None:
        title = alt.Title(f"example with {int((frame['ideal'] > 0).sum())} relevant documents")
    else:
        title = heading(frame["run"][0], frame["topic"][0], width)
    return alt.layer(*layers, width=width, height=_BOTTOM, title=title)


def _ideal_cells(frame: pl.DataFrame, ranks: RankAxis) -> pl.DataFrame:
    """Return one cell per grade of the ideal ranking: first, last, middle, opacity, label (grade), interval (ranks)."""
    cells = merge_ranks(frame.select("rank", "ideal", opacity=_opacity(frame, "ideal")), "ideal", "opacity")
    labels, intervals = [], []
    for first, last, grade in cells.select("first", "last", "ideal").iter_rows():
        low, high, room = int(first + 0.5), int(last - 0.5), (last - first) * ranks.rank_width
        # The last interval continues after the ranks that are shown.
        end = f"from {low}" if high == len(frame) else f"{low}–{high}"
        labels.append(_longest_that_fits([f"grade {grade:g}", f"{grade:g}"], room))
        intervals.append(_longest_that_fits([str(low) if low == high < len(frame) else end, str(low)], room))
    middle = (pl.col("first") + pl.col("last")) / 2
    return cells.with_columns(middle=middle, label=pl.Series(labels), interval=pl.Series(intervals))


def _longest_that_fits(texts: Sequence[str], room: float) -> str:
    """Return the first of the texts that fits into *room* pixels; an empty text if none fits."""
    return next((text for text in texts if text_width(text) <= room), "")


def _document_cells(frame: pl.DataFrame, ranks: RankAxis, style: Style) -> pl.DataFrame:
    """Return one cell per rank of the ranking, with the label, the number, the colour and the line of its document."""
    palette, sign = style.colours, pl.col("rp").sign()
    shades = {-1: palette.early, 0: palette.right, 1: palette.late}
    absent = pl.col("document").is_null()
    grades = ["?" if grade is None else f"{grade:g}" for grade in frame["grade"]]
    labels = [_longest_that_fits([grade], ranks.rank_width) for grade in grades]
    numbers = [f"{rp:+d}".replace("-", "−") if rp else "0" for rp in frame["rp"]]
    return frame.select(
        *("rank", "document", "rp"),
        grade=format_grade(),
        first=pl.col("rank") - 0.5,
        last=pl.col("rank") + 0.5,
        middle=pl.col("rank"),
        label=pl.when(absent).then(pl.lit("")).otherwise(pl.Series(labels)),
        number=pl.Series(numbers),
        # Lines to ranks that are not shown end at the right edge.
        end=pl.min_horizontal(pl.col("target").cast(pl.Float64), len(frame) + 0.5),
        colour=sign.replace_strict(shades, return_dtype=pl.String),
        opacity=_opacity(frame, "grade"),
        strength=pl.when(absent).then(ABSENT_OPACITY).otherwise(1.0),
    )


def _opacity(frame: pl.DataFrame, column: str) -> pl.Expr:
    """Return an expression for the opacity of a cell: higher for higher grades, 0 for non-relevant documents."""
    grades = sorted({grade for name in ("grade", "ideal") for grade in frame[name].drop_nulls() if grade > 0})
    steps = {grade: _MAX_OPACITY * number / len(grades) for number, grade in enumerate(grades, 1)}
    return pl.col(column).replace_strict(steps, default=0.0, return_dtype=pl.Float64)


def _cells(cells: pl.DataFrame, top: int, ranks: RankAxis, style: Style) -> list[alt.Chart]:
    """Return layers of cells with their labels; *top* is the upper end of the row in pixels."""
    area = {"x": ranks.axis("first"), "x2": {"field": "last"}, "y": {"value": top}, "y2": {"value": top + _CELL}}
    border = {"style": "reference", "filled": False, "strokeDash": [1, 0]}
    return [
        layer(cells, "rect", {"color": line_colour(style)}, **area, fillOpacity=quantitative("opacity", scale=None)),
        layer(cells, "rect", border, **area),
        text_layer(cells, ranks.axis("middle"), {"value": top + _CELL / 2}, "label", "label"),
    ]


def _lines(documents: pl.DataFrame, ranks: RankAxis) -> alt.Chart:
    """Return the lines from the documents to the ideal ranking."""
    return layer(
        documents,
        "rule",
        {"strokeWidth": 1.5},
        x=ranks.axis(),
        x2={"field": "end"},
        y={"value": _RANKING},
        y2={"value": _IDEAL + _CELL},
        color=SHADE,
        strokeOpacity=quantitative("strength", scale=None),
    )


def _hover(documents: pl.DataFrame, ranks: RankAxis) -> alt.Chart:
    """Return an invisible layer that shows the document and its relative position."""
    tooltip = [quantitative("rank"), nominal("document"), nominal("grade"), quantitative("rp", title="RP")]
    area = {"x": ranks.axis("first"), "x2": {"field": "last"}, "y": {"value": _RANKING}, "y2": {"value": _BOTTOM}}
    return layer(documents, "rect", {"fillOpacity": 0.001, "strokeOpacity": 0}, **area, tooltip=tooltip)
