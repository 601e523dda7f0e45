"""Agreement of measures on the order of runs: Kendall's tau of each two measures.

Each measure orders the runs by their means. Two measures are commonly called equivalent if tau is above 0.9 (bold), and
noticeably different if it is below 0.8 (muted). A name belongs to the row to its left and to the column below it. Alike
measures stand together: their order is that of the leaves of a hierarchical clustering by 1 - tau (average linkage).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.meta._correlate import DIFFERENT, EQUIVALENT, Correlation, correlate
from assay.meta.study_steps import MEASURES
from assay.model.arrays import Floats
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Tables 3, 4"
ORDERS = ("alike", "given")
CHOICES = {"order": ORDERS}
_CELL = 34  # pixels at most
_LETTER = 6.6
_NUMBERS = 19  # pixels of a cell that a number takes
_DEEP = 0.72  # how opaque a cell with tau = 1 is


def data(
    source: Campaign | Results | Correlation,
    *,
    measures: Iterable[str] = MEASURES,
    order: str = "alike",
    share: float | None = None,
) -> Data:
    """Tabulate a row for each two measures, each with itself too: measure, other, row, column, tau, tau_ap, p, runs.

    *row* and *column* are the places of the two in the order in which they stand, from 1.
    """
    if order not in ORDERS:
        raise InputError(f"order {order!r}: choose one of {', '.join(ORDERS)}{suggestion(order, ORDERS)}")
    report = source if isinstance(source, Correlation) else correlate(source, measures, best=share)
    if not report.symmetric:
        raise InputError("the figure compares each measure with each; leave the measures of the rows out")
    names = [str(one.measure) for one in report.rows]
    place = alike(report.taus.tau) if order == "alike" else list(range(len(names)))
    i, j = (grid.ravel() for grid in np.meshgrid(place, place, indexing="ij"))
    row, column = np.indices((len(place), len(place))).reshape(2, -1) + 1
    series = pl.Series(names, dtype=pl.String)
    numbers = {name: getattr(report.taus, name)[i, j] for name in ("tau", "tau_ap", "p")}
    frame = pl.DataFrame(
        {
            "measure": series.gather(i),
            "other": series.gather(j),
            "row": row,
            "column": column,
            **numbers,
            "runs": pl.Series([len(report.runs)] * len(i), dtype=pl.Int64),
        }
    ).with_columns(pl.col("tau", "tau_ap", "p").fill_nan(None))
    return Data(frame, report.notes, report.provenance)


def alike(tau: Floats) -> list[int]:
    """Return an order in which alike measures stand together; the one given first stands in the first half.

    >>> alike(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]]))
    [0, 2, 1]
    """
    if len(tau) < 3:
        return list(range(len(tau)))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = np.where(np.isnan(tau), 1.0, 1 - (tau + tau.T) / 2)  # what has no order is like nothing
    np.fill_diagonal(distance, 0)
    close = np.maximum(squareform(distance, checks=False), 0)
    leaves = [int(place) for place in leaves_list(linkage(close, "average", optimal_ordering=True))]
    return leaves if leaves.index(0) * 2 <= len(leaves) - 1 else leaves[::-1]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A triangle of cells, the names on its diagonal."""
    alt = altair()
    names = frame.unique("row", keep="first", maintain_order=True).sort("row")["measure"].to_list()
    if len(names) < 2:
        return nothing("fewer than two measures", style)
    room = style.room(560) - 8
    short = list(shorten_names(names, 32 if room >= 480 else 18).values())
    cell = _fitting(short, room)
    side = cell * len(names)
    across = alt.Scale(domain=[0, len(names)], range=[0, side], nice=False)
    down = alt.Scale(domain=[0, len(names)], range=[0, side], nice=False)
    x, y = alt.X("left:Q", scale=across, axis=None), alt.Y("top:Q", scale=down, axis=None)
    cells = _cells(frame.filter(pl.col("row") > pl.col("column")))
    named = pl.DataFrame({"name": names, "short": short, "at": [number + 0.5 for number in range(len(names))]})
    label = alt.Chart(rows(named)).mark_text(style="label", align="left", dx=4 - cell / 2)
    return alt.layer(  # type: ignore[no-any-return]
        *_tiles(cells, x, y, style),
        *(_numbers(cells, cell) if cell >= _NUMBERS else []),
        label.encode(x="at:Q", y="at:Q", text="short:N", tooltip=["name:N"]),
        _reading(side, cell >= _NUMBERS),
    ).properties(width=side, height=side)


