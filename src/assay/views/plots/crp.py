"""Cumulated relative position of a ranking: how far documents stand from where they belong, rank by rank.

The ideal ranking is the axis. The curve falls while documents come too early (a better one was due) and rises when
documents come too late. It is lowest at the turn-around m; at rank R, the number of relevant documents, its depth is
the loss; the balance point b is the last rank before what was lost has been made up for, but at least R. The bar below
has a cell for each rank: in place, too early or too late; it is faint behind the last document. Up to eight runs can be
shown at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.effort._curve import REFERENCES, landmarks, reference
from assay.errors import InputError, suggestion
from assay.results.names import shorten_names
from assay.views.plots._bands import BOLD, letters, wrapped
from assay.views.plots._crp import (
    BAR,
    POSITION,
    SHARED,
    Channel,
    Heights,
    Mark,
    Ranks,
    bar,
    cells,
    ground,
    key,
    layer,
    line_colour,
    marked,
    number,
    pointer,
    under,
    upright,
    word,
)
from assay.views.plots._figures import Data
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, altair, apart, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Fig. 2a"
KEEP = "documents"
BARS = ("state", "amount")
CHOICES = {"bar": BARS, "curves": REFERENCES}
HEIGHT = 210
LEFT = 60
DOCUMENT = [number("rank"), word("document"), word("grade"), number("rp"), number("crp")]
RUN = "run"
HIDDEN = ("topic", "curve", "run", "ideal", "intensity", "r", "turn_around", "balance_point", "gain")


def data(
    source: Campaign | ShownCurves,
    *,
    topic: str | None = None,
    run: str | Sequence[str] | None = None,
    depth: int | None = None,
    length: str = "extend",
    curves: str | Sequence[str] = (),
    bar: str = "state",
) -> Data:
    """Tabulate a row for each rank of each curve.

    Columns topic, curve (``run``, or the name of a curve for comparison), run (null for those), rank, document, grade
    (null if unjudged), ideal (the grade that the ideal ranking has there), rp, crp, intensity (how strong the colour of
    the cell is: 1, or |rp| as a share of the largest of the run with ``bar="amount"``), r (relevant documents),
    turn_around, balance_point (null if there is none).
    """
    if bar not in BARS:
        raise InputError(f"bar {bar!r}: choose one of {', '.join(BARS)}{suggestion(bar, BARS)}")
    references = _references(curves)
    shown = choose_curves(source, topic, run, depth=depth, length=length)
    share = pl.col("rp").abs() / pl.max_horizontal(pl.col("rp").abs().max(), 1) if bar == "amount" else pl.lit(1.0)
    first = shown.curves[shown.run]
    frames = [
        *(add_landmarks(frame, shown.topic, RUN, name, share) for name, frame in shown.curves.items()),
        *(add_landmarks(reference(first, name), shown.topic, name, None, share) for name in references),
    ]
    return Data(pl.concat(frame[: shown.depth] for frame in frames), shown.notes, shown.provenance)


def _references(curves: str | Sequence[str]) -> list[str]:
    """Return the names of the curves for comparison."""
    named = [name.strip() for name in (curves.split(",") if isinstance(curves, str) else curves)]
    for name in filter(None, named):
        if name not in REFERENCES:
            raise InputError(f"curves {name!r}: choose from {', '.join(REFERENCES)}{suggestion(name, REFERENCES)}")
    return list(dict.fromkeys(filter(None, named)))


def add_landmarks(
    frame: pl.DataFrame, topic: str, curve: str, run: str | None, intensity: pl.Expr = pl.lit(1.0)
) -> pl.DataFrame:
    """Return a whole curve with its names and landmarks, in the columns that ``data`` has."""
    of = landmarks(frame)
    document = pl.col("document") if "document" in frame.columns else pl.lit(None, pl.String).alias("document")
    return frame.select(
        pl.lit(topic).alias("topic"),
        pl.lit(curve).alias("curve"),
        pl.lit(run, pl.String).alias("run"),
        pl.col("rank"),
        document,
        pl.col("grade", "ideal", "rp", "crp"),
        intensity.alias("intensity"),
        pl.lit(of.relevant, pl.Int64).alias("r"),
        pl.lit(of.turn, pl.Int64).alias("turn_around"),
        pl.lit(of.balance, pl.Int64).alias("balance_point"),
    )


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Curves above the bars of their ranks."""
    if frame.is_empty():
        return nothing("no ranking", style)
    if not frame["r"].max():
        return nothing("the topic has no relevant documents", style)
    panel = Panel(frame, style)
    title = heading(panel.runs[0] if len(panel.runs) == 1 else None, frame["topic"][0], panel.width)
    at = pointer()
    return panel.chart(at, at, panel.tooltip(), title=title, data=panel.shared)


