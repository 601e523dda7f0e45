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
from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, CHARACTER_WIDTH, max_characters
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_choice, find_pair
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
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
    check_choice("unit", unit, UNITS)
    report = source if isinstance(source, MedReport) else med(source, measure, depth=depth, progress=progress)
    return Data(_tabulate(report, unit, pair), report.notes, report.provenance)


def _tabulate(report: MedReport, unit: str, pair: Sequence[str] | None) -> pl.DataFrame:
    frame = report.table(unit).frame.filter(pl.col("measure") == str(report.measures[0]))
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
    if frame.is_empty():
        return empty_chart("no distance is finite", style)
    size = min(style.total_width(DEFAULT_WIDTH), MAX_SIZE) - _AXIS_WIDTH
    limit = 1.04 * max(*frame["med"].to_list(), *frame["actual"].to_list(), 0.01)
    scale = alt.Scale(domain=[0, limit], nice=False)
    measure = frame["measure"][0]
    points = frame.with_columns(which=pl.when("settled").then(pl.lit(CERTAIN)).otherwise(pl.lit(UNCERTAIN)))
    shades = alt.Scale(domain=[CERTAIN, UNCERTAIN], range=[style.colours.late, style.colours.early])
    legend = alt.Legend(
        title=None, orient="top", symbolOpacity=1, symbolSize=60, offset=4, columns=2 if size >= 200 else 1
    )
    x = alt.X("actual:Q", title=f"difference in {measure} with current judgments", scale=scale)
    y = alt.Y("med:Q", title="largest possible difference (MED)", scale=scale)
    numbers = decimals("actual", "med", "high", "difference", "smallest", "largest")
    fields = tooltip("run_a:N", "run_b:N", "topic:N", *numbers)
    base = alt.Chart(rows(points), width=size, height=size)
    base = base.encode(x, alt.Color("which:N", scale=shades, legend=legend), fields)
    dots = base.mark_circle(size=34, opacity=0.75) if len(frame) <= 300 else base.mark_circle(size=9, opacity=0.55)
    ranges = base.transform_filter("!datum.exact").mark_rule(opacity=0.4)
    diagonal = alt.Chart(rows(pl.DataFrame({"from": [0.0], "to": [limit]}))).mark_rule(style="reference")
    return alt.layer(
        diagonal.encode(alt.X("from:Q"), alt.Y("from:Q"), alt.X2("to:Q"), alt.Y2("to:Q")),
        ranges.encode(alt.Y("med:Q"), alt.Y2("high:Q")),
        dots.encode(y),
        *_labels(frame, limit, size),
        title=alt.Title(_title(frame, size), limit=size),
    )


def _title(frame: pl.DataFrame, size: int) -> str:
    """Return the title: what the points are, and how many there are."""
    if frame["topic"][0] == ALL:
        return f"{pluralize(len(frame), 'pair')} of runs"
    characters = max_characters(size / 2 - 60, BOLD_CHARACTER_WIDTH)
    a, b = shorten_names((frame["run_a"][0], frame["run_b"][0]), characters).values()
    return f"{a} and {b} on {pluralize(len(frame), 'topic')}"


def _labels(frame: pl.DataFrame, limit: float, size: int) -> list[alt.Chart]:
    """Label some of the points farthest above the diagonal, each run at most once, without hiding other points."""
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
        names = [row[column] for column in columns]
        if len(labels) == LABELS or not labelled.isdisjoint(names):
            continue
        text = " – ".join(short[name] for name in names)
        box = _place_label(row["actual"] * size / limit, row["med"] * size / limit, text, points, boxes)
        if box is not None:
            boxes.append(box)
            labelled.update(names)
            labels.append({"name": text, "across": box.left * limit / size, "up": row["med"]})
    if not labels:
        return []
    chart = alt.Chart({"values": tuple(labels)}).mark_text(style="label", align="left")
    return [chart.encode(alt.X("across:Q"), alt.Y("up:Q"), alt.Text("name:N"))]


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
