"""Effort against gain: one point for each run and topic, classified by the cells of a 4 x 4 grid.

The columns of the grid are intervals of Twist: huge effort [0, 0.25), high [0.25, 0.5), medium [0.5, 0.75), low
[0.75, 1]. The quartiles of the gain measure over all points separate the rows: low gain up to Q1, medium up to Q2, high
up to Q3, huge above Q3. Each cell belongs to one of four classes: *diagonal* (gain corresponds to effort), *high-high*
(high gain at high effort), *gray* (next to the diagonal) and *other* (low gain at low effort). The points of a good
system are in the four *upper right* cells: high or huge gain at medium or low effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

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
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, EffortSettings
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table, percentage_column
from assay.results.tidy_frame import tidy_frame

MEASURES = ("AP", "bpref", "RBP(p=0.8)", "nDCG(base=10, gains=base5)")
"""The default measures of gain."""
EFFORT = ("huge", "high", "medium", "low")
"""The columns of the grid, from high effort to low."""
GAIN = ("low", "medium", "high", "huge")
"""The rows of the grid, from low gain to high."""
CLASSES = ("diagonal", "high-high", "gray", "other")
CLASS_COLUMNS = tuple(name.replace("-", "_") for name in CLASSES)
"""Columns of ``EffortGain.classes`` that contain the fraction of points in each class."""
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
"""The four cells that contain the points of a good system, according to the paper."""
ALL = "all"
MIN_POINTS = 8
"""With fewer points, the quartiles are too uncertain to interpret."""
_CELLS = (
    "Effort is huge if Twist is below 0.25, high below 0.5, medium below 0.75, and low from 0.75. Gain is divided at "
    "the quartiles over all rankings (one ranking for each run and topic)."
)
_GOOD = "The rankings of a good system are in the upper right: high or huge gain at medium or low effort."
_CLASS_LEGEND = (
    "The numbers are fractions of the rankings. upper right: high or huge gain at medium or low effort. Classes: "
    "diagonal: gain corresponds to effort; high-high: high or huge gain at high or huge effort; gray: next to the "
    "diagonal; other: low or medium gain at low or medium effort."
)


@dataclass(frozen=True, eq=False)
class EffortGain(Report):
    """Runs and topics classified by effort and gain; the report of :func:`against_gain`.

    Attributes
    ----------
    results
        The values of Twist, then of the gain measures.
    quartiles
        Measures x 3: the quartiles of gain that separate the rows of the grid.
    column, row
        The cell of each point: *column* is runs x topics, *row* is measures x runs x topics; -1 for a missing value.
    provenance
        The inputs, policies and settings of the analysis.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    archetypes
        Runs x topics: the archetypes of the curves, as in ``EffortReport``; None if the report was computed from
        results instead of a campaign.
    """

    results: Results
    quartiles: Floats
    column: Ints
    row: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()
    archetypes: Ints | None = None

    name = "against_gain"
    tables: ClassVar[Mapping[str, str]] = {
        "grid": "the percentage of rankings in each cell of effort and gain",
        "cells": "the 16 cells as a list, with their classes",
        "classes": "the fraction of rankings in each class of cells",
        "runs": "the fraction of rankings in each class of cells, by run",
        "run-grids": "the grid of each run",
        "points": "each run and topic with its cell",
    }

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The gain measures."""
        return self.results.measures[1:]

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.measures))
        runs, topics = pluralize(len(self.results.runs), "run"), pluralize(len(self.results.topics), "topic")
        return f"EffortGain({runs} x {topics}: {measures})"

    def cells(self, measure: int, run: int | None = None) -> Ints:
        """Count the points in each cell: rows of gain x columns of effort."""
        rows = self.row[measure] if run is None else self.row[measure, run]
        columns = self.column if run is None else self.column[run]
        known = (rows >= 0) & (columns >= 0)
        return np.bincount(rows[known] * 4 + columns[known], minlength=16).reshape(4, 4)

    def frame(self, per_run: bool = False) -> pl.DataFrame:
        """Return a row for each cell: measure, run, gain, effort, class, points, share, gain_above, gain_to.

        *points* is the number of rankings in the cell, and *share* is the fraction of all rankings. The gains in the
        cell are above *gain_above* and at most *gain_to*. With *per_run*, the grid of each run precedes the grid of all
        runs.
        """
        names, cells = self._count_points(per_run)
        totals = np.maximum(cells.sum(axis=(2, 3), keepdims=True), 1)
        edges = np.pad(self.quartiles, ((0, 0), (1, 1)), constant_values=np.nan)[:, None, :, None]
        return tidy_frame(
            {"measure": self.measures, "run": names, "gain": GAIN, "effort": EFFORT},
            {
                "class": np.array(CLASSES)[GRID],
                "points": cells,
                "share": cells / totals,
                "gain_above": edges[:, :, :-1],
                "gain_to": edges[:, :, 1:],
            },
        )

    def classes(self, per_run: bool = False) -> pl.DataFrame:
        """Return the fraction of points in each class, by measure and run.

        The columns are measure, run, points, diagonal, high_high, gray, other, upper_right, top_row_right, q1, q2, q3.
        The fractions of the four classes sum to 1. *upper_right* is the fraction of points with high or huge gain at
        medium or low effort; these four cells belong to the classes diagonal and gray. *top_row_right* is the fraction
        of the points with huge gain that have medium or low effort.
        """
        names, cells = self._count_points(per_run)
        totals = cells.sum(axis=(2, 3))
        by_class = {name: cells[:, :, kind == GRID] for kind, name in enumerate(CLASS_COLUMNS)}
        by_class["upper_right"] = cells[:, :, *UPPER_RIGHT].reshape(*totals.shape, -1)
        top_row = cells[:, :, 3]
        return tidy_frame(
            {"measure": self.measures, "run": names},
            {
                "points": totals,
                **{name: counts.sum(axis=2) / np.maximum(totals, 1) for name, counts in by_class.items()},
                "top_row_right": top_row[:, :, 2:].sum(axis=2) / np.maximum(top_row.sum(axis=2), 1),
                **{f"q{number}": quartile[:, None] for number, quartile in enumerate(self.quartiles.T, start=1)},
            },
        )

    def _count_points(self, per_run: bool) -> tuple[list[str], Ints]:
        """Return the names of the grids, and the number of points in each cell.

        The grids are those of each run if *per_run* is true, then the grid of all runs. The counts are measures x grids
        x rows of gain x columns of effort.
        """
        runs = range(len(self.results.runs)) if per_run else ()
        cells = [[self.cells(number, run) for run in (*runs, None)] for number in range(len(self.measures))]
        return [*(self.results.runs[run] for run in runs), ALL], np.array(cells)

    def points(self) -> pl.DataFrame:
        """Return a row for each point: run, topic, measure, twist, gain, row, column, class."""
        frame = tidy_frame(
            {"measure": self.measures, "run": self.results.runs, "topic": self.results.topics},
            {
                "twist": self.results.values[0],
                "gain": self.results.values[1:],
                "row": np.array(GAIN)[self.row],
                "column": np.array(EFFORT)[self.column],
                "class": np.array(CLASSES)[GRID[self.row, self.column]],
            },
        )
        # A row or column of -1 selects the last name; these points are dropped.
        known = (self.row >= 0) & (self.column >= 0)
        return frame.filter(known.ravel()).select("run", "topic", pl.exclude("run", "topic"))

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the percentage of rankings with high gain at low effort, and with high gain at high effort."""
        classes = self.classes()
        most = max(classes["points"], default=0)
        if not most:
            return "No ranking has a value of both Twist and a gain measure."
        known = classes.filter(pl.col("points") > 0)
        good, costly = (_describe_range(known, name) for name in ("upper_right", "high_high"))
        few = " The quartiles of so few rankings are uncertain." if most < MIN_POINTS else ""
        return (
            f"{good} of the {pluralize(most, 'ranking')} have high or huge gain at medium or low effort; {costly} have "
            f"high or huge gain at high or huge effort.{few}"
        )

    def _show_grid(self) -> Table:
        caption = f"The cells show percentages of the rankings. {_CELLS} {_GOOD}"
        grids = [self._arrange_grid(number, str(one)) for number, one in enumerate(self.measures)]
        return Table(self.frame(), pl.concat(grids), heading="measure", caption=caption)

    def _show_run_grids(self) -> Table:
        runs = [*enumerate(self.results.runs), (None, ALL)]
        grids = [
            self._arrange_grid(number, f"{one}, {name}", run)
            for number, one in enumerate(self.measures)
            for run, name in runs
        ]
        caption = f"The cells show percentages of the rankings of a run. {_CELLS} {_GOOD}"
        return Table(self.frame(per_run=True), pl.concat(grids), heading="measure", caption=caption)

    def _arrange_grid(self, measure: int, title: str, run: int | None = None) -> pl.DataFrame:
        """Return the grid as it is printed: high gain at the top, low effort on the right."""
        cells = self.cells(measure, run)[::-1]
        fractions = cells / max(cells.sum(), 1)
        q1, q2, q3 = (f"{edge:.4f}" for edge in self.quartiles[measure])
        return pl.DataFrame(
            {
                "measure": [title] * 4,
                "gain": GAIN[::-1],
                "values": [f"above {q3}", f"to {q3}", f"to {q2}", f"to {q1}"],
            }
        ).with_columns(percentage_column(f"{name} effort", fractions[:, j]) for j, name in enumerate(EFFORT))

    def _show_cells(self) -> Table:
        frame = self.frame()
        compact = frame.select("measure", "gain", "effort", "class", pl.col("points").alias("rankings"), "share")
        return Table(frame, compact, heading="measure", caption=_CELLS)

    def _show_classes(self) -> Table:
        frame = self.classes()
        return Table(frame, _arrange_classes(frame).drop("run"), caption=_CLASS_LEGEND)

    def _show_runs(self) -> Table:
        frame = self.classes(per_run=True)
        return Table(frame, _arrange_classes(frame), heading="measure", caption=_CLASS_LEGEND)

    def _show_points(self) -> Table:
        frame = self.points()
        labels = {"run": "run", "topic": "topic", "twist": "Twist", "gain": "value", "row": "gain", "column": "effort"}
        compact = frame.select("measure", *labels, "class").rename(labels)
        return Table(frame, compact, heading="measure", caption=_CELLS)


def _arrange_classes(classes: pl.DataFrame) -> pl.DataFrame:
    """Return the fractions of the classes with readable column names, without quartiles."""
    labels = {"upper_right": "upper right", "high_high": "high-high", "points": "rankings"}
    columns = ("measure", "run", "points", "upper_right", *CLASS_COLUMNS)
    return classes.select(columns).rename(labels)


def _describe_range(classes: pl.DataFrame, name: str) -> str:
    """Return the percentage for a single measure, or the range of percentages over several measures."""
    ordered = classes.sort(name).select("measure", name)
    percentages = {measure: f"{100 * fraction:.0f} %" for measure, fraction in ordered.iter_rows()}
    (lowest, low), *_, (highest, high) = (*percentages.items(), *percentages.items())
    if low == high:
        return f"{low} ({lowest if len(percentages) == 1 else 'all measures'})"
    return f"{low} ({lowest}) to {high} ({highest})"


def find_columns(twist: Floats) -> Ints:
    """Return the column of each value of Twist; a value on a boundary belongs to the column on its right."""
    return np.where(np.isnan(twist), -1, np.digitize(twist, [0.25, 0.5, 0.75]))


def find_rows(gain: Floats, quartiles: Floats) -> Ints:
    """Return the row of each gain; a gain equal to a quartile belongs to the row below it."""
    return np.where(np.isnan(gain), -1, np.digitize(gain, quartiles, right=True))


@check_arguments
def against_gain(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    twist: str | Measure = "Twist",
) -> EffortGain:
    """Classify every run and topic by effort and gain.

    Parameters
    ----------
    source
        A campaign, or results with the values of Twist and of the gain measures. The tie policy of a campaign cannot be
        ``expected``, because a curve needs a single order of documents.
    measures
        Measures of gain; by default ``MEASURES`` for a campaign, and all measures except *twist* for results.
    twist
        The measure of effort: ``Twist``, possibly with parameters.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016), Figures 7 to 11.

    Examples
    --------
    >>> import assay
    >>> grid = against_gain(assay.read({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}), "AP")
    >>> grid.classes().select("points", "diagonal").rows()
    [(1, 0.0)]
    """
    effort = parse_effort_measure(twist)
    results = evaluate_effort(source, effort, _choose_gain_measures(source, measures, effort))
    archetypes = None
    if isinstance(source, Campaign):
        curves = Curves.from_judged(source.judged, effort_settings(effort))
        archetypes = kinds.classify_curves(curves).reshape(source.shape)
    gains = results.values[1:]
    quartiles = np.stack([_quartiles(values) for values in gains])
    return EffortGain(
        results=results,
        quartiles=quartiles,
        column=find_columns(results.values[0]),
        row=np.stack([find_rows(values, edges) for values, edges in zip(gains, quartiles, strict=True)]),
        provenance=results.provenance.with_settings(measures=list(map(str, results.measures[1:])), twist=str(effort)),
        notes=results.notes,
        archetypes=archetypes,
    )


def evaluate_effort(source: Campaign | Results, effort: Twist, gains: tuple[Measure, ...]) -> Results:
    """Return the values of the measure of effort, then those of the measures of gain."""
    if isinstance(source, Results):
        results = source.select(measures=(effort, *gains))
    else:
        reject_expected_ties(source.policies.ties, "a curve needs an order")
        results = evaluate(source, (effort, *gains))
    # Results contain each measure once. If Twist is also one of the gain measures, its values are repeated here.
    index = [results.measures.index(measure) for measure in (effort, *gains)]
    return replace(results, measures=(effort, *gains), values=results.values[index], errors=results.errors[index])


def _choose_gain_measures(
    source: Campaign | Results, measures: str | Measure | Iterable[str | Measure] | None, effort: Twist
) -> tuple[Measure, ...]:
    if measures is not None:
        return parse_measures(measures)
    if not isinstance(source, Results):
        return parse_measures(MEASURES)
    others = tuple(one for one in source.measures if one != effort)
    if not others:
        raise MeasureError(f"measures: the results contain only {effort}; add a gain measure")
    return others


def parse_effort_measure(twist: str | Measure) -> Twist:
    """Return the measure of effort; raise an error if it is not a form of Twist."""
    effort = parse_measure(twist)
    if not isinstance(effort, Twist):
        raise MeasureError(f"measure '{effort}': not a measure of effort; use Twist, with or without parameters")
    return effort


def effort_settings(effort: Twist) -> EffortSettings:
    """Return the settings of the curves that a form of Twist uses."""
    return EffortSettings(effort.cutoff, effort.length, rel=effort.rel)


def _quartiles(values: Floats) -> Floats:
    """Return the quartiles over all points, with linear interpolation; NaN if there are no points."""
    known = values[~np.isnan(values)]
    return np.quantile(known, [0.25, 0.5, 0.75]) if len(known) else np.full(3, np.nan)
