"""Order of the runs on a topic whatever the measure, as a diagram.

A line leads down from a ranking to one that is worse for every measure that rewards relevant documents and early ranks:
at no rank has it found more. Rankings without a way down between them are incomparable, so that measures are free to
differ on them. Runs whose judged rankings are the same share a box. Only the lines that follow from no others are
drawn, and each ranking stands as high as it can below what is above it. Rankings of unequal length are incomparable
unless the shorter ones are padded (``--unequal pad``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import theory
from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.model.notes import count
from assay.results.names import shorten_names
from assay.theory._order import UNEQUAL, OrderReport
from assay.theory.hasse import Diagram, diagram, shares
from assay.views.plots._bands import breadth, letters, wrapped
from assay.views.plots._choice import topic_named
from assay.views.plots._figures import Data
from assay.views.plots._layers import LayeredLayout, layered
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
CHOICES = {"unequal": UNEQUAL}
WIDE = 640
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
    """Tabulate nodes, then edges (*kind*): the points of the lines from a *node* to the one *below*, by *step*.

    *x* runs from the left, *y* from the top, in layers. A node has the *run* that is best on the collection, all of its
    *runs*, how many there are (*equal*), and the *value* of the measure for the first *depth* documents. *comparable*
    is the share of pairs of runs that are not incomparable. The *most* runs with the best means are shown; unless a
    topic is named, the one with the median share is. A report, cut at *depth*, is shown by its first measure.
    """
    if depth < 1:
        raise InputError(f"depth must be at least 1, got {depth}")
    if most < 2:
        raise InputError(f"most must be at least 2, got {most}")
    report = source if isinstance(source, OrderReport) else theory.order(source, measure, depth=depth, unequal=unequal)
    results = report.results
    runs, notes = len(results.runs), report.notes
    if most < runs:
        best = f"the {most} best by {results.measures[0]}"
        notes = (*notes, f"{count(runs - most, 'run')} left out: {best} are shown")
    return Data(_tabulate(report, topic, depth, most), notes, report.provenance)


def _tabulate(report: OrderReport, topic: str | None, depth: int, most: int) -> pl.DataFrame:
    results = report.results
    best = results.best(results.measures[0])[:most]
    chosen = [results.runs.index(run) for run in best]
    at = _typical(report, chosen) if topic is None else topic_named(topic, results.topics, results.provenance)
    found = diagram(report, at, chosen)
    layout = layered(found.level, found.edges)
    same = {
        "topic": results.topics[at],
        "measure": str(results.measures[0]),
        "comparable": found.comparable,
        "depth": depth,
    }
    drawn = [*_nodes(report, found, layout, results.values[0, :, at]), *_edges(found, layout)]
    return pl.DataFrame([{**row, **same} for row in drawn], schema=_COLUMNS).with_columns(
        pl.col("value").fill_nan(None)
    )


def _typical(report: OrderReport, chosen: list[int]) -> int:
    """The topic with the median share of comparable pairs, among those on which not all runs are equal."""
    comparable, ordered = shares(report, chosen)
    useful = np.flatnonzero(ordered > 0)
    useful = useful if len(useful) else np.arange(len(comparable))
    return int(useful[np.argsort(comparable[useful], kind="stable")][(len(useful) - 1) // 2])


def _nodes(report: OrderReport, found: Diagram, layout: LayeredLayout, values: Floats) -> list[dict[str, Any]]:
    rows = []
    for node, (x, level) in enumerate(zip(layout.x.tolist(), found.level.tolist(), strict=True)):
        numbers = found.runs[found.node == node].tolist()
        names = [report.results.runs[number] for number in numbers]
        same = {"run": names[0], "runs": " = ".join(names), "equal": len(names), "value": float(values[numbers[0]])}
        rows.append({"kind": "node", "node": node, "x": x, "y": float(level), **same})
    return rows


def _edges(found: Diagram, layout: LayeredLayout) -> list[dict[str, Any]]:
    return [
        {"kind": "edge", "node": top, "below": bottom, "step": step, "x": x, "y": float(level)}
        for (top, bottom), line in zip(found.edges.tolist(), layout.lines, strict=True)
        for step, (x, level) in enumerate(line)
    ]


# Drawing ------------------------------------------------------------------------------------------------------

_ROW, _BETWEEN, _TALL = 19, 32, 15  # pixels: of rows within a layer, between layers, of a box
_MOST_ROWS = 8
_LETTERS = {36: 1, 24: 1, 18: 3, 14: 3, 10: 4, 7: 8}
"""Letters of a box, and rows within a layer that are no trouble with so many; fewer letters where there are many."""


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Boxes with names, in several rows where a layer has many, and lines behind them."""
    alt = altair()
    nodes, edges = frame.filter(pl.col("kind") == "node"), frame.filter(pl.col("kind") == "edge")
    if nodes.is_empty():
        return nothing("no run counts for the topic", style)
    width = style.room(WIDE) - 16
    across = width / (max(frame["x"].to_list()) + 0.5)
    boxes = _boxes(nodes, across, width)
    height = max(boxes["bottom"].to_list()) + 2

    def at(x: str, y: str) -> dict[str, Any]:
        """Places in pixels, from the left and from the top."""
        across, down = alt.Scale(domain=[0, width], nice=False), alt.Scale(domain=[height, 0], nice=False)
        return {"x": alt.X(f"{x}:Q", axis=None, scale=across), "y": alt.Y(f"{y}:Q", axis=None, scale=down)}

    value = alt.Tooltip("value:Q", format=".4f", title=frame["measure"][0])
    base = alt.Chart(rows(boxes), width=width, height=height)
    pills = base.mark_rect(style="soft", cornerRadius=4).encode(**at("left", "top"), x2="right:Q", y2="bottom:Q")
    names = base.mark_text(style="label").encode(**at("x", "y"), text="text:N")
    lines = alt.Chart(rows(_points(edges, boxes, across))).mark_line(
        style="reference", strokeDash=[1, 0], interpolate="cardinal", tension=0.5
    )
    shown = [each.encode(tooltip=["runs:N", "equal:Q", value]) for each in (pills, names)]
    title = alt.TitleParams(f"topic {nodes['topic'][0]}", subtitle=_told(nodes, width), limit=width)
    return alt.layer(  # type: ignore[no-any-return]
        lines.encode(**at("x", "y"), detail=["node:N", "below:N"], order="step:Q"), *shown
    ).properties(title=title)


