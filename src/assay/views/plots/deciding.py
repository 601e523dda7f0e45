"""Two rankings of a topic side by side: which documents decide the difference between two runs.

A column is a run, a cell the document at a rank: filled if it is relevant, the stronger the higher its grade, pale if
it is not, dashed if nobody has judged it. Lines join the same document. Coloured ones are relevant documents, in the
colour of the run that has them higher; a number in place of a line is the rank of the document in the other run if that
lies further down, a dash that the other run has it nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures._threshold import relevant_levels
from assay.model.arrays import Ints
from assay.model.rankings import Rankings
from assay.results._evaluate import evaluate
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance.deciding import deciding_documents, measured_rankings
from assay.views.plots._bands import breadth, letters
from assay.views.plots._choice import topic_named, two_runs
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
KEEP = "documents"
WIDE = 480
_COLUMNS = (
    *("side", "run", "rank", "document", "grade", "relevant", "other_rank"),
    *("favours", "effect", "value", "topic", "measure"),
)


def data(
    source: Campaign,
    *,
    measure: str = "AP",
    pair: Sequence[str] | None = None,
    topic: str | None = None,
    depth: int = 20,
) -> Data:
    """Tabulate a row for each run (*side* ``a`` and ``b``) and rank down to *depth*: the document there.

    *grade* is null if nobody has judged it; *relevant* says whether the measure takes it for relevant. *other_rank* is
    its rank in the other run, null if that does not have it.
    *favours* is the side that has a relevant document higher, null for all other documents, and *effect* how much of
    the difference of a and b a relevant document makes (see ``significance.deciding``). *value* is that of the
    measure for the run on the topic. A run that has nothing for the topic has one row, without a rank and a document.
    Unless they are named, the two best runs are shown, and the topic on which they differ most.
    """
    if depth < 1:
        raise InputError(f"depth must be at least 1, got {depth}")
    results = evaluate(source, measure)
    a, b = two_runs(pair, results.best(results.measures[0]), results.provenance)
    rankings = measured_rankings(source, a, b)
    at = _furthest(results, a, b) if topic is None else topic_named(topic, results.topics, results.provenance)
    where, chosen = results.topics[at], results.measures[0]
    relevant = np.concatenate([[False], relevant_levels(chosen, rankings.levels)])
    own, other = (np.arange(rankings.start[run, at], rankings.stop[run, at]) for run in (0, 1))
    parts = [
        _side(rankings, places, others, relevant, depth).with_columns(
            side=pl.lit(side), run=pl.lit(run), value=pl.lit(float(results.values[0, results.runs.index(run), at]))
        )
        for side, run, places, others in (("a", a, own, other), ("b", b, other, own))
    ]
    effects = deciding_documents(source, chosen, a, b, topics=[where])
    frame = pl.concat(parts).with_columns(topic=pl.lit(where), measure=pl.lit(str(chosen)), favours=_favours())
    frame = frame.join(effects.select("document", "effect"), on="document", how="left", maintain_order="left")
    frame = frame.select(_COLUMNS).with_columns(
        pl.col("grade", "value").fill_nan(None), pl.col("other_rank").replace(0, None)
    )
    return Data(frame, results.notes, results.provenance)


def _side(rankings: Rankings, places: Ints, others: Ints, relevant: np.ndarray, depth: int) -> pl.DataFrame:
    """Tabulate the first documents of one ranking; *others* are the places of the documents of the other one."""
    own = places[:depth]
    frame = pl.DataFrame(
        {
            "rank": np.arange(1, len(own) + 1),
            "document": rankings.doc.gather(own).cast(pl.String),
            "grade": np.concatenate([[np.nan], rankings.levels])[rankings.code[own]],
            "relevant": relevant[rankings.code[own]],
            "other_rank": _ranks(rankings.key[own], rankings.key[others]),
        }
    )
    return frame if len(frame) else frame.clear(1)


def _favours() -> pl.Expr:
    """The side that has a relevant document higher; an *other_rank* of 0 is none."""
    rank, other = pl.col("rank"), pl.col("other_rank")
    relevant = pl.col("relevant")
    opposite = pl.when(pl.col("side") == "a").then(pl.lit("b")).otherwise(pl.lit("a"))
    higher, lower = relevant & ((other == 0) | (rank < other)), relevant & (other > 0) & (rank > other)
    return pl.when(higher).then(pl.col("side")).when(lower).then(opposite).otherwise(None)


def _furthest(results: Results, a: str, b: str) -> int:
    """The topic on which two runs differ most."""
    first, second = (results.values[0, results.runs.index(run)] for run in (a, b))
    apart = np.abs(np.where(first == second, 0.0, first - second))
    return int(np.argmax(np.where(np.isnan(apart), -1.0, apart)))


def _ranks(own: np.ndarray, other: np.ndarray) -> Ints:
    """Return for each document its rank in the other ranking, 0 if it is not there."""
    if not len(other):
        return np.zeros(len(own), dtype=np.int64)
    order = np.argsort(other, kind="stable")
    at = np.minimum(np.searchsorted(other[order], own), len(other) - 1)
    return np.where(other[order][at] == own, order[at] + 1, 0)


# Drawing: all places are pixels from the left and from the top ------------------------------------------------

_RANKS, _CELL, _GUTTER, _TOP, _ROW = 26, 20, 24, 42, 15
_LINES = (110, 260)  # between the columns, at least and at most
_LETTER = 6.8  # names of documents have many capitals and digits
_READABLE = 10  # pixels of a row that a label fits in
_HOVER = ("document:N", "run:N", "rank:Q", "grade:Q", "other_rank:Q", "effect:Q")


class _ColumnSheet(NamedTuple):
    """The width, how high a row is, how many there are, and where the two columns of cells begin."""

    width: int
    row: float
    depth: int
    left: float
    right: float

    @classmethod
    def of(cls, frame: pl.DataFrame, room: int) -> _ColumnSheet:
        """As wide as the names need, if there is room."""
        depth = max(frame["rank"].to_list())
        row = float(_ROW) if depth <= 40 else max(3.0, 600 / depth)
        cells = _RANKS + 2 * _CELL
        names = min((room - cells - _LINES[0]) / 2, _LETTER * max(map(len, frame["document"].to_list())) + 8)
        names = names if row >= _READABLE else 0.0
        width = min(room, int(cells + 2 * names + _LINES[1]))
        return cls(width, row, depth, _RANKS + names, width - names - _CELL)

    @property
    def bottom(self) -> float:
        """The lower end of the cells."""
        return _TOP + self.row * self.depth

    @property
    def height(self) -> float:
        """With the legend."""
        return self.bottom + (30 if self.width >= 360 else 46)

    def at(self, x: str = "x", y: str = "y") -> dict[str, Any]:
        """Encodings of places."""
        alt = altair()
        across, down = (alt.Scale(domain=domain, nice=False) for domain in ([0, self.width], [self.height, 0]))
        return {"x": alt.X(f"{x}:Q", axis=None, scale=across), "y": alt.Y(f"{y}:Q", axis=None, scale=down)}

    def middle(self, rank: str) -> pl.Expr:
        """The middle of the row of a rank."""
        return _TOP + (pl.col(rank) - 0.5) * self.row


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Two columns of cells with the names of documents outside, and lines between them."""
    alt = altair()
    there = frame.drop_nulls("rank")
    if there.is_empty():
        return nothing("neither run has the topic", style)
    sheet = _ColumnSheet.of(there, style.room(WIDE) - 16)
    cells = pl.concat([_cells(there, sheet), _legend(there, sheet)], how="diagonal")
    layers = [*_joins(there, sheet, style), *_boxes(cells, sheet, style), *_words(cells, sheet, style)]
    layers += _heads(frame, sheet, style)
    title = alt.TitleParams(f"topic {frame['topic'][0]}", limit=sheet.width)
    return alt.layer(*layers).properties(width=sheet.width, height=sheet.height, title=title)  # type: ignore[no-any-return]


