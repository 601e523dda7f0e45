"""``leaderboard``: runs ranked by their means, with significant differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.checks import check_integer
from assay.model.provenance import Provenance
from assay.results.external.missing import refuse_pairwise
from assay.results.report import Report
from assay.results.results import Results
from assay.results.sliced_results import SlicedResults
from assay.results.tables import Table
from assay.significance import _compare
from assay.significance._compare import compare
from assay.significance.base import SignificanceTest
from assay.significance.comparison import Comparison
from assay.significance.groups import assign_letters
from assay.significance.separation import separate
from assay.significance.slice_comparison import SliceComparison
from assay.significance.wording import describe_test, interval_label, p_label, write_conclusions

MEASURES = _compare.MEASURES
SYMBOLS = "†‡§¶"
WORSE = "↓"
"""The mark after the symbol of a baseline, for a run that is significantly worse than this baseline."""
COLUMNS = (
    *("measure", "run", "place", "value", "low", "high", "topics", "groups", "tied_with_leader"),
    *("beats", "loses_to", "better_than", "worse_than"),
)
_GROUP_COLUMNS = {"groups": pl.String, "tied_with_leader": pl.Boolean, "beats": pl.String, "loses_to": pl.String}
BAR = 24
"""Width of a bar in characters."""


@check_arguments
def leaderboard(
    source: Campaign | Results | SlicedResults,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | Iterable[str] = (),
    top: int | None = None,
    symbols: str | None = None,
    test: str | SignificanceTest = "t",
    correction: str = "holm",
    family: str = "measure",
    alpha: float = 0.05,
    systems: Mapping[str, str] | None = None,
    min_topics: int = 5,
    resamples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Leaderboard:
    """Rank runs by their means, and show which runs differ significantly.

    Parameters
    ----------
    source, measures
        As in :func:`assay.compare`; the first measure orders the runs. For results in slices
        (:meth:`assay.Results.by`), the report is a :class:`SliceLeaderboard`.
    baseline
        One or several runs. Every other run is compared only with these baselines, and marked if it differs
        significantly.
    top
        Number of best runs to show; all runs are compared.
    symbols
        A symbol for each baseline, in the order of the baselines; by default †‡§¶.
    test, correction, family, alpha, systems, min_topics, resamples, seed, progress
        As in :func:`assay.compare`.

    References
    ----------
    Piepho, *An algorithm for a letter-based representation of all-pairwise comparisons*, JCGS 13 (2004).

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> runs = {"good": {f"q{i}": {"a": 2.0} for i in range(8)}, "bad": {f"q{i}": {"b": 2.0} for i in range(8)}}
    >>> leaderboard(assay.read(qrels, runs), "RR").frame().select("place", "run", "value").rows()
    [(1, 'good', 1.0), (2, 'bad', 0.0)]
    """
    if top is not None:
        check_integer("top", top, 1)
    comparison = compare(
        source,
        measures,
        baseline=baseline,
        test=test,
        correction=correction,
        family=family,
        alpha=alpha,
        systems=systems,
        min_topics=min_topics,
        resamples=resamples,
        seed=seed,
        progress=progress,
    )
    board = rank_runs(comparison, top=top, symbols=symbols)
    if not isinstance(comparison, SliceComparison):
        return board
    from assay.significance.slice_leaderboard import slice_leaderboard  # which derives from Leaderboard

    return slice_leaderboard(board, comparison)


def rank_runs(comparison: Comparison, *, top: int | None = None, symbols: str | None = None) -> Leaderboard:
    """Return the leaderboard of a comparison."""
    signs = _choose_symbols(comparison.baselines, symbols)
    results = comparison.results
    refuse_pairwise(results)
    order = results.best(results.measures[0])
    if comparison.baselines:
        order = [*comparison.baselines, *(run for run in order if run not in comparison.baselines)]
    shown = order if top is None else order[: top + len(comparison.baselines)]
    notes = (*comparison.notes, *_note_uneven_topics(results))
    if len(shown) < len(order):
        notes = (*notes, f"{len(shown)} of {len(order)} runs are shown; all were compared")
    return Leaderboard(comparison, tuple(shown), signs, notes)


def _choose_symbols(baselines: Sequence[str], symbols: str | None) -> str:
    """Return one symbol for each baseline."""
    if symbols is not None and not baselines:
        raise InputError("symbols: need a baseline; name one")
    chosen = SYMBOLS if symbols is None else symbols
    if len(chosen) < len(baselines) or len(set(chosen)) < len(chosen) or any(map(str.isspace, chosen)):
        raise InputError(f"symbols {chosen!r}: need a different character for each of the {len(baselines)} baselines")
    if WORSE in chosen:
        raise InputError(
            f"symbols {chosen!r}: {WORSE} marks runs that are worse than a baseline; choose another symbol"
        )
    return chosen[: len(baselines)]


def _note_uneven_topics(results: Results) -> list[str]:
    """Note that runs are averaged over different topics, so a run may rank high because its topics are easy."""
    return [
        f"{measure}: the means of the runs are over {lowest} to {highest} topics; two runs are compared on the topics "
        "for which both have a value"
        for measure, values in zip(results.measures, results.values, strict=True)
        for topic_counts in [np.isfinite(values).sum(axis=1)]
        if (lowest := int(topic_counts.min())) < (highest := int(topic_counts.max()))
    ]


@dataclass(frozen=True, eq=False)
class Leaderboard(Report):
    """The report of :func:`leaderboard`.

    Attributes
    ----------
    comparison
        The comparison of the runs.
    runs
        The runs that are shown: baselines first, then the best by the first measure.
    signs
        The symbol of each baseline.
    notes
        Notes on excluded topics and on assumptions.
    """

    comparison: Comparison
    runs: tuple[str, ...]
    signs: str
    notes: tuple[str, ...]

    name = "leaderboard"
    tables: ClassVar[Mapping[str, str]] = {
        "runs": "the runs with their means, best first",
        "intervals": "the runs with the confidence interval of each mean",
    }
    slice_tables: ClassVar[Mapping[str, str]] = {"slices": "the means of the runs in each slice of topics"}

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.comparison.results.measures))
        return f"Leaderboard({len(self.runs)} runs: {measures})"

    @property
    def provenance(self) -> Provenance:
        """Inputs, and settings of the comparison."""
        return self.comparison.provenance

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and run.

        Columns: ``measure, run, place, value, low, high, topics, groups, tied_with_leader, beats, loses_to,
        better_than, worse_than``. *place* is the rank by the measure of the row; runs with equal means share a place.
        *low* and *high* are the confidence interval of the mean.

        Runs that share a letter of *groups* are not significantly different, and *tied_with_leader* is true if a run is
        not significantly different from the best run (both are null with baselines). *beats* lists the baselines that
        are significantly worse than the run, and *loses_to* lists the baselines that are significantly better (null
        without baselines). *better_than* counts the runs that are significantly worse than this run, among the runs it
        was compared with; *worse_than* counts the runs that are significantly better.
        """
        rows = [self.comparison.results.runs.index(run) for run in self.runs]
        return pl.concat([self._rows(measure)[rows] for measure in self.comparison.results.measures])

    def _rows(self, measure: Measure) -> pl.DataFrame:
        """Return a row for each run by one measure, in the order of the results."""
        comparison, results = self.comparison, self.comparison.results
        verdicts = comparison.verdicts(measure)
        means = results.select(measures=measure).means(1 - comparison.alpha)
        columns = _list_baselines(comparison, measure) if comparison.baselines else _assign_groups(comparison, measure)
        missing = [None] * len(results.runs)
        return means.with_columns(
            place=pl.Series(results.places(measure), dtype=pl.Int64),
            better_than=pl.Series((verdicts == 1).sum(axis=1), dtype=pl.Int64),
            worse_than=pl.Series((verdicts == -1).sum(axis=1), dtype=pl.Int64),
            **{name: pl.Series(columns.get(name, missing), dtype=dtype) for name, dtype in _GROUP_COLUMNS.items()},
        ).select(COLUMNS)

    def summary(self) -> str:
        """State which runs differ significantly from the best, or from the baselines, by each measure."""
        return "\n".join(write_conclusions(self.comparison))

    def _show_runs(self) -> Table:
        return self._tabulate(intervals=False)

    def _show_intervals(self) -> Table:
        return self._tabulate(intervals=True)

    def _tabulate(self, *, intervals: bool) -> Table:
        """Return the runs with their means; with *intervals*, confidence intervals are numbers instead of bars."""
        frame, measures = self.frame(), self.comparison.results.measures
        rows = {str(measure): frame.filter(pl.col("measure") == str(measure)) for measure in measures}
        first = next(iter(rows.values()))
        columns: dict[str, pl.Series] = {"place": first["place"], "run": first["run"]}
        for measure, measure_rows in zip(measures, rows.values(), strict=True):
            is_count = measure.aggregate == "sum"
            columns[str(measure)] = measure_rows["value"].cast(pl.Int64) if is_count else measure_rows["value"]
            # Only the first measure has bars and the places of runs that are not significantly different.
            if len(columns) == 3 and not intervals and not is_count:
                columns[f"{interval_label(self.comparison)} of the mean"] = pl.Series(draw_bars(measure_rows))
            if len(columns) <= 4 and not self.signs:
                columns["tied with"] = pl.Series(self._tied_with(measure), dtype=pl.String)
        ranked_measures = [measure for measure in measures if measure.aggregate != "sum"]
        ends = {name: (frame["low"].to_list(), frame["high"].to_list()) for name, frame in rows.items()}
        return Table(
            frame,
            pl.DataFrame([series.alias(name) for name, series in columns.items()]),
            highest_is_best=tuple(str(measure) for measure in ranked_measures if not measure.lower_is_better),
            lowest_is_best=tuple(str(measure) for measure in ranked_measures if measure.lower_is_better),
            marks={str(measure): self.mark_runs(measure) for measure in measures} if self.signs else {},
            intervals={str(measure): ends[str(measure)] for measure in ranked_measures} if intervals else {},
            interval_name=interval_label(self.comparison),
            rows_above_rule=len(self.signs),
            terminal_only=(f"{interval_label(self.comparison)} of the mean",),
            omitted_in_latex=("place",),
            caption=self._caption(intervals),
        )

    def _tied_with(self, measure: Measure) -> list[str]:
        """Return, for each run, the places of the runs that do not differ significantly from it, such as ``1-38``."""
        runs = self.comparison.results.runs
        order = self.comparison.results.best(measure)
        verdicts = self.comparison.verdicts(measure)
        columns = [runs.index(run) for run in order]
        texts = []
        for run in self.runs:
            row = verdicts[runs.index(run)]
            tied_places = [place for place, column in enumerate(columns, 1) if row[column] == 0]
            if tied_places:
                texts.append(write_ranges({*tied_places, order.index(run) + 1}))
            else:
                texts.append("none" if np.isfinite(row).any() else "-")
        return texts

    def mark_runs(self, measure: Measure) -> list[str]:
        """Return, for each run, the symbols of the baselines from which it differs significantly."""
        separations = [separate(self.comparison, measure, baseline) for baseline in self.comparison.baselines]
        return [
            "".join(
                sign if run in baseline.better else sign + WORSE if run in baseline.worse else ""
                for baseline, sign in zip(separations, self.signs, strict=True)
            )
            for run in self.runs
        ]

    def _caption(self, intervals: bool) -> str:
        """Explain symbols and columns, and state the test with its family and the number of topics."""
        comparison = self.comparison
        level = f"{p_label(comparison)} < {comparison.alpha:g}"
        lines = [
            f"{sign} significantly better than {name}, {sign}{WORSE} significantly worse ({level})"
            for sign, name in zip(self.signs, comparison.baselines, strict=True)
        ]
        if not lines:
            first = f" by {comparison.results.measures[0]}" * (len(comparison.results.measures) > 1)
            lines = [f"tied with: places of the runs that are not significantly different{first} ({level})"]
            if any(" of " in text for text in self._tied_with(comparison.results.measures[0])):
                lines[0] += "; 38 of 1-43 means 38 of the places 1 to 43"
            if any(separate(comparison, measure).untested for measure in comparison.results.measures[:1]):
                lines[0] += "; pairs with too few shared topics are not tested and not listed"
        lines.append(f"{describe_test(comparison)}; {comparison.topics_title}")
        if intervals:
            lines.append(
                f"{interval_label(comparison)} of the mean of each run by Student's t; it is not a test of differences"
            )
        return "\n".join(lines)


