"""Difference of runs as judged, against the largest difference that the judgments allow (MED).

A point is a pair of runs, or a topic of one pair. To the right: how far apart they are as judged so far. Upwards: the
maximized effectiveness distance, the largest difference that labels of the unjudged documents can make. Of a pair both
are means over topics of the sizes of differences. Nothing lies below the diagonal: on it no labels can put two runs
further apart than they are, high above it the judgments say little about how far apart they are. On the diagonal too
the order may be open, as labels can bring runs closer. The colour tells whether the judgments say which of the two is
better: whether every labelling of their documents leaves that one ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.distance.maximized import ALL, MedReport, med
from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.model.arrays import Floats
from assay.model.notes import count
from assay.results.names import shorten_names
from assay.views.plots._bands import BOLD, LETTER, letters
from assay.views.plots._choice import two_runs
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, altair, nothing, rows

if TYPE_CHECKING:
    import altair as alt

    from assay.engine.campaign import Campaign

SOURCE = None
KEEP = "documents"
UNITS = ("pairs", "topics")
CHOICES = {"unit": UNITS}
WIDE, MOST = 420, 640
LABELS = 4
SETTLED, OPEN = "sure which is better", "not sure"
_SIDE = 60  # pixels beside the points
_LETTERS = 14  # of a name
_CANDIDATES = 300
_HIDDEN = 0  # points that a name may cover
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

    *difference* is that of run_a and run_b as judged so far, *actual* its size and *med* the distance; of a pair they
    are means over topics, so that *actual* is not the size of *difference*. *high* is what the distance cannot exceed
    if it is not *exact*. The difference can become anything from *smallest* to *largest*; if that leaves no doubt which
    run is better, or that they are equal, it is *settled*. A report is shown by its first measure; *pair* is by
    default that of the two best runs.
    """
    if unit not in UNITS:
        raise InputError(f"unit {unit!r}: choose one of {', '.join(UNITS)}{suggestion(str(unit), UNITS)}")
    report = source if isinstance(source, MedReport) else med(source, measure, depth=depth, progress=progress)
    return Data(_tabulate(report, unit, pair), report.notes, report.provenance)


def _tabulate(report: MedReport, unit: str, pair: Sequence[str] | None) -> pl.DataFrame:
    table = report.table("topics" if unit == "topics" else "pairs")
    frame = table.frame.filter(pl.col("measure") == str(report.measures[0]))
    if unit == "topics":
        chosen = two_runs(pair, _best(report), report.provenance)
        both = pl.col("run_a").is_in(chosen) & pl.col("run_b").is_in(chosen)
        frame = frame.filter(both & (pl.col("topic") != ALL)).with_columns(actual=pl.col("difference").abs())
    else:
        actual = np.abs(report.difference[0]).mean(axis=1)
        frame = frame.with_columns(actual=pl.Series(actual).fill_nan(None))
    low, high = pl.col("smallest"), pl.col("largest")
    sure = (low > _ROUNDING) | (high < -_ROUNDING) | ((low >= -_ROUNDING) & (high <= _ROUNDING))
    names = ("run_a", "run_b", "topic", "measure")
    numbers = ("difference", "actual", "med", "high", "exact", "smallest", "largest")
    found = frame.with_columns(settled=sure).select(*names, *numbers, "settled")
    finite = pl.col("med").is_finite() & pl.col("actual").is_finite()
    return found.filter(finite).sort("med", descending=True, maintain_order=True)


