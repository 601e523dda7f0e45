"""Weight of each rank: the user model of RBP compared with other measures.

The x axis is the rank, and the y axis is the value of a single relevant document at this rank, divided by its value at
rank 1. For RBP this is the probability that the user of the model looks at the rank: the user always looks at the first
document and continues from one document to the next with probability p (persistence), so the probability is p^(i-1) at
rank i, and the user looks at 1/(1 - p) documents on average. P@10 weights the first ten ranks equally. DCG decreases
slowly. The topic has one relevant document; AP then equals the reciprocal rank.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from assay.measures import measure
from assay.model.judged import Judged
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._measures import dashes
from assay.views.plots._selection import check_minimum
from assay.views.plots._series import Label, label_layers, labels_width, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

SOURCE = "Moffat & Zobel (2008), Fig. 3"
HAS_HEIGHT = True
MEASURES = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "DCG(base=2)", "AP")
_MAX_CHARACTERS = 16


def data(*, measures: str | Iterable[str] = MEASURES, depth: int = 20) -> Data:
    """Tabulate one row for each measure and rank: measure, rank, value (of a document at this rank), weight.

    *weight* is the value divided by the value at rank 1; null if that value is 0, or if a value is infinite.
    """
    check_minimum("depth", depth, 2)
    names = [measures] if isinstance(measures, str) else measures
    chosen = list(dict.fromkeys(map(measure, names)))
    # The ranking with index i has its only relevant document at rank i + 1.
    judged = Judged.from_grades(np.eye(depth, dtype=np.int64).tolist(), {1: 1, 0: depth})
    ranks = np.arange(1, depth + 1)
    frames = [pl.DataFrame(schema={"measure": pl.String, "rank": pl.Int64, "value": pl.Float64, "weight": pl.Float64})]
    for one in chosen:
        value = one.score(judged)
        has_weights = bool(value[0]) and bool(np.isfinite(value).all())
        weight = value / value[0] if has_weights else np.full(depth, np.nan)
        frames.append(pl.DataFrame({"measure": [str(one)] * depth, "rank": ranks, "value": value, "weight": weight}))
    return Data(pl.concat(frames).with_columns(pl.col("weight").fill_nan(None)))


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line with points for each measure."""
    known = frame.drop_nulls("weight")
    if known.is_empty():
        return empty_chart("no measure has a value", style)
    names = known["measure"].unique(maintain_order=True).to_list()
    last = known.group_by("measure", maintain_order=True).last()
    labels = [Label(name, weight, name) for name, weight in last.select("measure", "weight").iter_rows()]
    width = style.total_width() - labels_width(labels, _MAX_CHARACTERS) - 60
    height = style.plot_height(min(max(round(0.9 * width), 180, 16 * len(labels)), 320))
    depth, low, high = int(known["rank"].max()), min(0.0, *known["weight"]), max(1.0, *known["weight"])  # type: ignore[arg-type]
    axis = alt.Axis(tickCount=5, format="d")
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(domain=(1, depth), nice=False), axis=axis)
    title = "weight relative to rank 1"
    y = alt.Y("weight:Q", title=title, scale=alt.Scale(domain=(low, high), nice=False), axis=alt.Axis(tickCount=5))
    colour = series_colours("measure", names, style)
    base = alt.Chart(rows(known), width=width, height=height).encode(x, y, colour)
    fields = tooltip("measure:N", "rank:Q", *decimals("value", "weight"))
    return alt.layer(
        base.mark_line(strokeWidth=1.6).encode(dashes("measure", names)),
        base.mark_circle(size=16, opacity=1).encode(fields),
        *label_layers(labels, (low, high), height, colour, _MAX_CHARACTERS),
    )