def heading(run: str | None, topic: str, width: int) -> alt.Title:
    """Return a title with the run, if there is one, and the topic."""
    words = f"topic {topic}"
    if run is not None:
        words = f"{run}, {words}"
    return altair().Title(wrapped(words, letters(width, BOLD)))  # type: ignore[no-any-return]


def graded() -> pl.Expr:
    """Return grades as words."""
    grade = pl.col("grade")
    whole = (grade == grade.round()) & (grade.abs() <= 2**53)  # larger ones may not fit into 64 bits
    word = pl.when(whole).then(grade.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(grade.cast(pl.String))
    return pl.when(pl.col("document").is_null()).then(pl.lit("")).otherwise(word.fill_null("unjudged"))


class Panel:
    """Curves of one topic, below them a bar of ranks for each run, and names beside both if there are several."""

    def __init__(self, frame: pl.DataFrame, style: Style, height: int = HEIGHT, labels: bool = True) -> None:
        own = frame.filter(curve=RUN)
        self.style = style
        self.height = height
        self.runs = own["run"].unique(maintain_order=True).to_list()
        self.parts = [own.filter(run=name) for name in self.runs]
        self.others = frame.filter(pl.col("curve") != RUN).partition_by("curve", maintain_order=True)
        self.alone = len(self.runs) == 1
        names = [part["curve"][0] for part in self.others] + ([] if self.alone else self.runs)
        longest = max(map(len, names), default=0)
        self.right = min(110, style.room() // 4, 28 + 7 * longest) if names else 8
        self.short = shorten_names(names, max(6, (self.right - 20) // 6))
        self.width = style.room() - LEFT - self.right
        self.bottom = height + 6 + len(self.runs) * (BAR + 2)
        low, high = frame.select(low=pl.min("crp"), high=pl.max("crp")).row(0)
        self.heights = Heights.around(low, high, height, 32, 16)
        self.ranks = Ranks(len(self.parts[0]), self.width, labels)
        self.where = {"x": self.ranks.axis(), "y": self.heights.axis("crp", "CRP")}
        self.colours = [line_colour(style)] if self.alone else list(style.colours.series)[: len(self.runs)]

    def chart(self, at: Any, seen: Any, tooltip: Sequence[Channel], **more: Any) -> alt.LayerChart:
        """Return the chart; *at*, *seen* and *tooltip* are as in ``under``, *more* is passed to Altair.

        The chart at the top needs ``shared`` as its data.
        """
        layers = [*self._bars(), *self._lines(), *self._landmarks(), *self._names()]
        layers += key(POSITION, self.bottom, self.ranks, self.style)
        layers += under(at, seen, self.ranks, tooltip, self.bottom)
        return altair().layer(*layers, width=self.width, height=self.bottom, **more)  # type: ignore[no-any-return]

    def tooltip(self) -> list[Channel]:
        """Return the tooltip of a rank: its document, or the height of each curve."""
        if self.alone:
            return DOCUMENT
        return [number("rank"), *(number(f"crp{i}", title=f"CRP, {name}") for i, name in enumerate(self.runs))]

    @property
    def shared(self) -> dict[str, Any]:
        """The ranks; grades are words."""
        first = self.parts[0]
        if self.alone:
            shown = first.select(pl.exclude(HIDDEN)).with_columns(grade=graded())
        else:
            shown = pl.DataFrame([first["rank"], *(part["crp"].alias(f"crp{i}") for i, part in enumerate(self.parts))])
        return rows(shown)

    def _bars(self) -> list[alt.Chart]:
        tops = [self.height + 6 + i * (BAR + 2) for i in range(len(self.runs))]
        made = [cells(part, "rp", self.style, "intensity") for part in self.parts]
        names = [] if self.alone else self.runs
        return [
            *(bar(one, top, self.ranks) for one, top in zip(made, tops, strict=True)),
            *(self._beside(name, {"value": top + BAR / 2}) for name, top in zip(names, tops, strict=False)),
        ]

    def _beside(self, name: str, y: Channel) -> alt.Chart:
        """A name to the right."""
        data = ({"name": name, "short": self.short[name]},)
        look = {"style": "label", "align": "left", "dx": 16}
        return layer(data, "text", look, x={"value": self.width}, y=y, text=word("short"), tooltip=[word("name")])

    def _lines(self) -> list[alt.Chart]:
        relevant = self.parts[0]["r"][0]
        label = self._relevant(relevant)
        dashed = {"style": "reference", "strokeWidth": 1.5}
        others = [layer(part.select("rank", "crp"), "line", dashed, **self.where) for part in self.others]
        own = []
        for i, colour in enumerate(self.colours):
            y = {**self.where["y"], "field": "crp" if self.alone else f"crp{i}"}
            own.append(layer(SHARED, "line", {"color": colour, "strokeWidth": 1.8}, x=self.where["x"], y=y))
        return [ground(), *upright(relevant, self.ranks, self.bottom), label, *others, *own]

    def _relevant(self, relevant: int) -> alt.Chart:
        """The number of relevant documents, above its rank; an arrow points to it if that rank is not shown."""
        beyond = relevant > self.ranks.length
        text = f"R = {relevant:,}" + " →" * beyond
        look = {"style": "muted", "align": "right" if beyond else "center"}
        data = ({"rank": min(relevant, self.ranks.length), "text": text},)
        return layer(data, "text", look, x=self.where["x"], y={"value": -6}, text=word("text"))

    def _landmarks(self) -> list[alt.Chart]:
        layers = []
        for part, colour in zip(self.parts, self.colours, strict=True):
            marks = [
                mark if self.alone else mark._replace(text="") for mark in _marks(part, self.ranks.each, self.heights)
            ]
            layers += marked(marks, self.ranks, self.heights, colour)
        return layers

    def _names(self) -> list[alt.Chart]:
        """Names beside the ends of curves, each with a stroke that leads to it."""
        named = [] if self.alone else list(zip(self.runs, self.parts, self.colours, strict=True))
        ends = [(name, part["crp"][-1], {"color": colour}) for name, part, colour in named]
        ends += [(part["curve"][0], part["crp"][-1], {"style": "reference"}) for part in self.others]
        pixel = (self.heights.high - self.heights.low) / self.height
        places = apart([end for _, end, _ in ends], 13 * pixel, self.heights.low + 6 * pixel, self.heights.high)
        layers = []
        for (name, end, look), place in zip(ends, places, strict=True):
            data = tuple({"x": x, "crp": y} for x, y in ((self.width + 2, end), (self.width + 13, place)))
            x = number("x", scale=None, axis=None)
            layers.append(layer(data, "line", {"strokeWidth": 1.2, **look}, x=x, y=self.where["y"]))
            layers.append(self._beside(name, {"datum": place}))
        return layers


def _marks(part: pl.DataFrame, each: float, heights: Heights) -> list[Mark]:
    """The landmarks of a curve that are shown; labels stand where the curve does not go: left of it, or below it."""
    height = part["crp"].to_list()
    r, turn, balance, n = part["r"][0], part["turn_around"][0], part["balance_point"][0], len(height)
    crowded = balance is not None and balance > r and balance * each <= 50  # its label goes below the axis
    low, marks = 12, []
    if r <= n:
        deep = heights.pixel(height[r - 1]) - heights.pixel(0) + 12
        low += max(0, round(27 - deep)) if crowded else 0
        loss = f"loss {-height[r - 1]:,}"
        same = "".join(f"{name} = " for name, rank in (("m", turn), ("b", balance)) if rank == r)
        marks.append(Mark(r, height[r - 1], f"{same}R, {loss}" if same else loss, dy=low))
    if turn != r and turn <= n:
        beside = ("right", -6, 12) if turn * each > 50 else ("left", 0, low + 13)
        marks.append(Mark(turn, height[turn - 1], f"m = {turn:,}", *beside))
    if balance is not None and r != balance <= n:
        beside = ("left", 5, 12) if crowded else ("right", -4, -10)
        marks.append(Mark(balance, height[balance - 1], f"b = {balance:,}", *beside))
    return [*marks, Mark(n, height[-1], f"N = {n:,}", "right", 0, -10)]
