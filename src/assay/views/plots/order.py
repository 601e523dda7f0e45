"""Hasse diagram of runs on a topic: the partial order that does not depend on the measure.

Each box is a ranking, and runs with the same judged ranking share a box. A line leads down from a ranking to a worse
one. Every measure that rewards relevant documents and early ranks agrees with this order, because at no rank has the
lower ranking retrieved more. Rankings without a downward path between them are incomparable: measures may order them
either way. Lines that follow from other lines are omitted. Each ranking is in the highest layer that is below all
better rankings. Rankings of unequal length are incomparable unless the shorter ones are padded (``--unequal pad``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import theory
from assay.model.arrays import Floats, Ints
from assay.model.notes import pluralize
from assay.results.names import shorten_names
from assay.theory._order import OrderReport
from assay.theory.hasse import Diagram, build_diagram, comparable_fractions
from assay.theory.ranking_order import UNEQUAL
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import max_characters, text_width, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._layered_layout import LayeredLayout, layout_layers
from assay.views.plots._selection import check_minimum, find_topic
from assay.views.plots._style import Style, decimals, empty_chart, pixel_axes, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
CHOICES = {"unequal": UNEQUAL}
DEFAULT_WIDTH = 640
_COLUMNS = {
    "kind": pl.String,
    "node": pl.Int64,
    "below": pl.Int64,
    "step": pl.Int64,
    "x": pl.Float64,
    "y": pl.Float64,
    "run": pl.String,
    "runs": pl.String,
    "equal": pl.Int64,
    "value": pl.Float64,
    "topic": pl.String,
    "measure": pl.String,
    "comparable": pl.Float64,
    "depth": pl.Int64,
}


def data(
    source: Campaign | OrderReport,
    *,
    topic: str | None = None,
    measure: str = "AP",
    depth: int = 20,
    most: int = 25,
    unequal: str = "incomparable",
) -> Data:
    """Tabulate the nodes and then the edges of the diagram (*kind* ``node`` or ``edge``).

    A node is a group of runs with the same judged ranking. Its row has *run* (the run with the best mean), *runs* (all
    runs), *equal* (the number of runs) and *value* (of the measure for the first *depth* documents). An edge leads from
    *node* to the node *below*; it has one row for each point of its line, numbered by *step*. *x* is counted from the
    left, and *y* is the layer, counted from the top. *comparable* is the fraction of comparable pairs of runs.

    The *most* runs with the best means are shown. The default topic is the one with the median fraction of comparable
    pairs. If *source* is a report, it must be cut at *depth*, and its first measure is shown.
    """
    check_minimum("depth", depth, 1)
    check_minimum("most", most, 2)
    report = source if isinstance(source, OrderReport) else theory.order(source, measure, depth=depth, unequal=unequal)
    results = report.results
    run_count, notes = len(results.runs), report.notes
    if most < run_count:
        shown = f"the best {most} of {run_count} runs by {results.measures[0]} are shown"
        notes = (*notes, f"{shown}; show more with --most")
    return Data(_tabulate(report, topic, depth, most), notes, report.provenance)


def _tabulate(report: OrderReport, topic: str | None, depth: int, most: int) -> pl.DataFrame:
    results = report.results
    best = results.best(results.measures[0])[:most]
    run_indices = [results.runs.index(run) for run in best]
    if topic is None:
        topic_index = _median_topic(report, run_indices)
    else:
        topic_index = find_topic(topic, results.topics, results.provenance)
    hasse = build_diagram(report, topic_index, run_indices)
    layout = layout_layers(hasse.level, hasse.edges)
    common = {
        "topic": results.topics[topic_index],
        "measure": str(results.measures[0]),
        "comparable": hasse.comparable,
        "depth": depth,
    }
    table = [*_nodes(report, hasse, layout, results.values[0, :, topic_index]), *_edges(hasse, layout)]
    return pl.DataFrame([{**row, **common} for row in table], schema=_COLUMNS).with_columns(
        pl.col("value").fill_nan(None)
    )


def _median_topic(report: OrderReport, run_indices: list[int]) -> int:
    """Return the topic with the median fraction of comparable pairs, among topics on which not all runs are equal."""
    comparable_fraction, ordered_count = comparable_fractions(report, run_indices)
    topics = np.flatnonzero(ordered_count > 0)
    topics = topics if len(topics) else np.arange(len(comparable_fraction))
    return int(topics[np.argsort(comparable_fraction[topics], kind="stable")][(len(topics) - 1) // 2])


def _nodes(report: OrderReport, hasse: Diagram, layout: LayeredLayout, values: Floats) -> list[dict[str, Any]]:
    rows = []
    for node, (x, layer) in enumerate(zip(layout.x.tolist(), hasse.level.tolist(), strict=True)):
        run_indices = hasse.runs[hasse.node == node].tolist()
        names = [report.results.runs[index] for index in run_indices]
        labels = {
            "run": names[0],
            "runs": " = ".join(names),
            "equal": len(names),
            "value": float(values[run_indices[0]]),
        }
        rows.append({"kind": "node", "node": node, "x": x, "y": float(layer), **labels})
    return rows


def _edges(hasse: Diagram, layout: LayeredLayout) -> list[dict[str, Any]]:
    return [
        {"kind": "edge", "node": top, "below": bottom, "step": step, "x": x, "y": float(layer)}
        for (top, bottom), line in zip(hasse.edges.tolist(), layout.lines, strict=True)
        for step, (x, layer) in enumerate(line)
    ]


# Drawing ------------------------------------------------------------------------------------------------------

_ROW, _LAYER_GAP, _BOX_HEIGHT = 19, 32, 15  # pixels: height of a row in a layer, gap between layers, height of a box
_MAX_ROWS = 8
_MAX_ROWS_BY_CHARACTERS = {36: 1, 24: 1, 18: 3, 14: 3, 10: 4, 7: 8}
"""Maximum number of rows in a layer by the maximum length of a text: texts are shortened until no layer exceeds it."""


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw the boxes with names on top of the lines that connect them; a crowded layer has several rows of boxes."""
    nodes, edges = frame.filter(pl.col("kind") == "node"), frame.filter(pl.col("kind") == "edge")
    if nodes.is_empty():
        return empty_chart("no run has a ranking for the topic", style)
    width = style.total_width(DEFAULT_WIDTH) - 16
    pixels_per_unit = width / (max(frame["x"].to_list()) + 0.5)
    boxes = _boxes(nodes, pixels_per_unit, width)
    height = max(boxes["bottom"].to_list()) + 2

    base = alt.Chart(rows(boxes), width=width, height=height)
    base = base.encode(tooltip("runs:N", "equal:Q", *decimals(value=frame["measure"][0])))
    box_channels = [*pixel_axes("left", "top", width, height), alt.X2("right:Q"), alt.Y2("bottom:Q")]
    centre = pixel_axes("x", "y", width, height)
    lines = alt.Chart(rows(_points(edges, boxes, pixels_per_unit)))
    lines = lines.mark_line(style="reference", strokeDash=[1, 0], interpolate="cardinal", tension=0.5)
    return alt.layer(
        lines.encode(*centre, [alt.Detail("node:N"), alt.Detail("below:N")], alt.Order("step:Q")),
        base.mark_rect(style="soft", cornerRadius=4).encode(*box_channels),
        base.mark_text(style="label").encode(*centre, alt.Text("text:N")),
        title=alt.Title(f"topic {nodes['topic'][0]}", subtitle=_subtitle(nodes, width), limit=width),
    )


