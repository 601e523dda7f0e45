"""Top-heaviness of measures: the balancing index against the length of rankings.

The x axis is the length n of a ranking, and the y axis is the balancing index B(n). It is the last rank b for which
relevant documents at all ranks from b to n have at least the value of one relevant document at rank 1. A line near the
bisector means that all ranks count about equally. A flat line means that only the top ranks count. The default lengths
are 1 to 200. The index does not exist if one document of the highest grade at rank 1 has a higher value than a whole
ranking of documents with the lowest grade. In this case the line starts later, or it is missing and its label says
"none".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay import theory
from assay.measures import Measure
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.workers import Progress

SOURCE = "Ferrante et al. (2015), Fig. 1a"
HAS_HEIGHT = True
MEASURES = ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG(base=2)", "nDCG(base=10)")
BISECTOR = "B(n) = n"
_MAX_LENGTHS_WITH_POINTS = 20  # for more lengths, only lines are drawn


def data(
    *,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    sizes: Sequence[int] | None = None,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
    progress: Progress | None = None,
) -> Data:
    """Tabulate the balancing index: measure, n (the length), balance (null where it does not exist).

    *sizes* are the lengths. For the arguments *qmin*, *qmax*, *recall_base* and *counts* see ``assay.theory.balance``.
    """
    lengths = range(1, 201) if sizes is None else sorted(set(sizes))
    report = theory.balance(
        measures, lengths, qmin=qmin, qmax=qmax, recall_base=recall_base, counts=counts, progress=progress
    )
    return Data(report.frame().select("measure", "n", "balance"), report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each measure, and the bisector."""
    if frame.is_empty():
        return empty_chart("no measure and no length", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    longest = max(frame["n"].to_list())
    labels = _labels(frame, longest)
    width = style.total_width() - labels_width(labels) - 62
    height = style.plot_height(min(max(round(0.9 * width), 16 * len(labels)), 380))
    domain = (0.0, float(longest))
    scale = alt.Scale(domain=domain, nice=False)
    x = alt.X("n:Q", title="length of rankings n", scale=scale, axis=alt.Axis(tickCount=5))
    y = alt.Y("balance:Q", title="balancing index B(n)", scale=scale, axis=alt.Axis(tickCount=5))
    bisector = alt.Chart(rows(pl.DataFrame({"n": domain, "balance": domain})), width=width, height=height)
    colour = series_colours("measure", names, style)
    fields = tooltip("measure:N", "n:Q", alt.Tooltip("balance:Q", title="B(n)"))
    lines = alt.Chart(rows(frame)).encode(x, y, colour, fields)
    points = [lines.mark_circle(size=30, opacity=1)] if frame["n"].n_unique() <= _MAX_LENGTHS_WITH_POINTS else []
    return alt.layer(
        bisector.mark_line(style="reference").encode(x, y),
        lines.mark_line(strokeWidth=2),
        *points,
        *label_layers(labels, domain, height, colour),
    )


def _labels(frame: pl.DataFrame, longest: int) -> list[Label]:
    """Return a label for the end of each line, and for the bisector."""
    ends = frame.filter(pl.col("n") == longest).unique("measure", keep="first", maintain_order=True)
    measures = [
        Label(f"{measure}: none" if end is None else measure, end or 0, measure)
        for measure, end in ends.select("measure", "balance").iter_rows()
    ]
    return [*measures, Label(BISECTOR, longest, None)]
