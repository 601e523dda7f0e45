"""Two rankings of a topic side by side: documents that decide the difference between two runs.

Each column is a run, and each cell is the document at a rank. Cells of relevant documents are filled, and higher grades
are darker. Cells of non-relevant documents are pale, and cells of unjudged documents are dashed. Lines connect the same
document in both runs. The line of a relevant document has the colour of the run that ranks the document higher. If the
rank in the other run is below the ranks shown, the rank is printed instead of a line. A dash means that the other run
does not retrieve the document. With the texts of queries and documents, the figure shows the query, the beginning of
each document if there is space, and more of it in the tooltip.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures._threshold import relevant_levels
from assay.model.arrays import Ints
from assay.model.rankings import Rankings
from assay.results._evaluate import evaluate
from assay.results.names import shorten, shorten_names
from assay.results.results import Results
from assay.significance.document_contributions import explain_differences, select_rankings
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, text_width
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_minimum, find_pair, find_topic
from assay.views.plots._style import Style, empty_chart, pixel_axes, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
KEEP = "documents"
TEXTS = True
DEFAULT_WIDTH = 480
_SNIPPET = 300
"""Maximum number of characters of the text of a document."""
_COLUMNS = (
    *("side", "run", "rank", "document", "grade", "relevant", "other_rank"),
    *("favours", "effect", "value", "topic", "measure", "query", "title", "text"),
)


def data(
    source: Campaign,
    *,
    measure: str = "AP",
    pair: Sequence[str] | None = None,
    topic: str | None = None,
    depth: int = 20,
) -> Data:
    """Tabulate the first *depth* documents of each run (*side* ``a`` and ``b``), one row per rank.

    *grade* is null for an unjudged document. *relevant* is true if the measure counts the document as relevant.
    *other_rank* is the rank of the document in the other run; null if the other run does not retrieve it. *favours* is
    the side that ranks a relevant document higher; null for non-relevant documents. *effect* is the contribution of a
    relevant document to the difference a - b, as in :func:`assay.topics`; the effects of all documents that the runs
    retrieve sum to the difference. It is null if documents cannot explain values of the measure. *value* is the value
    of the measure for the run on the topic. *query* is the text of the query, and *title* and *text* are the title of
    the document and the beginning of its text; null if they were not given. A run without documents for the topic has
    one row, without rank and document. By default, the two best runs and the topic on which they differ most are shown.
    """
    check_minimum("depth", depth, 1)
    results = evaluate(source, measure)
    first_measure = results.measures[0]
    a, b = find_pair(pair, results.best(first_measure), results.provenance)
    rankings = select_rankings(source, (a, b))
    if topic is None:
        topic_index = _most_different_topic(results, a, b)
    else:
        topic_index = find_topic(topic, results.topics, results.provenance)
    relevant = np.concatenate([[False], relevant_levels(first_measure, rankings.levels)])
    own, other = (np.arange(rankings.start[run, topic_index], rankings.stop[run, topic_index]) for run in (0, 1))
    sides = [
        _side(rankings, rows_of_run, rows_of_other, relevant, depth).with_columns(
            side=pl.lit(side),
            run=pl.lit(run),
            value=pl.lit(float(results.values[0, results.runs.index(run), topic_index])),
        )
        for side, run, rows_of_run, rows_of_other in (("a", a, own, other), ("b", b, other, own))
    ]
    topic_name = results.topics[topic_index]
    effects, notes = _compute_effects(source, first_measure, (a, b), topic_name)
    frame = pl.concat(sides).join(effects, on="document", how="left", maintain_order="left")
    frame = frame.with_columns(topic=pl.lit(topic_name), measure=pl.lit(str(first_measure)), favours=_favours())
    frame = _add_texts(frame, source, topic_name)
    frame = frame.select(_COLUMNS).with_columns(
        pl.col("grade", "value").fill_nan(None), pl.col("other_rank").replace(0, None)
    )
    return Data(frame, (*results.notes, *notes), results.provenance)


def _compute_effects(
    source: Campaign, measure: Measure, pair: tuple[str, str], topic: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the contribution of each relevant document to the difference a - b, and a note if there are none."""
    a, b = pair
    try:
        documents = explain_differences(source, measure, (b, a), [topic])
    except MeasureError as error:
        return pl.DataFrame(schema={"document": pl.String, "effect": pl.Float64}), (f"no effects: {error}",)
    return documents.select("document", pl.col("contribution").alias("effect")), ()