def _fitting(names: Sequence[str], room: int) -> float:
    """Return the largest size of cells at which no name ends beyond the room."""
    ends = [(room - 4 - _LETTER * len(name)) / number for number, name in enumerate(names) if number]
    return max(min(_CELL, room / len(names), *ends), 6)


def _cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Places, colours and texts of cells."""
    tau = pl.col("tau")
    texts = [_short(value) for value in frame["tau"].to_list()]
    return frame.with_columns(
        pl.Series("text", texts, dtype=pl.String),
        left=pl.col("column") - 1,
        right=pl.col("column"),
        top=pl.col("row") - 1,
        bottom=pl.col("row"),
        centre=pl.col("column") - 0.5,
        middle=pl.col("row") - 0.5,
        sign=pl.when(tau < 0).then(pl.lit("opposite")).otherwise(pl.lit("alike")),
        depth=(tau.abs() ** 3 * _DEEP).clip(0.04),
    )


def _short(tau: float | None) -> str:
    """A tau with two digits and no zero before the point.

    >>> _short(0.934), _short(1.0), _short(-0.5), _short(0.0), _short(None)
    ('.93', '1', '-.50', '0', '-')
    """
    if tau is None:
        return "-"
    text = f"{tau:.2f}"
    whole = {"1.00": "1", "-1.00": "-1", "0.00": "0", "-0.00": "0"}
    return whole.get(text, text.replace("0.", ".", 1))


def _tiles(cells: pl.DataFrame, x: Any, y: Any, style: Style) -> list[Any]:
    alt = altair()
    tip = [
        "measure:N",
        "other:N",
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("tau", "tau_ap")),
        "p:Q",
        "runs:Q",
    ]
    place = {"x": x, "x2": "right:Q", "y": y, "y2": "bottom:Q", "tooltip": tip}
    known = cells.filter(pl.col("tau").is_not_null())
    shades = alt.Scale(domain=["alike", "opposite"], range=[style.colours.late, style.colours.early])
    # Cells are as opaque as they are alike, so that a text in the colour of the theme can be read on them.
    own = (
        alt.Chart(rows(known))
        .mark_rect(strokeWidth=0)
        .encode(
            **place,
            color=alt.Color("sign:N", scale=shades, legend=None),
            opacity=alt.Opacity("depth:Q", scale=None),
        )
    )
    unknown = cells.filter(pl.col("tau").is_null())
    return [own, alt.Chart(rows(unknown)).mark_rect(style="soft").encode(**place)] if len(unknown) else [own]


def _numbers(cells: pl.DataFrame, cell: float) -> list[Any]:
    """The numbers: bold where measures are equivalent, muted where they differ."""
    alt = altair()
    tau = pl.col("tau")
    kinds = {
        "bold": (tau > EQUIVALENT, {"style": "label", "fontWeight": "bold"}),
        "plain": (tau.is_between(DIFFERENT, EQUIVALENT), {"style": "label"}),
        "muted": (tau.is_null() | (tau < DIFFERENT), {"style": "muted"}),
    }
    size = 10 if cell >= 24 else 9
    return [
        alt.Chart(rows(some)).mark_text(fontSize=size, **how).encode(x="centre:Q", y="middle:Q", text="text:N")
        for which, how in kinds.values()
        if len(some := cells.filter(which).select("centre", "middle", "text"))
    ]


def _reading(side: float, numbers: bool) -> Any:
    """Explain the numbers, below the cells."""
    alt = altair()
    text = "Kendall's tau: bold above 0.9, muted below 0.8" if numbers else "Kendall's tau: the deeper, the more alike"
    below = alt.Chart(rows(pl.DataFrame({"text": [text]})))
    mark = below.mark_text(style="muted", align="left", baseline="top", dy=6)
    return mark.encode(x=alt.value(0), y=alt.value(side), text="text:N")