def _looks(frame: pl.DataFrame) -> pl.DataFrame:
    """With the kind of each cell and how strong its colour is."""
    grade = pl.col("grade")
    known = pl.when("relevant").then(pl.lit("relevant")).otherwise(pl.lit("not relevant"))
    best = max((each for each in frame["grade"].to_list() if each is not None), default=1.0)
    return frame.with_columns(
        kind=pl.when(grade.is_null()).then(pl.lit("unjudged")).otherwise(known),
        strength=pl.when("relevant").then(0.35 + 0.65 * grade / max(best, 1e-9)),
    )


def _cells(frame: pl.DataFrame, sheet: _ColumnSheet) -> pl.DataFrame:
    left = pl.when(pl.col("side") == "a").then(sheet.left).otherwise(sheet.right)
    top = sheet.middle("rank") - sheet.row / 2
    bottom = top + sheet.row - (1.0 if sheet.row > 5 else 0.0)
    return _looks(frame).with_columns(left=left, right=left + _CELL, top=top, bottom=bottom, y=sheet.middle("rank"))


def _legend(frame: pl.DataFrame, sheet: _ColumnSheet) -> pl.DataFrame:
    """A cell for each kind that is there, with its word: below the columns, in lines that fit."""
    kinds = _looks(frame).select("grade", "kind", "strength").unique().sort("grade", descending=True, nulls_last=True)
    kinds = kinds.unique(["kind", "strength"], maintain_order=True)
    x, y, found = 0.0, sheet.bottom + 20, []
    for grade, kind, strength in kinds.iter_rows():
        text = f"grade {grade:g}" if kind == "relevant" else kind
        long = 26 + breadth(text)
        x, y = (0.0, y + 16) if x + long > sheet.width else (x, y)
        box = {"left": x, "right": x + 14, "top": y - 6, "bottom": y + 6, "y": y}
        found.append({**box, "kind": kind, "strength": strength, "text": text})
        x += long + 10
    return pl.DataFrame(found, schema_overrides={"strength": pl.Float64})