def _add_texts(frame: pl.DataFrame, campaign: Campaign, topic: str) -> pl.DataFrame:
    """Add the text of the query, and the title and the beginning of the text of each document."""
    documents = campaign.docs.fetch(frame["document"].drop_nulls().unique(maintain_order=True)) if campaign.docs else {}
    texts = [documents.get(name) or ("", "") for name in frame["document"].to_list()]
    query = campaign.queries.fetch([topic])[topic] if campaign.queries else None
    return frame.with_columns(
        pl.lit(_clean(query or "", _SNIPPET), pl.String).alias("query"),
        *(
            pl.Series(name, [_clean(text[column], _SNIPPET) for text in texts], pl.String)
            for column, name in enumerate(("title", "text"))
        ),
    )


def _clean(text: str, length: int) -> str | None:
    """Return the beginning of a text on one line, at most *length* characters; None if the text is empty."""
    line = " ".join(text[: 4 * length].split())
    return (line if len(line) <= length else f"{line[: length - 1].rstrip()}…") or None


def _side(rankings: Rankings, own: Ints, other: Ints, relevant: np.ndarray, depth: int) -> pl.DataFrame:
    """Tabulate the first *depth* documents of a ranking; *own* and *other* index the documents of the two rankings."""
    own = own[:depth]
    frame = pl.DataFrame(
        {
            "rank": np.arange(1, len(own) + 1),
            "document": rankings.doc.gather(own).cast(pl.String),
            "grade": np.concatenate([[np.nan], rankings.levels])[rankings.code[own]],
            "relevant": relevant[rankings.code[own]],
            "other_rank": _find_ranks(rankings.key[own], rankings.key[other]),
        }
    )
    return frame if len(frame) else frame.clear(1)


def _favours() -> pl.Expr:
    """Return an expression for the side that ranks a relevant document higher; *other_rank* 0 means not retrieved."""
    rank, other, relevant = pl.col("rank"), pl.col("other_rank"), pl.col("relevant")
    opposite = pl.when(pl.col("side") == "a").then(pl.lit("b")).otherwise(pl.lit("a"))
    higher, lower = relevant & ((other == 0) | (rank < other)), relevant & (other > 0) & (rank > other)
    return pl.when(higher).then("side").when(lower).then(opposite)


def _most_different_topic(results: Results, a: str, b: str) -> int:
    """Return the index of the topic on which two runs differ most."""
    first, second = (results.values[0, results.runs.index(run)] for run in (a, b))
    # Equal infinite values have the difference 0, not NaN.
    difference = np.abs(np.where(first == second, 0.0, first - second))
    return int(np.argmax(np.where(np.isnan(difference), -1.0, difference)))


def _find_ranks(own: np.ndarray, other: np.ndarray) -> Ints:
    """Return the rank of each document in the other ranking, 0 if the other ranking does not contain it."""
    if not len(other):
        return np.zeros(len(own), dtype=np.int64)
    order = np.argsort(other, kind="stable")
    index = np.minimum(np.searchsorted(other[order], own), len(other) - 1)
    return np.where(other[order][index] == own, order[index] + 1, 0)


# Drawing: all positions are pixels from the left and from the top ---------------------------------------------

_RANK_WIDTH, _CELL_WIDTH, _GUTTER, _TOP, _MAX_ROW = 26, 20, 24, 42, 15
_LINES = (110, 260)  # minimum and maximum distance between the columns
_CHARACTER_WIDTH = 6.8  # above average, because document ids have many capitals and digits
_MIN_NAMES = 48  # minimum width of document ids, in pixels
_MIN_WORDS, _MAX_WORDS = 8, 40  # characters of the title or text of a document beside its id
_MIN_TEXT_ROW = 10  # minimum height of a row with text, in pixels


