"""Measured difference of runs against the largest difference that the judgments allow (MED).

Each point is a pair of runs, or a topic of one pair. The x axis is the absolute difference with the current judgments.
The y axis is the maximized effectiveness distance (MED), the largest absolute difference over all labellings of the
unjudged documents. For a pair of runs, both are means over topics. No point lies below the diagonal. On the diagonal,
no labelling can increase the difference. Far above the diagonal, the judgments say little about the difference. Even on
the diagonal, the order of the two runs may be uncertain, because labels can also reduce the difference. Colours show
whether the order is certain, that is, the same for every labelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.distance.maximized_effectiveness import ALL, MedReport, med
from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.results.names import shorten_names
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, CHARACTER_WIDTH, max_characters
from assay.views.plots._figures import Data
from assay.views.plots._selection import find_pair
from assay.views.plots._style import Style, altair, empty_chart, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
KEEP = "documents"
UNITS = ("pairs", "topics")
CHOICES = {"unit": UNITS}
DEFAULT_WIDTH, MAX_SIZE = 420, 640
LABELS = 4
"""Maximum number of labelled points."""
CERTAIN, UNCERTAIN = "order certain", "order uncertain"
_AXIS_WIDTH = 60  # pixels beside the points
_MAX_CHARACTERS = 14  # of a name
_CANDIDATES = 300  # points considered for a label
_ROUNDING = 1e-9


def data(
    source: Campaign | MedReport,
    *,
    measure: str = "nDCG@10",
    unit: str = "pairs",
    pair: Sequence[str] | None = None,
    depth: int | None = None,
    progress: Progress | None = None,
) -> Data:
    """Tabulate each pair of runs (*unit* ``pairs``) or each topic of one pair (``topics``), largest distance first.

    *difference* is run_a minus run_b with the current judgments, *actual* is its absolute value, and *med* is the
    distance. For a pair, these numbers are means over topics; *actual* is then the mean absolute difference, not the
    absolute value of *difference*. If the distance is not *exact*, *high* is an upper bound. Over all labellings, the
    difference ranges from *smallest* to *largest*. *settled* is true if all values in this range have the same sign, or
    if all are 0. For a report, the first measure is shown. The default *pair* consists of the two best runs.
    """
    if unit not in UNITS:
        raise InputError(f"unit {unit!r}: choose one of {', '.join(UNITS)}{suggestion(str(unit), UNITS)}")
    report = source if isinstance(source, MedReport) else med(source, measure, depth=depth, progress=progress)
    return Data(_tabulate(report, unit, pair), report.notes, report.provenance)


def _tabulate(report: MedReport, unit: str, pair: Sequence[str] | None) -> pl.DataFrame:
    table = report.table("topics" if unit == "topics" else "pairs")
    frame = table.frame.filter(pl.col("measure") == str(report.measures[0]))
    if unit == "topics":
        names = find_pair(pair, _best(report), report.provenance)
        is_pair = pl.col("run_a").is_in(names) & pl.col("run_b").is_in(names)
        frame = frame.filter(is_pair & (pl.col("topic") != ALL)).with_columns(actual=pl.col("difference").abs())
    else:
        actual = np.abs(report.difference[0]).mean(axis=1)
        frame = frame.with_columns(actual=pl.Series(actual).fill_nan(None))
    low, high = pl.col("smallest"), pl.col("largest")
    settled = (low > _ROUNDING) | (high < -_ROUNDING) | ((low >= -_ROUNDING) & (high <= _ROUNDING))
    columns = ("run_a", "run_b", "topic", "measure")
    numbers = ("difference", "actual", "med", "high", "exact", "smallest", "largest")
    frame = frame.with_columns(settled=settled).select(*columns, *numbers, "settled")
    finite = pl.col("med").is_finite() & pl.col("actual").is_finite()
    return frame.filter(finite).sort("med", descending=True, maintain_order=True)


def _best(report: MedReport) -> list[str]:
    """Return the runs by their means with the current judgments, best first.

    The report has no means, but the mean differences from the first run give the same order.
    """
    relative_mean = np.zeros(len(report.runs))
    with_first = report.pairs[:, 0] == 0
    relative_mean[report.pairs[with_first, 1]] = -report.difference[0, with_first].mean(axis=1)
    order = np.argsort(relative_mean if report.measures[0].lower_is_better else -relative_mean, kind="stable")
    return [report.runs[index] for index in order.tolist()]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a square with its diagonal; some points far above the diagonal are labelled."""
    alt = altair()
    if frame.is_empty():
        return empty_chart("no distance is finite", style)
    size = min(style.total_width(DEFAULT_WIDTH), MAX_SIZE) - _AXIS_WIDTH
    limit = 1.04 * max(*frame["med"].to_list(), *frame["actual"].to_list(), 0.01)
    scale = alt.Scale(domain=[0, limit], nice=False)
    measure, point_count = frame["measure"][0], len(frame)
    points = frame.with_columns(which=pl.when("settled").then(pl.lit(CERTAIN)).otherwise(pl.lit(UNCERTAIN)))
    shades = alt.Scale(domain=[CERTAIN, UNCERTAIN], range=[style.colours.late, style.colours.early])
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1, symbolSize=60, offset=4)
    numbers = ("actual", "med", "high", "difference", "smallest", "largest")
    base = alt.Chart(rows(points), width=size, height=size).encode(
        x=alt.X("actual:Q", title=f"difference in {measure} with current judgments", scale=scale),
        color=alt.Color("which:N", scale=shades, legend=legend),
        tooltip=["run_a:N", "run_b:N", "topic:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in numbers)],
    )
    y = alt.Y("med:Q", title="largest possible difference (MED)", scale=scale)
    dots = base.mark_circle(size=34 if point_count <= 300 else 9, opacity=0.75 if point_count <= 300 else 0.55).encode(
        y=y
    )
    ranges = base.transform_filter("!datum.exact").mark_rule(opacity=0.4).encode(y="med:Q", y2="high:Q")
    line = alt.Chart(rows(pl.DataFrame({"from": [0.0], "to": [limit]})))
    diagonal = line.mark_rule(style="reference").encode(x="from:Q", y="from:Q", x2="to:Q", y2="to:Q")
    title = alt.TitleParams(_title(frame, size), limit=size)
    return alt.layer(diagonal, ranges, dots, *_labels(frame, limit, size)).properties(title=title)  # type: ignore[no-any-return]


def _title(frame: pl.DataFrame, size: int) -> str:
    """Return the title: what the points are, and how many there are."""
    if frame["topic"][0] == ALL:
        return f"{pluralize(len(frame), 'pair')} of runs"
    characters = max_characters(size / 2 - 60, BOLD_CHARACTER_WIDTH)
    a, b = shorten_names((frame["run_a"][0], frame["run_b"][0]), characters).values()
    return f"{a} and {b} on {pluralize(len(frame), 'topic')}"


def _labels(frame: pl.DataFrame, limit: float, size: int) -> list[Any]:
    """Label some of the points farthest above the diagonal, each run at most once, without hiding other points."""
    alt = altair()
    gap = pl.col("med") - pl.col("actual")
    candidates = frame.filter(gap > 0.02 * limit).sort(gap, descending=True, maintain_order=True).head(_CANDIDATES)
    points = frame.select("actual", "med").to_numpy() * (size / limit)
    boxes: list[_NameBox] = []
    labels: list[dict[str, Any]] = []
    labelled: set[str] = set()
    columns = ("run_a", "run_b") if frame["topic"][0] == ALL else ("topic",)
    short = shorten_names(
        (name for column in columns for name in frame[column].unique(maintain_order=True)), _MAX_CHARACTERS
    )
    for row in candidates.iter_rows(named=True):
        names = {row[column] for column in columns}
        name = " – ".join(short[row[column]] for column in columns)
        box = (
            None
            if names & labelled
            else _place_label(row["actual"] * size / limit, row["med"] * size / limit, name, points, boxes)
        )
        if box is not None and len(labels) < LABELS:
            boxes.append(box)
            labelled |= names
            labels.append({"name": name, "across": box.left * limit / size, "up": row["med"]})
    if not labels:
        return []
    text = alt.Chart(alt.InlineData(values=labels)).mark_text(style="label", align="left")
    return [text.encode(x="across:Q", y="up:Q", text="name:N")]


class _NameBox(NamedTuple):
    left: float
    right: float
    low: float
    high: float

    def overlaps(self, other: _NameBox) -> bool:
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high


def _place_label(x: float, y: float, name: str, points: Floats, boxes: list[_NameBox]) -> _NameBox | None:
    """Return a box for the name of a point at *x* and *y* (pixels), to the right or to the left of the point.

    Return None if both boxes would hide a point or another name.
    """
    width = CHARACTER_WIDTH * len(name)
    for left in (x + 6, x - 6 - width):
        box = _NameBox(left, left + width, y - 7, y + 7)
        hidden = (points > [box.left, box.low]).all(axis=1) & (points < [box.right, box.high]).all(axis=1)
        if left >= 0 and not hidden.any() and not any(box.overlaps(other) for other in boxes):
            return box
    return None