def _best(report: MedReport) -> list[str]:
    """The runs by their means as judged so far, which the differences from the first run tell."""
    ahead = np.zeros(len(report.runs))
    with_first = report.pairs[:, 0] == 0
    ahead[report.pairs[with_first, 1]] = -report.difference[0, with_first].mean(axis=1)
    order = np.argsort(ahead if report.measures[0].lower_is_better else -ahead, kind="stable")
    return [report.runs[at] for at in order.tolist()]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """A square with its diagonal; the points that lie furthest above it have their names."""
    alt = altair()
    if frame.is_empty():
        return nothing("no distance is finite", style)
    size = min(style.room(WIDE), MOST) - _SIDE
    reach = 1.04 * max(*frame["med"].to_list(), *frame["actual"].to_list(), 0.01)
    scale = alt.Scale(domain=[0, reach], nice=False)
    measure, many = frame["measure"][0], len(frame)
    told = frame.with_columns(which=pl.when("settled").then(pl.lit(SETTLED)).otherwise(pl.lit(OPEN)))
    shades = alt.Scale(domain=[SETTLED, OPEN], range=[style.colours.late, style.colours.early])
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1, symbolSize=60, offset=4)
    exact = ("actual", "med", "high", "difference", "smallest", "largest")
    base = alt.Chart(rows(told), width=size, height=size).encode(
        x=alt.X("actual:Q", title=f"difference in {measure} as judged", scale=scale),
        color=alt.Color("which:N", scale=shades, legend=legend),
        tooltip=["run_a:N", "run_b:N", "topic:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in exact)],
    )
    y = alt.Y("med:Q", title="largest difference possible (MED)", scale=scale)
    dots = base.mark_circle(size=34 if many <= 300 else 9, opacity=0.75 if many <= 300 else 0.55).encode(y=y)
    unsure = base.transform_filter("!datum.exact").mark_rule(opacity=0.4).encode(y="med:Q", y2="high:Q")
    line = alt.Chart(rows(pl.DataFrame({"from": [0.0], "to": [reach]})))
    diagonal = line.mark_rule(style="reference").encode(x="from:Q", y="from:Q", x2="to:Q", y2="to:Q")
    title = alt.TitleParams(_title(frame, size), limit=size)
    return alt.layer(diagonal, unsure, dots, *_labels(frame, reach, size)).properties(title=title)  # type: ignore[no-any-return]


def _title(frame: pl.DataFrame, size: int) -> str:
    """Return the title: what a point stands for."""
    if frame["topic"][0] == ALL:
        return f"{count(len(frame), 'pair')} of runs"
    most = letters(size / 2 - 60, BOLD)
    a, b = shorten_names((frame["run_a"][0], frame["run_b"][0]), most).values()
    return f"{a} and {b} on {count(len(frame), 'topic')}"


def _labels(frame: pl.DataFrame, reach: float, size: int) -> list[Any]:
    """The names of some of the points furthest above the diagonal, each run once, where no other points are hidden."""
    alt = altair()
    gap = pl.col("med") - pl.col("actual")
    furthest = frame.filter(gap > 0.02 * reach).sort(gap, descending=True, maintain_order=True).head(_CANDIDATES)
    points = frame.select("actual", "med").to_numpy() * (size / reach)
    taken: list[_NameBox] = []
    shown: list[dict[str, Any]] = []
    seen: set[str] = set()
    columns = ("run_a", "run_b") if frame["topic"][0] == ALL else ("topic",)
    short = shorten_names((name for column in columns for name in frame[column].unique(maintain_order=True)), _LETTERS)
    for row in furthest.iter_rows(named=True):
        own = {row[column] for column in columns}
        name = " – ".join(short[row[column]] for column in columns)
        box = (
            None if own & seen else _free(row["actual"] * size / reach, row["med"] * size / reach, name, points, taken)
        )
        if box is not None and len(shown) < LABELS:
            taken.append(box)
            seen |= own
            shown.append({"name": name, "across": box.left * reach / size, "up": row["med"]})
    if not shown:
        return []
    text = alt.Chart(alt.InlineData(values=shown)).mark_text(style="label", align="left")
    return [text.encode(x="across:Q", y="up:Q", text="name:N")]


class _NameBox(NamedTuple):
    left: float
    right: float
    low: float
    high: float

    def meets(self, other: _NameBox) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.low < other.high and other.low < self.high


def _free(x: float, y: float, name: str, points: Floats, taken: list[_NameBox]) -> _NameBox | None:
    """Find a place for the name of a point at *x* and *y* (pixels) that hides nothing: right of it, or left."""
    long = LETTER * len(name)
    for left in (x + 6, x - 6 - long):
        box = _NameBox(left, left + long, y - 7, y + 7)
        inside = (points > [box.left, box.low]).all(axis=1) & (points < [box.right, box.high]).all(axis=1)
        if left >= 0 and inside.sum() <= _HIDDEN and not any(box.meets(other) for other in taken):
            return box
    return None