def _tooltip(frame: pl.DataFrame) -> list[alt.Tooltip]:
    texts = [f"{name}:N" for name in ("title", "text") if frame[name].is_not_null().any()]
    return tooltip("document:N", "run:N", "rank:Q", "grade:Q", "other_rank:Q", "effect:Q", *texts)


class _PairLayout(NamedTuple):
    """Layout: total width, height of a row, number of rows (*depth*), and left ends of the two columns of cells.

    All sizes and positions are in pixels.
    """

    width: int
    row: float
    depth: int
    left: float
    right: float

    @classmethod
    def fit(cls, frame: pl.DataFrame, available: int) -> _PairLayout:
        """Return a layout as wide as the names need, but at most *available* pixels."""
        depth = max(frame["rank"].to_list())
        row = float(_MAX_ROW) if depth <= 40 else max(3.0, 600 / depth)
        cells = _RANK_WIDTH + 2 * _CELL_WIDTH
        longest = max(map(len, frame["document"].to_list()))
        if frame.select("title", "text").null_count().sum_horizontal()[0] < 2 * len(frame):
            longest += _MAX_WORDS
        needed = _CHARACTER_WIDTH * longest + 8
        names = min((available - cells - _LINES[0]) / 2, needed)
        names = names if row >= _MIN_TEXT_ROW and names >= min(_MIN_NAMES, needed) else 0.0
        width = min(available, int(cells + 2 * names + _LINES[1]))
        return cls(width, row, depth, _RANK_WIDTH + names, width - names - _CELL_WIDTH)

    @property
    def bottom(self) -> float:
        """Lower end of the cells."""
        return _TOP + self.row * self.depth

    @property
    def height(self) -> float:
        """Total height, including the legend."""
        return self.bottom + (30 if self.width >= 360 else 46)

    def axes(self, x: str = "x", y: str = "y") -> tuple[alt.X, alt.Y]:
        """Return channels for two columns of positions."""
        return pixel_axes(x, y, self.width, self.height)

    def middle(self, rank: str) -> pl.Expr:
        """Return the vertical middle of the row of a rank."""
        return _TOP + (pl.col(rank) - 0.5) * self.row


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw two columns of cells, lines between the columns, and document ids to the left and right of the columns."""
    documents = frame.drop_nulls("rank")
    if documents.is_empty():
        return empty_chart("neither run retrieves documents for the topic", style)
    layout = _PairLayout.fit(documents, style.total_width(DEFAULT_WIDTH) - 16)
    cells = pl.concat([_cells(documents, layout), _legend(documents, layout)], how="diagonal")
    layers = [*_lines(documents, layout, style), *_boxes(cells, layout, style), *_texts(cells, layout, style)]
    layers += _headings(frame, layout, style)
    title = alt.Title(_heading(frame, layout.width), limit=layout.width)
    return alt.layer(*layers, width=layout.width, height=layout.height, title=title)


def _heading(frame: pl.DataFrame, width: float) -> list[str]:
    """Return the topic and the text of its query, in at most three lines."""
    characters = max_characters(width, BOLD_CHARACTER_WIDTH)
    topic, query = (frame[name][0] for name in ("topic", "query"))
    text = shorten(topic, characters - 6) if query is None else f"{shorten(topic, characters - 7)}: {query}"
    return textwrap.wrap(f"topic {text}", characters, max_lines=3, placeholder=" …", break_on_hyphens=False)


def _add_kinds(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the kind of each cell and the strength of its colour."""
    grade = pl.col("grade")
    known = pl.when("relevant").then(pl.lit("relevant")).otherwise(pl.lit("not relevant"))
    return frame.with_columns(
        kind=pl.when(grade.is_null()).then(pl.lit("unjudged")).otherwise(known),
        strength=pl.when("relevant").then(0.35 + 0.65 * grade / grade.max().clip(1e-9)),
    )