def _boxes(cells: pl.DataFrame, sheet: _ColumnSheet, style: Style) -> list[Any]:
    alt = altair()
    marks: dict[str, dict[str, Any]] = {
        "not relevant": {"style": "soft"},
        "unjudged": {"style": "reference", "filled": False},
        "relevant": {"color": style.colours.right},
    }
    layers = []
    for kind, mark in marks.items():
        boxes = alt.Chart(rows(cells.filter(pl.col("kind") == kind))).mark_rect(**mark)
        boxes = boxes.encode(**sheet.at("left", "top"), x2="right:Q", y2="bottom:Q", tooltip=list(_HOVER))
        strong = alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
        layers.append(boxes.encode(opacity=strong) if kind == "relevant" else boxes)
    return layers


def _joins(frame: pl.DataFrame, sheet: _ColumnSheet, style: Style) -> list[Any]:
    """Lines between the columns: thin ones, and those of relevant documents."""
    alt = altair()
    shown = frame.filter(pl.col("side") == "b")["rank"]
    both = frame.filter((pl.col("side") == "a") & pl.col("other_rank").is_in(shown.to_list()))
    ends = (sheet.left + _CELL, sheet.left + _CELL + _GUTTER, sheet.right - _GUTTER, sheet.right)
    points = pl.concat(
        [
            both.with_columns(x=pl.lit(x), y=sheet.middle("rank" if step < 2 else "other_rank"), step=pl.lit(step))
            for step, x in enumerate(ends)
        ]
    ).with_columns(which=pl.col("favours").fill_null("same"))
    places = {**sheet.at(), "detail": "rank:N", "order": "step:Q", "tooltip": list(_HOVER)}
    relevant = pl.col("relevant")
    shades = [style.colours.early, style.colours.late, style.colours.right]
    colour = alt.Color("which:N", scale=alt.Scale(domain=["a", "b", "same"], range=shades), legend=None)
    thin, thick = alt.Chart(rows(points.filter(~relevant))), alt.Chart(rows(points.filter(relevant)))
    return [
        thin.mark_line(style="reference", strokeDash=[1, 0], strokeWidth=0.7).encode(**places),
        thick.mark_line(strokeWidth=1.8).encode(**places, color=colour),
    ]


