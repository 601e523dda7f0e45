"""Effort against gain: one point for each run and topic, and the cells of a grid in which they lie.

Columns go by Twist: huge effort [0, 0.25), high [0.25, 0.5), medium [0.5, 0.75), low [0.75, 1]. Rows go by the
quartiles of the gain measure over all points: low up to Q1, medium up to Q2, high up to Q3, huge above. Four classes
share the grid: the *diagonal* (gain as effort avoided suggests), *high-high* (high gain at high effort), *gray* (next
to the diagonal) and *other* (little effort, little gain). A good system lies in the four cells in the *upper right*:
high or huge gain at medium or low effort.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.effort import archetypes as kinds
from assay.engine.campaign import Campaign
from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.measures.twist import Twist
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.policies import refuse_expected
from assay.model.relative_position import Curves, Setting
from assay.results._evaluate import evaluate
from assay.results.table import Results

EFFORT = ("huge", "high", "medium", "low")
"""The columns of the grid, from much effort to little."""
GAIN = ("low", "medium", "high", "huge")
"""The rows of the grid, from little gain to much."""
CLASSES = ("diagonal", "high-high", "gray", "other")
_D, _H, _G, _O = range(4)
GRID = np.array(
    [
        [_D, _G, _O, _O],
        [_G, _D, _O, _O],
        [_H, _H, _D, _G],
        [_H, _H, _G, _D],
    ]
)
"""The class of each cell: rows of gain x columns of effort."""
UPPER_RIGHT = (slice(2, 4), slice(2, 4))
"""The four cells where a good system lies, by the paper."""
ALL = "all"


@dataclass(frozen=True, eq=False)
class EffortGain:
    """Runs and topics in the cells of a grid of effort and gain; made by :func:`effort_gain`.

    Attributes
    ----------
    results
        The values of Twist, then of the gain measures.
    quartiles
        Measures x 3: the gains that separate the rows of the grid.
    column, row
        Runs x topics, and measures x runs x topics: the cell of each point, -1 where there is none.
    archetypes
        Runs x topics: the archetypes of the curves as an ``EffortReport`` has them; None if made of results alone.
    """

    results: Results
    quartiles: Floats
    column: Ints
    row: Ints
    archetypes: Ints | None = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The gain measures."""
        return self.results.measures[1:]

    def __repr__(self) -> str:
        return f"EffortGain({len(self.results.runs)} runs x {len(self.results.topics)} topics)"

    def cells(self, measure: int, run: int | None = None) -> Ints:
        """Count the points in each cell: rows of gain x columns of effort."""
        rows = self.row[measure] if run is None else self.row[measure, run]
        columns = self.column if run is None else self.column[run]
        there = (rows >= 0) & (columns >= 0)
        return np.bincount(rows[there] * 4 + columns[there], minlength=16).reshape(4, 4)

    def frame(self, per_run: bool = False) -> pl.DataFrame:
        """Tabulate each cell of each grid: measure, run, gain, effort, class, points, share, and the bounds of gain."""
        table = []
        for number, measure in enumerate(self.measures):
            edges = [None, *self.quartiles[number].tolist(), None]
            for name, run in self._runs(per_run):
                cells = self.cells(number, run)
                shares = cells / max(cells.sum(), 1)
                for i, j in np.ndindex(4, 4):
                    cell = (GAIN[i], EFFORT[j], CLASSES[GRID[i, j]], int(cells[i, j]), float(shares[i, j]))
                    table.append((str(measure), name, *cell, edges[i], edges[i + 1]))
        schema = ["measure", "run", "gain", "effort", "class", "points", "share", "gain_above", "gain_to"]
        return pl.DataFrame(table, schema=schema, orient="row")

    def classes(self, per_run: bool = False) -> pl.DataFrame:
        """Return the share of each class of points, by measure and run.

        Columns measure, run, points, diagonal, high-high, gray, other, upper_right, top_row_right, q1, q2, q3. The four
        classes add up to 1. *upper_right* is the share of points with high or huge gain at medium or low effort, the
        four cells where a good system lies; they belong to the classes diagonal and gray. *top_row_right* is the share
        of medium or low effort among the points with huge gain only.
        """
        rows = []
        for number, measure in enumerate(self.measures):
            for name, run in self._runs(per_run):
                cells = self.cells(number, run)
                total = int(cells.sum())
                shares = [float(cells[kind == GRID].sum() / max(total, 1)) for kind in range(4)]
                good = float(cells[UPPER_RIGHT].sum() / max(total, 1))
                top = float(cells[3, 2:].sum() / max(cells[3].sum(), 1))
                rows.append((str(measure), name, total, *shares, good, top, *self.quartiles[number].tolist()))
        schema = ["measure", "run", "points", *CLASSES, "upper_right", "top_row_right", "q1", "q2", "q3"]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def points(self) -> pl.DataFrame:
        """Tabulate each point: run, topic, measure, twist, gain, row, column and class."""
        runs, topics, measures = self.results.runs, self.results.topics, self.measures
        shape = (len(measures), len(runs), len(topics))
        measure, run, topic = np.indices(shape).reshape(3, -1)
        row, column = self.row.ravel(), np.broadcast_to(self.column, shape).ravel()
        there = (row >= 0) & (column >= 0)
        kind = np.where(there, GRID[row, column], -1)
        frame = pl.DataFrame(
            {
                "run": pl.Series(runs, dtype=pl.String).gather(run),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "measure": pl.Series([str(each) for each in measures], dtype=pl.String).gather(measure),
                "twist": np.broadcast_to(self.results.values[0], shape).ravel(),
                "gain": self.results.values[1:].ravel(),
                "row": pl.Series(GAIN).gather(row % 4),
                "column": pl.Series(EFFORT).gather(column % 4),
                "class": pl.Series(CLASSES).gather(kind % 4),
            }
        )
        return frame.filter(pl.Series(there))

    def _runs(self, per_run: bool) -> list[tuple[str, int | None]]:
        each: list[tuple[str, int | None]] = [(name, i) for i, name in enumerate(self.results.runs)]
        return [*(each if per_run else []), (ALL, None)]