def _cells(frame: pl.DataFrame, layout: _PairLayout) -> pl.DataFrame:
    left = pl.when(pl.col("side") == "a").then(layout.left).otherwise(layout.right)
    top = layout.middle("rank") - layout.row / 2
    bottom = top + layout.row - (1.0 if layout.row > 5 else 0.0)
    return _add_kinds(frame).with_columns(
        left=left, right=left + _CELL_WIDTH, top=top, bottom=bottom, y=layout.middle("rank")
    )


def _legend(frame: pl.DataFrame, layout: _PairLayout) -> pl.DataFrame:
    """Return a cell with a label for each kind that occurs, below the columns, in lines that fit the width."""
    kinds = _add_kinds(frame).select("grade", "kind", "strength").sort("grade", descending=True, nulls_last=True)
    kinds = kinds.unique(["kind", "strength"], keep="first", maintain_order=True)
    x, y, entries = 0.0, layout.bottom + 20, []
    for grade, kind, strength in kinds.iter_rows():
        text = f"grade {grade:g}" if kind == "relevant" else kind
        width = 26 + text_width(text)
        x, y = (0.0, y + 16) if x + width > layout.width else (x, y)
        box = {"left": x, "right": x + 14, "top": y - 6, "bottom": y + 6, "y": y}
        entries.append({**box, "kind": kind, "strength": strength, "label": text})
        x += width + 10
    return pl.DataFrame(entries, schema_overrides={"strength": pl.Float64})


def _boxes(cells: pl.DataFrame, layout: _PairLayout, style: Style) -> list[alt.Chart]:
    channels = [*layout.axes("left", "top"), alt.X2("right:Q"), alt.Y2("bottom:Q"), _tooltip(cells)]
    kinds = ("not relevant", "unjudged", "relevant")
    pale, dashed, filled = (alt.Chart(rows(cells.filter(pl.col("kind") == kind))).encode(*channels) for kind in kinds)
    opacity = alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    return [
        pale.mark_rect(style="soft"),
        dashed.mark_rect(style="reference", filled=False),
        filled.mark_rect(color=style.colours.right).encode(opacity),
    ]


def _lines(frame: pl.DataFrame, layout: _PairLayout, style: Style) -> list[alt.Chart]:
    """Draw lines between the columns: coloured lines for relevant documents, thin grey lines for others."""
    visible_ranks = frame.filter(pl.col("side") == "b")["rank"].to_list()
    connected = frame.filter((pl.col("side") == "a") & pl.col("other_rank").is_in(visible_ranks))
    xs = (layout.left + _CELL_WIDTH, layout.left + _CELL_WIDTH + _GUTTER, layout.right - _GUTTER, layout.right)
    points = pl.concat(
        connected.with_columns(x=pl.lit(x), y=layout.middle("rank" if step < 2 else "other_rank"), step=pl.lit(step))
        for step, x in enumerate(xs)
    ).with_columns(which=pl.col("favours").fill_null("same"))
    shades = [style.colours.early, style.colours.late, style.colours.right]
    colour = alt.Color("which:N", scale=alt.Scale(domain=["a", "b", "same"], range=shades), legend=None)
    channels = [*layout.axes(), alt.Detail("rank:N"), alt.Order("step:Q"), _tooltip(frame)]
    thin, thick = (
        alt.Chart(rows(points.filter(mask))).encode(*channels) for mask in (~pl.col("relevant"), pl.col("relevant"))
    )
    return [
        thin.mark_line(style="reference", strokeDash=[1, 0], strokeWidth=0.7),
        thick.mark_line(strokeWidth=1.8).encode(colour),
    ]