def _subtitle(nodes: pl.DataFrame, width: int) -> list[str]:
    run_count, depth = int(nodes["equal"].sum()), nodes["depth"][0]
    fraction = f"{100 * nodes['comparable'][0]:.0f}% of the pairs of {pluralize(run_count, 'run')} are comparable"
    text = f"first {pluralize(depth, 'document')}, better rankings above worse ones; {fraction}"
    return wrap_text(text, max_characters(width))


def _boxes(nodes: pl.DataFrame, pixels_per_unit: float, width: int) -> pl.DataFrame:
    """Return the boxes of nodes in pixels: edges, centre and text; texts are shortened until the boxes fit."""
    x = nodes["x"].to_numpy() * pixels_per_unit
    layer = nodes["y"].to_numpy().astype(np.int64)
    for characters, max_rows in _MAX_ROWS_BY_CHARACTERS.items():  # pragma: no branch - the last entry always suffices
        texts = _texts(nodes, characters)
        box_width = np.array([text_width(text) + 8 for text in texts])
        centre = np.clip(x, box_width / 2, np.maximum(width - box_width / 2, box_width / 2))
        row, row_count = _assign_rows(centre, box_width, layer)
        if row_count.max() <= max_rows:
            break
    top = np.concatenate([[0], np.cumsum(row_count * _ROW + _LAYER_GAP)])[layer] + row * _ROW
    return nodes.with_columns(
        pl.Series("text", texts, dtype=pl.String),
        pl.Series("x", centre),
        pl.Series("y", top + _BOX_HEIGHT / 2),
        left=pl.Series(centre - box_width / 2),
        right=pl.Series(centre + box_width / 2),
        top=pl.Series(top.astype(np.float64)),
        bottom=pl.Series(top + float(_BOX_HEIGHT)),
        level=pl.Series(layer),
        middle=pl.Series((np.cumsum(row_count * _ROW + _LAYER_GAP) - _LAYER_GAP - row_count * _ROW / 2)[layer]),
    )


