"""Cumulated relative position (CRP) of a ranking: displacement of documents from the ideal ranking, by rank.

The horizontal axis at 0 is the ideal ranking. The curve falls while documents come too early, that is, while a better
document should be at their rank. It rises when documents come too late. The curve is lowest at the turn-around m. At
rank R, the number of relevant documents, its depth below the axis is the loss. The balance point b is the last rank
before the loss is recovered, but at least R. The bar below the curve has a cell for each rank: in place, too early or
too late. Cells after the last document are faint. Up to eight runs can be shown together. ``--landmarks all`` draws the
sketch of the paper: the curve of the full-scale ranking w (the ideal ranking reversed), the landmarks of both curves,
and a table of their values. Choose a small ``--depth``, because the full-scale curve rises steeply at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.effort._curve import REFERENCES, find_landmarks, reference_curve
from assay.errors import InputError, suggestion
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._crp_landmarks import TablePosition, landmark_layers, list_landmarks
from assay.views.plots._crp_layers import (
    BAR_HEIGHT,
    POSITION_LABELS,
    SHARED,
    Channel,
    LabelledPoint,
    RankAxis,
    ValueAxis,
    bar_layer,
    bar_legend,
    hover_layers,
    label_points,
    layer,
    line_colour,
    merge_cells,
    nominal,
    pixels,
    quantitative,
    rank_rule,
    rank_selection,
    text_layer,
    zero_rule,
)
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_choice
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, empty_chart, rows, spread_positions

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Figs. 1 and 2a"
HAS_HEIGHT = True
KEEP = "documents"
BARS = ("state", "amount")
LANDMARKS = ("run", "all")
CHOICES = {"bar": BARS, "curves": REFERENCES, "landmarks": LANDMARKS}
FULL_SCALE = REFERENCES[0]
HEIGHT = 210
LEFT = 60
DOCUMENT = [quantitative("rank"), nominal("document"), nominal("grade"), quantitative("rp"), quantitative("crp")]
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
    landmarks: str = "run",
) -> Data:
    """Tabulate one row per rank of each curve.

    The columns are topic, curve (``run``, or the name of a reference curve), run (null for a reference curve), rank,
    document, grade (null if unjudged), ideal (the grade in the ideal ranking at this rank), rp, crp, intensity, r (the
    number of relevant documents), turn_around, balance_point (null if there is none) and landmarks. *intensity* is the
    strength of the colour of the cell: 1, or with ``bar="amount"`` |rp| divided by the maximum |rp| of the run.
    *landmarks* is ``run`` or ``all``.
    """
    check_choice("bar", bar, BARS)
    check_choice("landmarks", landmarks, LANDMARKS)
    references = _references(curves)
    if landmarks == "all":
        references = list(dict.fromkeys([FULL_SCALE, *references]))
        if not (run is None or isinstance(run, str)) and len(run) > 1:
            raise InputError(f"landmarks all: shows one run, got {len(run)}")
    selected = choose_curves(source, topic, run, depth=depth, length=length)
    relative = pl.col("rp").abs() / pl.max_horizontal(pl.col("rp").abs().max(), 1)
    intensity = relative if bar == "amount" else pl.lit(1.0)
    first = selected.curves[selected.run]
    frames = [
        *(add_landmarks(frame, selected.topic, RUN, name, intensity) for name, frame in selected.curves.items()),
        *(add_landmarks(reference_curve(first, name), selected.topic, name, None, intensity) for name in references),
    ]
    frame = pl.concat(frame[: selected.depth] for frame in frames).with_columns(landmarks=pl.lit(landmarks))
    return Data(frame, selected.notes, selected.provenance)


def _references(curves: str | Sequence[str]) -> list[str]:
    """Return the names of the reference curves."""
    names = [name.strip() for name in (curves.split(",") if isinstance(curves, str) else curves)]
    for name in filter(None, names):
        if name not in REFERENCES:
            raise InputError(f"curves {name!r}: choose from {', '.join(REFERENCES)}{suggestion(name, REFERENCES)}")
    return list(dict.fromkeys(filter(None, names)))


def add_landmarks(
    frame: pl.DataFrame, topic: str, curve: str, run: str | None, intensity: pl.Expr = pl.lit(1.0)
) -> pl.DataFrame:
    """Add topic, curve, run and landmarks to a complete curve; the result has the columns of ``data``."""
    landmarks = find_landmarks(frame)
    if "document" not in frame.columns:
        frame = frame.with_columns(document=pl.lit(None, pl.String))
    return frame.select(
        pl.lit(topic).alias("topic"),
        pl.lit(curve).alias("curve"),
        pl.lit(run, pl.String).alias("run"),
        *("rank", "document", "grade", "ideal", "rp", "crp"),
        intensity=intensity,
        r=pl.lit(landmarks.relevant, pl.Int64),
        turn_around=pl.lit(landmarks.turn, pl.Int64),
        balance_point=pl.lit(landmarks.balance, pl.Int64),
    )


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw curves above the bars of their ranks."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    if not frame["r"].max():
        return empty_chart("the topic has no relevant documents", style)
    panel = CrpPanel(
        frame.drop("landmarks"), style, style.plot_height(HEIGHT), all_landmarks=frame["landmarks"][0] == "all"
    )
    title = heading(panel.runs[0] if len(panel.runs) == 1 else None, frame["topic"][0], panel.width)
    selection = rank_selection()
    return panel.chart(selection, selection, panel.tooltip(), title=title, data=panel.shared)  # type: ignore[no-any-return]


def heading(run: str | None, topic: str, width: int) -> alt.Title:
    """Return a title with the topic and, unless it is None, the run."""
    text = f"topic {topic}" if run is None else f"{run}, topic {topic}"
    return alt.Title(wrap_text(text, max_characters(width, BOLD_CHARACTER_WIDTH)))


def format_grade() -> pl.Expr:
    """Return an expression for grades as text: ``unjudged`` for null, and an empty text if there is no document."""
    grade = pl.col("grade")
    is_integer = (grade == grade.round()) & (grade.abs() <= 2**53)  # larger grades may not fit into 64 bits
    integer_text = grade.cast(pl.Int64, strict=False).cast(pl.String)
    text = pl.when(is_integer).then(integer_text).otherwise(grade.cast(pl.String))
    return pl.when(pl.col("document").is_null()).then(pl.lit("")).otherwise(text.fill_null("unjudged"))


class CrpPanel:
    """Curves of one topic, and below them a bar of ranks for each run; several runs are labelled with their names."""

    def __init__(
        self,
        frame: pl.DataFrame,
        style: Style,
        height: int = HEIGHT,
        *,
        labels: bool = True,
        all_landmarks: bool = False,
    ) -> None:
        run_rows = frame.filter(curve=RUN)
        self.all_landmarks = all_landmarks
        self.style = style
        self.height = height
        self.runs = run_rows["run"].unique(maintain_order=True).to_list()
        self.curves = [run_rows.filter(run=name) for name in self.runs]
        self.references = frame.filter(pl.col("curve") != RUN).partition_by("curve", maintain_order=True)
        self.is_single = len(self.runs) == 1
        names = [curve["curve"][0] for curve in self.references] + ([] if self.is_single else self.runs)
        longest = max(map(len, names), default=0)
        self.right = min(110, style.total_width() // 4, 28 + 7 * longest) if names else 8
        self.short_names = shorten_names(names, max(6, (self.right - 20) // 6))
        self.width = style.total_width() - LEFT - self.right
        self.bottom = height + 6 + len(self.runs) * (BAR_HEIGHT + 2)
        low, high = frame.select(low=pl.min("crp"), high=pl.max("crp")).row(0)
        self.values = ValueAxis.spanning(low, high, height, 32, 16)
        self.ranks = RankAxis(len(self.curves[0]), self.width, labels)
        self.axes = {"x": self.ranks.axis(), "y": self.values.axis("crp", "CRP")}
        self.colours = [line_colour(style)] if self.is_single else list(style.colours.series)[: len(self.runs)]

    def chart(self, selection: Any, highlighted: Any, tooltip: Sequence[Channel], **options: Any) -> Any:
        """Return the chart; ``hover_layers`` explains the first three arguments, and Altair receives *options*.

        The top-level chart needs ``shared`` as its data.
        """
        layers = [*self._bars(), *self._lines(), *self._landmarks(), *self._names()]
        layers += bar_legend(POSITION_LABELS, self.bottom, self.ranks, self.style)
        layers += hover_layers(selection, highlighted, self.ranks, tooltip, self.bottom)
        return alt.layer(*layers, width=self.width, height=self.bottom, **options)

    def tooltip(self) -> list[Channel]:
        """Return the tooltip of a rank: its document, or CRP of each run if there are several."""
        if self.is_single:
            return DOCUMENT
        crp = [quantitative(f"crp{i}", title=f"CRP, {name}") for i, name in enumerate(self.runs)]
        return [quantitative("rank"), *crp]

    @property
    def shared(self) -> dict[str, Any]:
        """Data of the top-level chart: one row per rank; several runs have one CRP column each."""
        first = self.curves[0]
        if self.is_single:
            frame = first.select(pl.exclude(HIDDEN)).with_columns(grade=format_grade())
        else:
            columns = (curve["crp"].alias(f"crp{i}") for i, curve in enumerate(self.curves))
            frame = pl.DataFrame([first["rank"], *columns])
        return rows(frame)

    def _bars(self) -> list[alt.Chart]:
        tops = [self.height + 6 + i * (BAR_HEIGHT + 2) for i in range(len(self.runs))]
        bars = [
            bar_layer(merge_cells(curve, "rp", self.style, "intensity"), top, self.ranks)
            for curve, top in zip(self.curves, tops, strict=True)
        ]
        if self.is_single:
            return bars
        names = zip(self.runs, tops, strict=True)
        return bars + [self._name_layer(name, {"value": top + BAR_HEIGHT / 2}) for name, top in names]

    def _name_layer(self, name: str, y: Channel) -> alt.Chart:
        """Return a layer with a name to the right of the panel."""
        data = ({"name": name, "short": self.short_names[name]},)
        mark = {"style": "label", "align": "left", "dx": 16}
        return layer(data, "text", mark, x={"value": self.width}, y=y, text=nominal("short"), tooltip=[nominal("name")])

    def _lines(self) -> list[alt.Chart]:
        relevant = self.curves[0]["r"][0]
        label = [] if self.all_landmarks else [self._relevant_label(relevant)]
        dashed = {"style": "reference", "strokeWidth": 1.5}
        references = [layer(curve.select("rank", "crp"), "line", dashed, **self.axes) for curve in self.references]
        lines = []
        for i, colour in enumerate(self.colours):
            y = {**self.axes["y"], "field": "crp" if self.is_single else f"crp{i}"}
            lines.append(layer(SHARED, "line", {"color": colour, "strokeWidth": 1.8}, x=self.axes["x"], y=y))
        return [zero_rule(), *rank_rule(relevant, self.ranks, self.bottom), *label, *references, *lines]

    def _relevant_label(self, relevant: int) -> alt.Chart:
        """Return the label ``R = ...`` above rank R, with an arrow to the right if that rank is not shown."""
        is_hidden = relevant > self.ranks.length
        text = f"R = {relevant:,}" + " →" * is_hidden
        data = ({"rank": min(relevant, self.ranks.length), "text": text},)
        align = "right" if is_hidden else "center"
        return text_layer(data, self.axes["x"], {"value": -6}, "muted", align=align)

    def _landmarks(self) -> list[alt.Chart]:
        if self.all_landmarks:
            full_scale = next(curve for curve in self.references if curve["curve"][0] == FULL_SCALE)
            landmarks = list_landmarks(self.curves[0], full_scale)
            table = TablePosition(self.bottom, 10 - LEFT, self.style.total_width() - LEFT - 10)
            return landmark_layers(landmarks, self.ranks, self.values, table, self.colours[0])
        layers = []
        for curve, colour in zip(self.curves, self.colours, strict=True):
            points = _find_landmarks(curve, self.ranks.rank_width, self.values)
            if not self.is_single:  # the labels of several curves would overlap
                points = [point._replace(text="") for point in points]
            layers += label_points(points, self.ranks, self.values, colour)
        return layers

    def _names(self) -> list[alt.Chart]:
        """Return layers with names beside the ends of the curves; a short line connects each name with its curve."""
        runs = [] if self.is_single else list(zip(self.runs, self.curves, self.colours, strict=True))
        ends = [(name, curve["crp"][-1], {"color": colour}) for name, curve, colour in runs]
        ends += [(curve["curve"][0], curve["crp"][-1], {"style": "reference"}) for curve in self.references]
        pixel = (self.values.high - self.values.low) / self.height
        low, high = self.values.low + 6 * pixel, self.values.high
        positions = spread_positions([end for _, end, _ in ends], 13 * pixel, low, high)
        layers = []
        for (name, end, mark), position in zip(ends, positions, strict=True):
            data = ({"x": self.width + 2, "crp": end}, {"x": self.width + 13, "crp": position})
            layers.append(layer(data, "line", {"strokeWidth": 1.2, **mark}, x=pixels("x"), y=self.axes["y"]))
            layers.append(self._name_layer(name, {"datum": position}))
        return layers


def _find_landmarks(curve: pl.DataFrame, rank_width: float, values: ValueAxis) -> list[LabelledPoint]:
    """Return the landmarks of a curve within the ranks shown, with labels to the left of the curve or below it."""
    crp = curve["crp"].to_list()
    r, turn, balance, n = curve["r"][0], curve["turn_around"][0], curve["balance_point"][0], len(crp)
    # The label of b normally ends to the left of b. If b is too close to the y axis, the label is below the x axis.
    crowded = balance is not None and balance > r and balance * rank_width <= 50
    below, points = 12, []
    if r <= n:
        depth = values.pixel(crp[r - 1]) - values.pixel(0) + 12
        below += max(0, round(27 - depth)) if crowded else 0
        loss = f"loss {-crp[r - 1]:,}"
        coinciding = "".join(f"{name} = " for name, rank in (("m", turn), ("b", balance)) if rank == r)
        points.append(LabelledPoint(r, crp[r - 1], f"{coinciding}R, {loss}" if coinciding else loss, dy=below))
    if turn != r and turn <= n:
        offset = ("right", -6, 12) if turn * rank_width > 50 else ("left", 0, below + 13)
        points.append(LabelledPoint(turn, crp[turn - 1], f"m = {turn:,}", *offset))
    if balance is not None and r != balance <= n:
        offset = ("left", 5, 12) if crowded else ("right", -4, -10)
        points.append(LabelledPoint(balance, crp[balance - 1], f"b = {balance:,}", *offset))
    return [*points, LabelledPoint(n, crp[-1], f"N = {n:,}", "right", 0, -10)]