def _texts(cells: pl.DataFrame, layout: _PairLayout, style: Style) -> list[alt.Chart]:
    """Draw the texts: legend, ranks, document ids, and ranks in the other run."""
    legend = cells.filter(pl.col("side").is_null()).with_columns(x=pl.col("right") + 5)
    step = max(1, -(-_MIN_TEXT_ROW // int(layout.row)))
    ranks = pl.DataFrame({"rank": np.arange(1, layout.depth + 1, step)}).with_columns(
        x=pl.lit(_RANK_WIDTH - 8.0), y=layout.middle("rank"), label=pl.col("rank").cast(pl.String)
    )
    layers = [_text(legend, layout, "left", "muted"), _text(ranks, layout, "right", "muted")]
    if layout.row < _MIN_TEXT_ROW or layout.left == _RANK_WIDTH:
        return layers
    left, right = pl.col("left") - 5, pl.col("right") + 5
    for side, outer, inner, outer_align, inner_align, shade in (
        ("a", left, right, "right", "left", style.colours.early),
        ("b", right, left, "left", "right", style.colours.late),
    ):
        own, other = cells.filter(pl.col("side") == side), cells.filter(pl.col("side") != side)
        labels = _label_documents(own, max_characters(layout.left - _RANK_WIDTH - 6, _CHARACTER_WIDTH))
        documents = own.with_columns(label=pl.Series(labels, dtype=pl.String), x=outer)
        # A relevant document without a line has its rank in the other run beside it; a dash means not retrieved.
        connected = pl.col("other_rank").is_in(other["rank"].to_list()).fill_null(value=False)
        unconnected = own.filter(pl.col("relevant") & ~connected)
        other_ranks = unconnected.with_columns(label=pl.col("other_rank").cast(pl.String).fill_null("–"), x=inner)
        layers.append(_text(documents, layout, outer_align, "label"))
        layers.append(_text(other_ranks, layout, inner_align, "label", shade))
    return layers


def _label_documents(frame: pl.DataFrame, characters: int) -> list[str]:
    """Return the id of each document, and the beginning of its title or text if there is space for some words."""
    short = shorten_names(frame["document"], characters)
    words = frame.select(pl.coalesce("title", "text")).to_series()
    labels = []
    for document, text in zip(frame["document"], words, strict=True):
        room = characters - len(short[document]) - 2
        beginning = _clean(text, room) if text is not None and room >= _MIN_WORDS else None
        labels.append(short[document] if beginning is None else f"{short[document]}  {beginning}")
    return labels


def _text(texts: pl.DataFrame, layout: _PairLayout, align: Any, style: str, shade: str | None = None) -> Any:
    """Draw texts at their positions: columns x, y and label."""
    chart = alt.Chart(rows(texts)).mark_text(style=style, align=align, baseline="middle")
    fields = _tooltip(texts) if "document" in texts.columns else []
    colour = {} if shade is None else {"color": alt.value(shade)}
    return chart.encode(*layout.axes(), alt.Text("label:N"), tooltip=fields, **colour)


def _headings(frame: pl.DataFrame, layout: _PairLayout, style: Style) -> list[alt.Chart]:
    """Draw above each column the name of its run, the value of the measure, and a note if there are no documents."""
    short = shorten_names(frame["run"].unique(maintain_order=True), max_characters(layout.width / 2 - 8))
    layers = []
    for side in frame.unique("side", keep="first", maintain_order=True).iter_rows(named=True):
        align, x, note_x, shade = ("left", 0.0, float(_RANK_WIDTH), style.colours.early)
        if side["side"] == "b":
            align, x, note_x, shade = ("right", float(layout.width), float(layout.width), style.colours.late)
        value = "no value" if side["value"] is None else f"{side['value']:.4f}"
        measure = shorten(side["measure"], max_characters(layout.width / 2 - 8) - len(value) - 1)
        texts = [(short[side["run"]], x, 8.0, "label", shade), (f"{measure} {value}", x, 23.0, "muted", None)]
        if side["rank"] is None:
            texts.append(("no documents", note_x, _TOP + _MAX_ROW / 2, "muted", None))
        for text, left, y, kind, colour in texts:
            line = pl.DataFrame({"x": [left], "y": [y], "label": [text]})
            layers.append(_text(line, layout, align, kind, colour))
    return layers
