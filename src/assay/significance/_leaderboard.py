"""``leaderboard``: runs by their means, and which of them differ significantly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.checks import check_integer
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table
from assay.significance import _compare
from assay.significance._compare import compare
from assay.significance.base import SignificanceTest
from assay.significance.comparison import Comparison
from assay.significance.groups import assign_letters
from assay.significance.separation import separate
from assay.significance.wording import describe_test, interval_label, p_label, write_conclusions

MEASURES = _compare.MEASURES
SYMBOLS = "†‡§¶"
WORSE = "↓"
"""Stands behind the sign of a baseline than which a run is significantly worse."""
COLUMNS = (
    *("measure", "run", "place", "value", "low", "high", "topics", "groups", "tied_with_leader"),
    *("beats", "loses_to", "better_than", "worse_than"),
)
BAR = 24
"""Characters of a bar."""


@check_arguments
def leaderboard(
    source: Campaign | Results,
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
    resamples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Leaderboard:
    """Rank runs by their means, and show which of them differ significantly.

    Parameters
    ----------
    source, measures
        As in :func:`assay.compare`; the first measure orders the runs.
    baseline
        One or several runs: every other run is compared with them only, and marked where it differs significantly.
    top
        Show the best runs only; all are compared.
    symbols
        A sign for each baseline, in their order; by default †‡§¶.
    test, correction, family, alpha, systems, resamples, seed, progress
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
        resamples=resamples,
        seed=seed,
        progress=progress,
    )
    return rank_runs(comparison, top=top, symbols=symbols)


def rank_runs(comparison: Comparison, *, top: int | None = None, symbols: str | None = None) -> Leaderboard:
    """Return the leaderboard of runs that were compared."""
    signs = _check_signs(comparison.baselines, symbols)
    results = comparison.results
    order = results.best(results.measures[0])
    if comparison.baselines:
        order = [*comparison.baselines, *(run for run in order if run not in comparison.baselines)]
    shown = order if top is None else order[: top + len(comparison.baselines)]
    notes = (*comparison.notes, *_uneven(results))
    if len(shown) < len(order):
        notes = (*notes, f"{len(shown)} of {len(order)} runs are shown; all were compared")
    return Leaderboard(comparison, tuple(shown), signs, notes)


def _check_signs(baselines: Sequence[str], symbols: str | None) -> str:
    """Return one sign for each baseline."""
    if symbols is not None and not baselines:
        raise InputError("symbols are signs of baselines; name a baseline")
    chosen = SYMBOLS if symbols is None else symbols
    if len(chosen) < len(baselines) or len(set(chosen)) < len(chosen) or any(map(str.isspace, chosen)):
        raise InputError(f"symbols {chosen!r}: name a different sign for each of the {len(baselines)} baselines")
    if WORSE in chosen:
        raise InputError(f"symbols {chosen!r}: {WORSE} marks runs that are worse than a baseline; choose another sign")
    return chosen[: len(baselines)]


def _uneven(results: Results) -> list[str]:
    """Note that means are over different topics, so that a place may be due to easy ones."""
    return [
        f"{measure}: means are over different numbers of topics, from {fewest} to {most}; comparisons are over the "
        "topics that both runs have"
        for measure, values in zip(results.measures, results.values, strict=True)
        for counted in [np.isfinite(values).sum(axis=1)]
        if (fewest := int(counted.min())) < (most := int(counted.max()))
    ]