def _assign_groups(comparison: Comparison, measure: Measure) -> dict[str, list[Any]]:
    """Return the columns of a leaderboard without baselines: the letters of each run, and its tie with the leader."""
    results = comparison.results
    best_first = [results.runs.index(run) for run in results.best(measure)]
    leader = separate(comparison, measure)
    is_tied = {leader.reference: True, **dict.fromkeys(leader.tied, True), **dict.fromkeys(leader.untested)}
    return {
        "groups": assign_letters(np.abs(comparison.verdicts(measure)) == 1, best_first),
        "tied_with_leader": [is_tied.get(run, False) for run in results.runs],
    }


def _list_baselines(comparison: Comparison, measure: Measure) -> dict[str, list[Any]]:
    """Return the columns of a leaderboard with baselines: the baselines that each run beats, or loses to."""
    runs = comparison.results.runs
    separations = [separate(comparison, measure, baseline) for baseline in comparison.baselines]
    return {
        "beats": [" ".join(one.reference for one in separations if run in one.better) for run in runs],
        "loses_to": [" ".join(one.reference for one in separations if run in one.worse) for run in runs],
    }


def write_ranges(numbers: Iterable[int], longest: int = 15) -> str:
    """Format integers as ranges; if the text would be too long, give their count, the smallest and the largest.

    >>> write_ranges([1, 2, 3, 5, 8, 9]), write_ranges(range(1, 30, 2))
    ('1-3, 5, 8-9', '15 of 1-29')
    """
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    text = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)
    if len(text) <= longest:
        return text
    return f"{sum(high - low + 1 for low, high in ranges)} of {ranges[0][0]}-{ranges[-1][1]}"


def draw_bars(rows: pl.DataFrame) -> list[str]:
    """Draw each mean as a dot on its confidence interval; all bars have the same axis, which includes 0."""
    values = [value for name in ("low", "value", "high") for value in rows[name].to_list() if value is not None]
    axis_min, axis_max = min([0.0, *values]), max([0.0, *values])
    intervals = rows.select("value", "low", "high").iter_rows()
    return [_draw_bar(value, low, high, axis_min, axis_max) for value, low, high in intervals]


def _draw_bar(value: float | None, low: float | None, high: float | None, axis_min: float, axis_max: float) -> str:
    """Draw a mean and its confidence interval on an axis from *axis_min* to *axis_max*."""
    cells = [" "] * BAR

    def find_cell(number: float) -> int:
        return round((number - axis_min) / (axis_max - axis_min) * (BAR - 1)) if axis_max > axis_min else 0

    if low is not None and high is not None:
        for cell in range(find_cell(low), find_cell(high) + 1):
            cells[cell] = "─"
    if value is not None:
        cells[find_cell(value)] = "●"
    return "".join(cells)
