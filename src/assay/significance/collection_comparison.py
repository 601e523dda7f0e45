"""Report of a comparison of runs over several collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import Bools, Floats, Ints
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame
from assay.significance.collection_numbers import POPULATIONS, PairNumbers, RunNumbers, Settings
from assay.significance.comparison import BETTER, FEW_RUNS, WORSE
from assay.significance.strata import rank_bounds

RESERVED = ("run", "measure", "average")
"""Names of columns, which a collection may not have."""
_SIGNS = {1.0: BETTER, -1.0: WORSE}


@dataclass(frozen=True, eq=False)
class CollectionComparison(Report):
    """The report of :func:`assay.collections`.

    Attributes
    ----------
    results
        The results of each collection, by name.
    runs
        The runs of all collections.
    pairs
        Pairs x 2: the indices of the runs that were compared; the second is the baseline, if there is one.
    baseline, settings
        Arguments of :func:`assay.collections`.
    numbers
        The numbers of runs and of pairs, for each measure.
    notes
        Notes of the results, and on missing cells.
    """

    results: Mapping[str, Results]
    runs: tuple[str, ...]
    pairs: Ints
    baseline: str | None
    settings: Settings
    numbers: tuple[tuple[RunNumbers, PairNumbers], ...]
    notes: tuple[str, ...]

    name = "collections"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "runs x collections: the mean of each run, and its average over the collections",
        "ranks": "the average of each run, its rank, and the ranks that are possible",
        "pairs": "pairs of runs: the average difference over the collections",
        "tests": "pairs of runs within each collection",
    }

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.measures))
        return f"CollectionComparison({len(self.runs)} runs x {len(self.results)} collections: {measures})"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return next(iter(self.results.values())).measures

    @property
    def provenance(self) -> Provenance:
        """The inputs of all collections, and the settings of the comparison."""
        each = [one.provenance for one in self.results.values()]
        inputs = tuple(
            replace(item, name=f"{name}/{item.name}" if item.role == "run" else name)
            for name, one in zip(self.results, each, strict=True)
            for item in one.inputs
        )
        settings = {**self.settings._asdict(), "collections": list(self.results), "baseline": self.baseline}
        return Provenance(inputs, each[0].policies).with_settings(**settings)

    # Frames -----------------------------------------------------------------------------------------------------

    def frame(self) -> pl.DataFrame:
        """Return a row for each cell: ``collection, run, measure, value, low, high, topics``.

        *low* and *high* are Student's interval of the mean over topics. Missing cells are null.
        """
        from scipy.special import stdtrit

        frames = []
        for measure, (runs, _) in zip(self.measures, self.numbers, strict=True):
            topics, mean, variance = runs.cells
            with np.errstate(divide="ignore", invalid="ignore"):
                margin = stdtrit(topics - 1, 1 - self.settings.alpha / 2) * np.sqrt(variance / topics)
            axes = {"collection": list(self.results), "run": self.runs}
            numbers = {"value": mean, "low": mean - margin, "high": mean + margin, "topics": topics}
            frames.append(tidy_frame(axes, numbers).with_columns(measure=pl.lit(str(measure))))
        columns = ("collection", "run", "measure", "value", "low", "high", "topics")
        return pl.concat(frames).select(columns).with_columns(pl.col("topics").cast(pl.Int64))

    def _rank_frame(self) -> pl.DataFrame:
        frames = []
        for index, (measure, (runs, _)) in enumerate(zip(self.measures, self.numbers, strict=True)):
            best, worst = self._bounds[index]
            numbers = {
                "collections": (~np.isnan(runs.cells.mean)).sum(axis=0),
                "macro": runs.averages.value,
                "low": runs.averages.low,
                "high": runs.averages.high,
                "micro": runs.micro,
                "mean_rank": runs.mean_rank,
                "borda": runs.borda,
                "rank": runs.rank,
                "rank_low": runs.rank_low,
                "rank_high": runs.rank_high,
                "rank_best": best,
                "rank_worst": worst,
                "p_first": runs.first,
            }
            frame = tidy_frame({"run": self.runs}, numbers).select(
                "run", pl.lit(str(measure)).alias("measure"), *numbers
            )
            frames.append(frame[self._order(index)])
        return pl.concat(frames).with_columns(pl.col("rank_best", "rank_worst").cast(pl.Int64))

    @cached_property
    def _bounds(self) -> list[tuple[Floats, Floats]]:
        """The best and the worst possible rank of each run by each measure.

        They are NaN for runs without a rank, and if runs were compared with a baseline only.
        """
        all_bounds = []
        for runs, pairs in self.numbers:
            is_ranked = ~np.isnan(runs.rank) & (self.baseline is None)
            both = is_ranked[self.pairs].all(axis=1)
            best, worst = rank_bounds(len(self.runs), self.pairs[both], pairs.verdicts[both])
            # Runs without a rank are not counted.
            worst -= int((~is_ranked).sum())
            all_bounds.append((np.where(is_ranked, best, np.nan), np.where(is_ranked, worst, np.nan)))
        return all_bounds

    def _pair_frame(self) -> pl.DataFrame:
        frames = []
        for measure, (_, pairs) in zip(self.measures, self.numbers, strict=True):
            numbers = {
                "collections": (~np.isnan(pairs.cells.mean)).sum(axis=0),
                "topics": pairs.cells.topics.sum(axis=0).astype(np.int64),
                "difference": pairs.averages.value,
                "low": pairs.averages.low,
                "high": pairs.averages.high,
                "statistic": pairs.statistic,
                "df": pairs.averages.df,
                "p": pairs.p,
                "p_adjusted": pairs.p_adjusted,
                "better": (pairs.verdicts_each == 1).sum(axis=0),
                "worse": (pairs.verdicts_each == -1).sum(axis=0),
                "heterogeneity_p": pairs.heterogeneity.p,
            }
            frame = tidy_frame({"pair": self._pair_names}, numbers)
            frames.append(frame.select(pl.lit(str(measure)).alias("measure"), pl.all()))
        return pl.concat(frames)

    def _test_frame(self) -> pl.DataFrame:
        frames = []
        for measure, (_, pairs) in zip(self.measures, self.numbers, strict=True):
            numbers = {
                "topics": pairs.cells.topics.astype(np.int64),
                "difference": pairs.cells.mean,
                "low": pairs.low_each,
                "high": pairs.high_each,
                "p": pairs.p_each,
                "p_adjusted": pairs.adjusted_each,
            }
            frame = tidy_frame({"collection": list(self.results), "pair": self._pair_names}, numbers)
            frames.append(frame.select(pl.lit(str(measure)).alias("measure"), pl.all()))
        return pl.concat(frames)

    @property
    def _pair_names(self) -> pl.DataFrame:
        return name_pairs(self.runs, self.pairs, ("run_a", "run_b"))

    # Conclusions ------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """State, for each measure, which run has the best average and which runs do not differ from it."""
        return "\n".join(self._conclude(index) for index in range(len(self.measures)))

    def _conclude(self, index: int) -> str:
        runs, pairs = self.numbers[index]
        over = f"{self.measures[index]}, average over {pluralize(len(self.results), 'collection')}"
        reference = self._find_reference(index)
        if reference is None:
            return f"{over}: no run has all collections, so no run has an average."
        verdicts = self._compare_with(reference, pairs.verdicts, pairs.p, ~np.isnan(runs.rank))
        better, worse, tied = ([run for run, verdict in verdicts.items() if verdict == sign] for sign in (1, -1, 0))
        if not verdicts:
            return f"{over}: no difference from {reference} could be tested (too few topics or collections)."
        if self.baseline is not None:
            return (
                f"{over}: {len(better)} of {pluralize(len(verdicts), 'run')} significantly better than {reference}, "
                f"{len(worse)} significantly worse, {len(tied)} not significantly different."
            )
        best = f"{over}: {reference} has the best average ({runs.averages.value[self.runs.index(reference)]:.4f})"
        if not tied:
            return f"{best}; every other run with an average differs significantly from it."
        names = f"{len(tied)} other runs" if len(tied) > FEW_RUNS else join_names(tied)
        return f"{best}; {names} {'does' if len(tied) == 1 else 'do'} not differ significantly from it."

    def _find_reference(self, index: int) -> str | None:
        """Return the baseline, or the run with the best average; None if no run has an average."""
        if self.baseline is not None:
            return self.baseline
        rank = self.numbers[index][0].rank
        return None if np.isnan(rank).all() else self.runs[int(np.nanargmin(rank))]

    def _compare_with(self, reference: str, verdicts: Floats, p: Floats, selected: Bools) -> dict[str, float]:
        """Return 1 for each selected run that is significantly better than *reference*, -1 if it is worse, else 0.

        *verdicts* and *p* have a number for each pair; runs that were not tested are omitted.
        """
        position = self.runs.index(reference)
        by_run = {}
        for (a, b), verdict, probability in zip(self.pairs.tolist(), verdicts.tolist(), p.tolist(), strict=True):
            if position in (a, b) and not np.isnan(probability):
                other, sign = (a, verdict) if b == position else (b, -verdict)
                by_run[other] = sign
        return {self.runs[other]: by_run[other] for other in sorted(by_run) if selected[other]}

    def _order(self, index: int) -> list[int]:
        """Return the indices of the runs, the best average first, runs without average last."""
        rank = self.numbers[index][0].rank
        order: list[int] = np.argsort(np.where(np.isnan(rank), np.inf, rank), kind="stable").tolist()
        return order

    # Tables -----------------------------------------------------------------------------------------------------

    def _show_means(self) -> Table:
        rows, low, high = [], [], []
        marks: dict[str, list[str]] = {name: [] for name in self.results}
        for index, (measure, (runs, pairs)) in enumerate(zip(self.measures, self.numbers, strict=True)):
            verdicts = self._compare_cells(index, pairs)
            for run in self._order(index):
                cells = dict(zip(self.results, runs.cells.mean[:, run].tolist(), strict=True))
                average = {"average": float(runs.averages.value[run])}
                rows.append({"measure": str(measure), "run": self.runs[run], **cells, **average})
                low.append(_to_optional(runs.averages.low[run]))
                high.append(_to_optional(runs.averages.high[run]))
                for name in self.results:
                    marks[name].append(_SIGNS.get(verdicts[name].get(self.runs[run], 0.0), ""))
        names = (*self.results, "average")
        lower = self.measures[0].lower_is_better
        caption = (
            f"{BETTER} significantly better in this collection than {self.baseline or 'the run of the best average'}, "
            f"{WORSE} significantly worse ({self._p_label} < {self.settings.alpha:g}, corrected over the "
            f"{len(self.results)} collections of each pair)\n"
            "average: mean of the collections, all with the same weight; interval and tests are about "
            f"{POPULATIONS[self.settings.population]}"
        )
        return self._to_table(
            self.frame(),
            pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None)),
            caption,
            highest_is_best=() if lower else names,
            lowest_is_best=names if lower else (),
            marks=marks,
            intervals={"average": (low, high)},
        )

    def _compare_cells(self, index: int, pairs: PairNumbers) -> dict[str, dict[str, float]]:
        """Return for each collection the comparison of the runs with the reference."""
        reference = self._find_reference(index)
        if reference is None:
            return {name: {} for name in self.results}
        everything = np.ones(len(self.runs), dtype=bool)
        return {
            name: self._compare_with(reference, verdicts, p, everything)
            for name, verdicts, p in zip(self.results, pairs.verdicts_each, pairs.p_each, strict=True)
        }

    def _show_ranks(self) -> Table:
        frame = self._rank_frame()
        columns = [
            pl.col("rank"),
            pl.col("macro").alias("average"),
            pl.col("mean_rank").alias("mean rank"),
            _join_ends("rank_best", "rank_worst").alias("possible ranks"),
            _join_ends("rank_low", "rank_high").alias("resampled ranks"),
            pl.col("p_first").alias("P(first)"),
        ]
        ranks = [_format_rank(rank) for rank in frame["rank"]]
        compact = frame.select("measure", "run", *columns).with_columns(rank=pl.Series(ranks, dtype=pl.String))
        caption = (
            "possible ranks: from 1 + the number of runs that are significantly better, to the number of runs that are "
            "not significantly worse; with the confidence of the tests, all true ranks are in these ranges\n"
            "resampled ranks (the middle "
            f"{100 * (1 - self.settings.alpha):g} %) and P(first), the fraction of resamples in which a run is first, "
            f"describe stability only; resampled: {self.settings.population}"
        )
        return self._to_table(frame, compact if self.baseline is None else compact.drop("possible ranks"), caption)

    def _show_pairs(self) -> Table:
        columns = {
            "measure": "measure",
            "run": "run_a",
            "against": "run_b",
            "difference": "difference",
            self._p_label: "p_adjusted",
            "better in": "better",
            "worse in": "worse",
        }
        caption = (
            f"difference: mean over the collections that both runs have; {BETTER} significantly better on average, "
            f"{WORSE} significantly worse\n"
            "better in, worse in: number of collections with a significant difference; interval and tests are about "
            f"{POPULATIONS[self.settings.population]}"
        )
        verdicts = [pairs.verdicts[None] for _, pairs in self.numbers]
        return self._tabulate_pairs(self._pair_frame(), columns, verdicts, caption)

    def _show_tests(self) -> Table:
        columns = {
            "measure": "measure",
            "collection": "collection",
            "run": "run_a",
            "against": "run_b",
            "topics": "topics",
            "difference": "difference",
            self._p_label: "p_adjusted",
        }
        caption = f"{self._p_label}: corrected over the {len(self.results)} collections of each pair of runs"
        verdicts = [pairs.verdicts_each for _, pairs in self.numbers]
        return self._tabulate_pairs(self._test_frame(), columns, verdicts, caption)

    def _tabulate_pairs(
        self, frame: pl.DataFrame, columns: Mapping[str, str], verdicts: Sequence[Floats], caption: str
    ) -> Table:
        """Return a table of pairs; with many runs, the compact form has only pairs with the run of the best average.

        *verdicts* has an array for each measure, with a column for each pair.
        """
        selected = np.ones(len(frame), dtype=bool)
        if self.baseline is None and len(self.runs) > FEW_RUNS:
            references = [self._find_reference(index) for index in range(len(self.measures))]
            by_measure = [
                np.tile((self.pairs == self.runs.index(name or self.runs[0])).any(axis=1), len(verdict))
                for name, verdict in zip(references, verdicts, strict=True)
            ]
            selected = np.concatenate(by_measure)
            caption += (
                f"\nonly pairs with the run of the best average; all {len(self.pairs):,} pairs: --wide, --format csv"
            )
        signs = np.concatenate([verdict.ravel() for verdict in verdicts])[selected].tolist()
        shown = frame.filter(pl.Series(selected))
        return self._to_table(
            frame,
            shown.select(pl.col(column).alias(name) for name, column in columns.items()),
            caption,
            probability_columns={self._p_label: 0.0},
            marks={"difference": [_SIGNS.get(sign, "") for sign in signs]},
            intervals={"difference": (shown["low"].to_list(), shown["high"].to_list())},
        )

    def _to_table(self, frame: pl.DataFrame, compact: pl.DataFrame, caption: str, **parts: object) -> Table:
        """Return a table with one part for each measure."""
        has_one = len(self.measures) == 1
        return Table(
            frame,
            compact.drop("measure") if has_one else compact,
            heading=None if has_one else "measure",
            interval_name=f"{100 * (1 - self.settings.alpha):.6g} % CI",
            caption=caption,
            **parts,  # type: ignore[arg-type]
        )

    @property
    def _p_label(self) -> str:
        """The name of the p-value that determines significance."""
        return "p" if self.settings.correction == "none" else f"p ({self.settings.correction.capitalize()})"


def _to_optional(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _format_rank(rank: float | None) -> str | None:
    """Return a rank as text; the rank of tied runs may be half a number."""
    return None if rank is None else f"{rank:g}"


def _join_ends(low: str, high: str) -> pl.Expr:
    """Return an expression for a range of ranks as text, such as ``1-3`` or ``2``; null without ends."""
    ends = [pl.col(name).map_elements(_format_rank, return_dtype=pl.String) for name in (low, high)]
    whole = pl.when(pl.col(low) == pl.col(high)).then(ends[0]).otherwise(pl.concat_str(ends, separator="-"))
    return pl.when(pl.col(low).is_not_null()).then(whole)