def _texts(nodes: pl.DataFrame, characters: int) -> list[str]:
    """Return for each node the names of all its runs if they fit, else the first name and the number of others."""
    suffixes = [f" +{run_count - 1}" if run_count > 1 else "" for run_count in nodes["equal"]]
    short = shorten_names(nodes["run"], max(4, characters - max(map(len, suffixes))))
    names = zip(nodes["run"], nodes["runs"], suffixes, strict=True)
    return [runs if len(runs) <= characters else f"{short[run]}{suffix}" for run, runs, suffix in names]


def _assign_rows(centre: Floats, box_width: Floats, layer: Ints) -> tuple[Ints, Ints]:
    """Return the row of each box within its layer, and the number of rows of each layer, so that no boxes overlap."""
    row = np.zeros(len(layer), dtype=np.int64)
    row_count = np.ones(int(layer.max()) + 1, dtype=np.int64)
    for index in range(len(row_count)):
        boxes = np.flatnonzero(layer == index)
        boxes = boxes[np.argsort(centre[boxes], kind="stable")]
        while row_count[index] < min(_MAX_ROWS, len(boxes)) and _overlap(
            centre[boxes], box_width[boxes], int(row_count[index])
        ):
            row_count[index] += 1
        row[boxes] = np.arange(len(boxes)) % row_count[index]
    return row, row_count


def _overlap(centre: Floats, box_width: Floats, rows: int) -> bool:
    """Return True if boxes in the same row overlap; box i of the layer, from the left, is in row i modulo *rows*."""
    distance, minimum = centre[rows:] - centre[:-rows], (box_width[rows:] + box_width[:-rows]) / 2 + 4
    return bool((distance < minimum).any())


def _points(edges: pl.DataFrame, boxes: pl.DataFrame, pixels_per_unit: float) -> pl.DataFrame:
    """Return the points of the lines in pixels; lines start and end at boxes and bend in the middle of a layer."""
    step, last = pl.col("step"), pl.col("step").max().over("node", "below")
    end = pl.when(step == 0).then("node").when(step == last).then("below")
    centres = boxes.select(end="node", end_x="x", end_y="y")
    middle = boxes.select(pl.col("level").cast(pl.Float64).alias("y"), "middle").unique()
    points = edges.with_columns(end=end).join(centres, on="end", how="left", maintain_order="left")
    points = points.join(middle, on="y", how="left", maintain_order="left")
    x, y = pl.coalesce("end_x", pl.col("x") * pixels_per_unit), pl.coalesce("end_y", "middle")
    return points.select("node", "below", "step", x=x, y=y)