def _told(nodes: pl.DataFrame, width: int) -> list[str]:
    runs, depth = int(nodes["equal"].sum()), nodes["depth"][0]
    share = f"{100 * nodes['comparable'][0]:.0f}% of the pairs of {count(runs, 'run')} are comparable"
    return wrapped(f"first {count(depth, 'document')}, better above worse; {share}", letters(width))


def _boxes(nodes: pl.DataFrame, across: float, width: int) -> pl.DataFrame:
    """The boxes of nodes in pixels: their edges, their centre and their text, as long as there is room for."""
    place = nodes["x"].to_numpy() * across
    level = nodes["y"].to_numpy().astype(np.int64)
    for most, rows_enough in _LETTERS.items():  # pragma: no branch - the last one is always enough
        texts = _texts(nodes, most)
        wide = np.array([breadth(text) + 8 for text in texts])
        centre = np.clip(place, wide / 2, np.maximum(width - wide / 2, wide / 2))
        row, many = _staggered(centre, wide, level)
        if many.max() <= rows_enough:
            break
    top = np.concatenate([[0], np.cumsum(many * _ROW + _BETWEEN)])[level] + row * _ROW
    return nodes.with_columns(
        pl.Series("text", texts, dtype=pl.String),
        pl.Series("x", centre),
        pl.Series("y", top + _TALL / 2),
        left=pl.Series(centre - wide / 2),
        right=pl.Series(centre + wide / 2),
        top=pl.Series(top.astype(np.float64)),
        bottom=pl.Series(top + float(_TALL)),
        level=pl.Series(level),
        middle=pl.Series((np.cumsum(many * _ROW + _BETWEEN) - _BETWEEN - many * _ROW / 2)[level]),
    )


def _texts(nodes: pl.DataFrame, most: int) -> list[str]:
    """For each node the names of all its runs if they fit, else that of the first one and how many more there are."""
    more = [f" +{equal - 1}" if equal > 1 else "" for equal in nodes["equal"]]
    room = max(4, most - max(map(len, more)))
    short = shorten_names(nodes["run"], room)
    named = zip(nodes["run"], nodes["runs"], more, strict=True)
    return [runs if len(runs) <= most else f"{short[run]}{others}" for run, runs, others in named]


def _staggered(centre: Floats, wide: Floats, level: Ints) -> tuple[Ints, Ints]:
    """For each box its row within its layer, and for each layer how many rows keep its boxes apart."""
    row = np.zeros(len(level), dtype=np.int64)
    many = np.ones(int(level.max()) + 1, dtype=np.int64)
    for layer in range(len(many)):
        inside = np.flatnonzero(level == layer)
        inside = inside[np.argsort(centre[inside], kind="stable")]
        while many[layer] < min(_MOST_ROWS, len(inside)) and _overlap(centre[inside], wide[inside], int(many[layer])):
            many[layer] += 1
        row[inside] = np.arange(len(inside)) % many[layer]
    return row, many


def _overlap(centre: Floats, wide: Floats, rows: int) -> bool:
    """Return whether neighbouring boxes in one of *rows* rows overlap."""
    apart, needed = centre[rows:] - centre[:-rows], (wide[rows:] + wide[:-rows]) / 2 + 4
    return bool((apart < needed).any())


def _points(edges: pl.DataFrame, boxes: pl.DataFrame, across: float) -> pl.DataFrame:
    """The points of lines in pixels: they begin and end at boxes, and bend in the middle of a layer."""
    centres = {node: (x, y) for node, x, y in boxes.select("node", "x", "y").iter_rows()}
    middle = dict(boxes.select("level", "middle").iter_rows())
    last = edges.group_by("node", "below").agg(last=pl.col("step").max())
    found = []
    for row in edges.join(last, on=["node", "below"], maintain_order="left").iter_rows(named=True):
        end = row["node"] if row["step"] == 0 else row["below"] if row["step"] == row["last"] else None
        x, y = (row["x"] * across, middle[int(row["y"])]) if end is None else centres[end]
        found.append({"node": row["node"], "below": row["below"], "step": row["step"], "x": x, "y": y})
    schema = {"node": pl.Int64, "below": pl.Int64, "step": pl.Int64, "x": pl.Float64, "y": pl.Float64}
    return pl.DataFrame(found, schema=schema)
