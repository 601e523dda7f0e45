"""Forest plot: differences of runs from the leader or from the baseline, as a table with a drawing in each row.

The drawing needs no script: each row has a small SVG, whose coordinates are computed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.significance.wording import interval_label, p_label
from assay.views.report.context import ReportContext
from assay.views.report.phrasing import Name, format_cell, format_difference, format_p_cell

MAX_ROWS = 12
WIDTH, MARGIN = 260, 8
"""Width of a drawing, and the margin on both sides, in units of the SVG."""
VERDICTS = {1.0: "better", -1.0: "worse", 0.0: "tied"}


@dataclass(frozen=True)
class ForestRow:
    """A run: its place and mean, and its difference from the reference with interval and p, formatted.

    *status* is ``reference``, ``tied``, ``worse``, ``better`` or ``untested``. *x*, *low_x* and *high_x* are positions
    in the drawing; *x* is None without a difference, and the others are None without an interval. *gap* is true if
    runs between this run and the previous row are omitted.
    """

    place: int
    name: Name
    value: str
    status: str
    difference: str
    interval: str
    p: str
    p_adjusted: str
    x: float | None
    low_x: float | None
    high_x: float | None
    gap: bool


@dataclass(frozen=True)
class Forest:
    """The rows of a forest plot, best run first, and its axis.

    *ticks* are positions with labels, *zero* is the position of no difference. *p_label* is empty if p is not
    corrected, or if the test itself holds for all pairs together.
    """

    rows: list[ForestRow]
    ticks: list[tuple[float, str]]
    zero: float
    p_label: str
    interval: str
    omitted: int


def build_forest(context: ReportContext) -> Forest | None:
    """Return the forest plot of the first measure; None for a single run, or if no run can be compared."""
    comparison, separation = context.comparison, context.separation
    if comparison is None or separation is None:
        return None
    measure, runs = context.first_measure, context.runs
    reference = runs.index(separation.reference)
    verdicts = comparison.verdicts(measure)[:, reference]
    status = ["untested" if math.isnan(verdict) else VERDICTS[verdict] for verdict in verdicts.tolist()]
    status[reference] = "reference"
    shown = _choose_rows(context.order, reference, status)
    numbers = {run: comparison.between(measure, runs[run], runs[reference]) for run in shown if run != reference}
    ends = [0.0, *(one[name] for one in numbers.values() for name in ("difference", "low", "high"))]
    finite = [end for end in ends if math.isfinite(end)]
    low, high = min(finite), max(finite)
    span = (high - low) or 1.0

    def to_x(value: float) -> float | None:
        return round(MARGIN + (value - low) / span * (WIDTH - 2 * MARGIN), 1) if math.isfinite(value) else None

    rows, previous = [], -1
    for run in shown:
        position = context.order.index(run)
        one = numbers.get(run, {"difference": 0.0})
        interval = [one.get(name, math.nan) for name in ("low", "high")]
        has_interval = all(map(math.isfinite, interval))
        p = {name: one.get(name, math.nan) for name in ("p", "p_adjusted")}
        rows.append(
            ForestRow(
                place=int(context.places[run, 0]),
                name=context.run_name(run),
                value=format_cell(float(context.overall[run, 0])),
                status=status[run],
                difference=format_difference(one["difference"]) if run != reference else "",
                interval=f"{format_difference(interval[0])} to {format_difference(interval[1])}"
                if has_interval
                else "",
                p="" if math.isnan(p["p"]) else format_p_cell(p["p"]),
                p_adjusted="" if math.isnan(p["p_adjusted"]) else format_p_cell(p["p_adjusted"]),
                x=to_x(one["difference"]),
                low_x=to_x(interval[0]) if has_interval else None,
                high_x=to_x(interval[1]) if has_interval else None,
                gap=position > previous + 1,
            )
        )
        previous = position
    has_two_p = not comparison.test.corrected and p_label(comparison) != "p"
    zero = to_x(0.0)
    assert zero is not None
    ticks = [(to_x(tick) or 0.0, f"{tick:+.3g}" if tick else "0") for tick in choose_ticks(low, high)]
    label = p_label(comparison) if has_two_p else ""
    return Forest(rows, ticks, zero, label, interval_label(comparison), len(runs) - len(shown))


def _choose_rows(order: list[int], reference: int, status: list[str]) -> list[int]:
    """Return the runs to show, best first: the best runs, the reference, and the best run that is worse."""
    first = order[:MAX_ROWS]
    worse = next((run for run in order if status[run] == "worse"), reference)
    required = [run for run in dict.fromkeys((reference, worse)) if run not in first]
    shown = {*first[: MAX_ROWS - len(required)], *required}
    return [run for run in order if run in shown]


def choose_ticks(low: float, high: float) -> list[float]:
    """Return round values between *low* and *high*, about three of them, with 0.

    >>> choose_ticks(-0.21, 0.04)
    [-0.2, -0.1, 0.0]
    """
    span = high - low
    if span <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(span / 3))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span / 3 * 0.99)
    return [round(step * i, 12) + 0.0 for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