def columns(twist: Floats) -> Ints:
    """Return the column of each value of Twist; the left end of a column belongs to it."""
    return np.where(np.isnan(twist), -1, np.digitize(twist, [0.25, 0.5, 0.75]))


def rows(gain: Floats, quartiles: Floats) -> Ints:
    """Return the row of each gain; the upper end of a row belongs to it, so that equal values stay together."""
    return np.where(np.isnan(gain), -1, np.digitize(gain, quartiles, right=True))


@check_arguments
def effort_gain(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure],
    *,
    twist: str | Measure = "Twist",
) -> EffortGain:
    """Classify every run and topic by effort and gain.

    Parameters
    ----------
    source
        A campaign, whose ties cannot be ``expected`` because a curve needs an order; or results that have the values
        of Twist and of the gain measures.
    measures
        Measures of gain, such as ``AP``, ``bpref``, ``RBP(p=0.8)``.
    twist
        The measure of effort: ``Twist`` with its parameters.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016), Figures 7 to 11.

    Examples
    --------
    >>> import assay
    >>> grid = effort_gain(assay.read({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}), "AP")
    >>> grid.classes().select("points", "diagonal").rows()
    [(1, 0.0)]
    """
    effort = effort_measure(twist)
    chosen = (effort, *parse_measures(measures))
    archetypes = None
    if isinstance(source, Results):
        results = source.of_measures(chosen)
    else:
        refuse_expected(source.policies.ties, "a curve needs an order")
        results = evaluate(source, chosen)
        archetypes = kinds.archetypes(Curves.of(source.judged, effort_setting(effort))).reshape(source.shape)
    place = [results.measures.index(measure) for measure in chosen]  # Twist may also be one of the gain measures
    results = replace(results, measures=chosen, values=results.values[place], errors=results.errors[place])
    gains = results.values[1:]
    quartiles = np.stack([_quartiles(values) for values in gains])
    return EffortGain(
        results=results,
        quartiles=quartiles,
        column=columns(results.values[0]),
        row=np.stack([rows(values, edges) for values, edges in zip(gains, quartiles, strict=True)]),
        archetypes=archetypes,
    )


def effort_measure(twist: str | Measure) -> Twist:
    """Return the measure of effort, which is Twist with any of its parameters."""
    effort = parse_measure(twist)
    if not isinstance(effort, Twist):
        raise MeasureError(f"measure '{effort}': effort is measured by Twist, perhaps with parameters")
    return effort


def effort_setting(effort: Twist) -> Setting:
    """Return the setting of the curves behind a measure of effort."""
    return Setting(effort.cutoff, effort.length, rel=effort.rel)


def _quartiles(values: Floats) -> Floats:
    """Return the quartiles over all points, by linear interpolation."""
    known = values[~np.isnan(values)]
    return np.quantile(known, [0.25, 0.5, 0.75]) if len(known) else np.full(3, np.nan)