@dataclass(frozen=True, eq=False)
class Leaderboard(Report):
    """The report of :func:`leaderboard`.

    Attributes
    ----------
    comparison
        The comparison behind it.
    runs
        The runs that are shown: baselines first, then the best by the first measure.
    signs
        The sign of each baseline.
    notes
        What was ignored, left out or assumed.
    """

    comparison: Comparison
    runs: tuple[str, ...]
    signs: str
    notes: tuple[str, ...]

    name = "leaderboard"
    tables: ClassVar[Mapping[str, str]] = {
        "runs": "the runs with their means, best first",
        "intervals": "the same with the interval of each mean",
    }

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.comparison.results.measures))
        return f"Leaderboard({len(self.runs)} runs: {measures})"

    @property
    def provenance(self) -> Provenance:
        """The inputs, and how they were compared."""
        return self.comparison.provenance

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and run.

        ``measure, run, place, value, low, high, topics, groups, tied_with_leader, beats, loses_to, better_than,
        worse_than``: *place* is by the measure of the row, shared by equal runs; *low* and *high* are the interval of
        the mean; runs that share a letter of *groups* do not differ significantly, and *tied_with_leader* says whether
        a run does not differ significantly from the best (both null with baselines); *beats* and *loses_to* are the
        baselines than which a run is significantly better and worse (null without baselines); *better_than* and
        *worse_than* count the runs, among those it was compared with, that are significantly worse and better.
        """
        place = [self.comparison.results.runs.index(run) for run in self.runs]
        return pl.concat([self._rows(measure)[place] for measure in self.comparison.results.measures])

    def _rows(self, measure: Measure) -> pl.DataFrame:
        """Return every run by one measure, in the order of the results."""
        comparison, results = self.comparison, self.comparison.results
        verdicts = comparison.verdicts(measure)
        means = results.select(measures=measure).means(1 - comparison.alpha)
        more = _compare_baselines(comparison, measure) if comparison.baselines else _group(comparison, measure)
        return means.with_columns(
            place=pl.Series(results.places(measure), dtype=pl.Int64),
            better_than=pl.Series((verdicts == 1).sum(axis=1), dtype=pl.Int64),
            worse_than=pl.Series((verdicts == -1).sum(axis=1), dtype=pl.Int64),
            **more,
        ).select(COLUMNS)

    def summary(self) -> str:
        """Return which runs differ significantly from the best, or from the baselines, by each measure."""
        return "\n".join(write_conclusions(self.comparison))

    def _show_runs(self) -> Table:
        return self._tabulate(intervals=False)

    def _show_intervals(self) -> Table:
        return self._tabulate(intervals=True)

    def _tabulate(self, *, intervals: bool) -> Table:
        frame, measures = self.frame(), self.comparison.results.measures
        rows = {str(measure): frame.filter(pl.col("measure") == str(measure)) for measure in measures}
        first = next(iter(rows.values()))
        columns: dict[str, pl.Series] = {"place": first["place"], "run": first["run"]}
        for measure, own in zip(measures, rows.values(), strict=True):
            counted = measure.aggregate == "sum"
            columns[str(measure)] = own["value"].cast(pl.Int64) if counted else own["value"]
            if len(columns) == 3 and not intervals and not counted:
                columns[f"{interval_label(self.comparison)} of the mean"] = pl.Series(draw_bars(own))
            if len(columns) <= 4 and not self.signs:
                columns["tied with"] = pl.Series(self._tied_with(measure), dtype=pl.String)
        ranked = [measure for measure in measures if measure.aggregate != "sum"]
        ends = {name: (own["low"].to_list(), own["high"].to_list()) for name, own in rows.items()}
        return Table(
            frame,
            pl.DataFrame([series.alias(name) for name, series in columns.items()]),
            best=tuple(str(measure) for measure in ranked if not measure.lower_is_better),
            least=tuple(str(measure) for measure in ranked if measure.lower_is_better),
            marks={name: self._marks(own) for name, own in rows.items()} if self.signs else {},
            intervals={str(measure): ends[str(measure)] for measure in ranked} if intervals else {},
            confidence=interval_label(self.comparison),
            apart=len(self.signs),
            terminal=(f"{interval_label(self.comparison)} of the mean",),
            unprinted=("place",),
            caption=self._caption(intervals),
        )

    def _tied_with(self, measure: Measure) -> list[str]:
        """Return the rows of the runs from which each run does not differ significantly, such as ``1-38``."""
        runs = self.comparison.results.runs
        order = self.comparison.results.best(measure)
        verdicts = self.comparison.verdicts(measure)
        place = [runs.index(run) for run in order]
        tied = {run: [n for n, j in enumerate(place, 1) if verdicts[runs.index(run), j] == 0] for run in order}
        tested = {run: bool(np.isfinite(verdicts[runs.index(run)]).any()) for run in order}
        return [
            write_ranges({*tied[run], order.index(run) + 1}) if tied[run] else "none" if tested[run] else "-"
            for run in self.runs
        ]

    def _marks(self, rows: pl.DataFrame) -> list[str]:
        """Return the signs of the baselines that each run differs from significantly."""
        signs = dict(zip(self.comparison.baselines, self.signs, strict=True))
        return [
            "".join(
                sign if name in (beats or "").split(" ") else sign + WORSE if name in (loses or "").split(" ") else ""
                for name, sign in signs.items()
            )
            for beats, loses in rows.select("beats", "loses_to").iter_rows()
        ]

    def _caption(self, intervals: bool) -> str:
        """Return the meaning of signs and columns, the test with its family, and the number of topics."""
        comparison = self.comparison
        level = f"{p_label(comparison)} < {comparison.alpha:g}"
        lines = [
            f"{sign} significantly better than {name}, {sign}{WORSE} significantly worse ({level})"
            for sign, name in zip(self.signs, comparison.baselines, strict=True)
        ]
        if not lines:
            first = f" by {comparison.results.measures[0]}" * (len(comparison.results.measures) > 1)
            lines = [f"tied with: places from which a run does not differ significantly{first} ({level})"]
            if any(" of " in text for text in self._tied_with(comparison.results.measures[0])):
                lines[0] += "; 38 of 1-43 means 38 of these places"
            if any(separate(comparison, measure).untested for measure in comparison.results.measures[:1]):
                lines[0] += "; pairs with too few topics in common are not tested and not listed"
        lines.append(f"{describe_test(comparison)}; {comparison.topics_title}")
        if intervals:
            lines.append(f"{interval_label(comparison)} of the mean of one run by Student's t, which decides nothing")
        return "\n".join(lines)


def _group(comparison: Comparison, measure: Measure) -> dict[str, pl.Series]:
    """Return the letters of each run, and whether it is tied with the leader."""
    results = comparison.results
    best_first = [results.runs.index(run) for run in results.best(measure)]
    found = separate(comparison, measure)
    tied = {found.reference: True, **dict.fromkeys(found.tied, True), **dict.fromkeys(found.untested)}
    nothing = pl.Series([None] * len(results.runs), dtype=pl.String)
    return {
        "groups": pl.Series(assign_letters(np.abs(comparison.verdicts(measure)) == 1, best_first), dtype=pl.String),
        "tied_with_leader": pl.Series([tied.get(run, False) for run in results.runs], dtype=pl.Boolean),
        "beats": nothing,
        "loses_to": nothing,
    }


def _compare_baselines(comparison: Comparison, measure: Measure) -> dict[str, pl.Series]:
    """Return the baselines than which each run is significantly better or worse."""
    runs = comparison.results.runs
    found = [separate(comparison, measure, baseline) for baseline in comparison.baselines]
    beats = [" ".join(one.reference for one in found if run in one.better) for run in runs]
    loses = [" ".join(one.reference for one in found if run in one.worse) for run in runs]
    return {
        "groups": pl.Series([None] * len(runs), dtype=pl.String),
        "tied_with_leader": pl.Series([None] * len(runs), dtype=pl.Boolean),
        "beats": pl.Series(beats, dtype=pl.String),
        "loses_to": pl.Series(loses, dtype=pl.String),
    }


def write_ranges(numbers: Iterable[int], longest: int = 15) -> str:
    """Return whole numbers as ranges; many ranges as how many numbers lie between the first and the last.

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
    """Return each mean as a dot on its interval, all on one axis that begins at 0."""
    ends = [value for name in ("low", "value", "high") for value in rows[name].to_list() if value is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    ends_of = rows.select("value", "low", "high").iter_rows()
    return [_draw_bar(value, below, above, low, high) for value, below, above in ends_of]


def _draw_bar(value: float | None, low: float | None, high: float | None, least: float, most: float) -> str:
    cells = [" "] * BAR

    def place(at: float) -> int:
        return round((at - least) / (most - least) * (BAR - 1)) if most > least else 0

    if low is not None and high is not None:
        for cell in range(place(low), place(high) + 1):
            cells[cell] = "─"
    if value is not None:
        cells[place(value)] = "●"
    return "".join(cells)
