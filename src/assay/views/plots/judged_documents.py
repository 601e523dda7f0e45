"""Retrieved and judged documents of a topic, from which precision and recall are computed.

The rows are the retrieved documents and the other documents. The columns are the documents that are judged relevant,
judged non-relevant and unjudged. Precision is the number of retrieved relevant documents divided by all retrieved
documents, and recall is the same number divided by all relevant documents. Both assume that no unjudged document is
relevant. The collection contains an unknown number of documents that are neither retrieved nor judged; some of them may
be relevant, so recall may be too high.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.measures._threshold import check_rel
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum
from assay.views.plots._shown_curves import choose_curves
from assay.views.plots._style import Style, empty_chart, rows, tooltip
from assay.views.plots.crp import heading

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Moffat & Zobel (2008), Fig. 1"
KEEP = "documents"
ROWS = ("retrieved", "not retrieved")
COLUMNS = ("relevant", "not relevant", "unjudged")
_SCHEMA = {
    **dict.fromkeys(("topic", "run", "row", "column"), pl.String),
    "documents": pl.Int64,
    "precision": pl.Float64,
    "recall": pl.Float64,
}
_CELL_HEIGHT = 56


def data(
    source: Campaign, *, topic: str | None = None, run: str | None = None, depth: int | None = None, rel: float = 1
) -> Data:
    """Tabulate the six groups: topic, run, row, column, documents (null if unknown), precision and recall.

    Only the first *depth* documents count as retrieved. *recall* is null for a topic without relevant documents, and
    *precision* for an empty ranking.
    """
    if depth is not None:
        check_minimum("depth", depth, 1)
    check_rel(rel, source.judgments.levels)
    selected = choose_curves(source, topic, run, most=1)
    retrieved = selected.curves[selected.run].drop_nulls("document")[:depth]
    grade = retrieved["grade"]
    counts, levels = source.judgments.counts[source.topics.index(selected.topic)], source.judgments.levels
    judged_relevant, judged = int(counts[levels >= rel].sum()), int(counts.sum())
    relevant, unjudged = int((grade >= rel).sum()), grade.null_count()
    other = len(retrieved) - relevant - unjudged
    numbers = (relevant, other, unjudged, judged_relevant - relevant, judged - judged_relevant - other, None)
    precision = relevant / len(retrieved) if len(retrieved) else None
    recall = relevant / judged_relevant if judged_relevant else None
    cells = [(row, column) for row in ROWS for column in COLUMNS]
    table = [
        (selected.topic, selected.run, *cell, number, precision, recall)
        for cell, number in zip(cells, numbers, strict=True)
    ]
    return Data(pl.DataFrame(table, schema=_SCHEMA, orient="row"), selected.notes, selected.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a cell for each group, with its number of documents."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    width = style.total_width() - 90
    texts = ["unknown" if number is None else f"{number:,}" for number in frame["documents"]]
    cells = frame.select("row", "column", "documents").with_columns(text=pl.Series(texts))
    bands: dict[str, Any] = {"title": None, "scale": {"paddingInner": 0.04, "paddingOuter": 0}}
    axis: dict[str, Any] = {"ticks": False, "domain": False, "labelPadding": 6}
    x = alt.X(
        "column:N",
        sort=list(COLUMNS),
        axis=alt.Axis(**axis, orient="top", labelAngle=0, labelFontSize=11 if width >= 200 else 9),
        **bands,
    )
    y = alt.Y("row:N", sort=list(ROWS), axis=alt.Axis(**axis), **bands)
    shades = [style.colours.right, style.colours.early, style.colours.late]
    colour = alt.Color("column:N", scale=alt.Scale(domain=list(COLUMNS), range=shades), legend=None)
    base = alt.Chart(rows(cells), width=width, height=2 * _CELL_HEIGHT).encode(x, y)
    opacity = alt.FillOpacity("row:N", scale=alt.Scale(domain=list(ROWS), range=[0.5, 0.15]), legend=None)
    title = heading(frame["run"][0], frame["topic"][0], width)
    values = zip(("precision", "recall"), frame.select("precision", "recall").row(0), strict=True)
    title.subtitle = ", ".join(f"no {name}" if value is None else f"{name} {value:.4f}" for name, value in values)
    return alt.layer(
        base.mark_rect().encode(colour, opacity, tooltip("row:N", "column:N", "documents:Q")),
        base.mark_text(style="label", fontSize=14).encode(alt.Text("text:N")),
        title=title,
    )