def _words(cells: pl.DataFrame, sheet: _ColumnSheet, style: Style) -> list[Any]:
    """Layers of text: the legend, ranks, names of documents, and their ranks in the other run."""
    legend = cells.filter(pl.col("side").is_null()).with_columns(x=pl.col("right") + 5)
    every = max(1, -(-_READABLE // int(sheet.row)))
    ranks = pl.DataFrame({"rank": np.arange(1, sheet.depth + 1, every)}).with_columns(
        x=pl.lit(_RANKS - 8.0), y=sheet.middle("rank"), text=pl.col("rank").cast(pl.String)
    )
    layers = [_text(legend, sheet, "left", "muted"), _text(ranks, sheet, "right", "muted")]
    for name, shade in (("a", style.colours.early), ("b", style.colours.late)):
        own, other = (cells.filter(side) for side in (pl.col("side") == name, pl.col("side") != name))
        if sheet.row >= _READABLE:
            layers += [_documents(own, sheet), _elsewhere(own, other["rank"].to_list(), sheet, shade)]
    return layers


def _text(texts: pl.DataFrame, sheet: _ColumnSheet, align: str, style: str, shade: str | None = None) -> Any:
    """A layer of words; *texts* has their places and what they say."""
    alt = altair()
    chart = alt.Chart(rows(texts)).mark_text(style=style, align=align, baseline="middle")
    hover = list(_HOVER) if "document" in texts.columns else []
    chart = chart.encode(**sheet.at(), text="text:N", tooltip=hover)
    return chart if shade is None else chart.encode(color=alt.value(shade))


def _heads(frame: pl.DataFrame, sheet: _ColumnSheet, style: Style) -> list[Any]:
    """Above each column its run, or in place of it that the run has nothing for the topic."""
    sides = (("a", style.colours.early), ("b", style.colours.late))
    short = shorten_names(frame["run"].unique(maintain_order=True), letters(sheet.width / 2 - 8))
    return [
        layer
        for side, shade in sides
        for layer in _head(frame.filter(pl.col("side") == side).head(1), short, sheet, shade)
    ]


def _head(own: pl.DataFrame, short: Mapping[str, str], sheet: _ColumnSheet, shade: str) -> list[Any]:
    """The name of a run in its colour, and under it the value of the measure."""
    if own.is_empty():
        return []
    align, x = ("left", 0.0) if own["side"][0] == "a" else ("right", float(sheet.width))
    value = "no value" if own["value"][0] is None else f"{own['value'][0]:.4f}"
    told = ((short[own["run"][0]], 8.0), (f"{own['measure'][0]} {value}", 23.0))
    name, number = (pl.DataFrame({"x": [x], "y": [y], "text": [text]}) for text, y in told)
    layers = [_text(name, sheet, align, "label", shade), _text(number, sheet, align, "muted")]
    if own["rank"][0] is None:
        beside = x if align == "right" else float(_RANKS)
        none = pl.DataFrame({"x": [beside], "y": [_TOP + _ROW / 2], "text": ["no documents"]})
        layers.append(_text(none, sheet, align, "muted"))
    return layers


def _documents(own: pl.DataFrame, sheet: _ColumnSheet) -> Any:
    most = letters(sheet.left - _RANKS - 6, _LETTER)
    short = shorten_names(own["document"], most)
    texts = pl.Series("text", [short[each] for each in own["document"]], dtype=pl.String)
    before = own["side"].to_list()[:1] == ["a"]
    x = pl.col("left") - 5 if before else pl.col("right") + 5
    return _text(own.with_columns(texts, x=x), sheet, "right" if before else "left", "label")


def _elsewhere(own: pl.DataFrame, others: list[int], sheet: _ColumnSheet, shade: str) -> Any:
    """The ranks of relevant documents in the other run where no line leads to them."""
    joined_up = pl.col("other_rank").is_in(others).fill_null(value=False)
    away = own.filter(pl.col("relevant") & ~joined_up)
    before = own["side"].to_list()[:1] == ["a"]
    x = pl.col("right") + 5 if before else pl.col("left") - 5
    text = pl.col("other_rank").cast(pl.String).fill_null("–")
    return _text(away.with_columns(x=x, text=text), sheet, "left" if before else "right", "label", shade)
