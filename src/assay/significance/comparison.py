"""Report of a comparison of runs: statistics of every measure and pair, and the test that was used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import Floats, Ints
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table, align_texts, floats_to_integers
from assay.results.tidy_frame import tidy_frame
from assay.significance.base import SignificanceTest
from assay.significance.statistics import COLUMNS, Margin
from assay.significance.wording import describe_intervals, describe_test, interval_label, p_label, write_conclusions

BETTER, WORSE, EQUIVALENT = "▲", "▼", "≈"
_SIGNS = {1.0: BETTER, -1.0: WORSE}
FEW_RUNS = 10
"""The compact table shows all pairs if there are at most this many runs."""
COUNTS = ("topics", "wins", "ties", "losses", "topics_needed")


@dataclass(frozen=True, eq=False)
class Comparison(Report):
    """The report of :func:`compare`.

    Attributes
    ----------
    results
        The values compared: the values of runs, or their means over the runs of each system.
    pairs
        Pairs x 2: the indices of the runs a and b. In a comparison with a baseline, b is the baseline.
    numbers
        ``COLUMNS``, each measures x pairs; NaN where a number is not defined.
    test, correction, family, alpha
        The test, the correction of p, the comparisons that the correction covers, and the significance level.
        Confidence intervals have the level 1 - alpha.
    baselines
        The runs with which all other runs were compared; empty if all pairs were compared.
    margin, power, detect
        The margin of equivalence, the power for the number of topics needed, and the difference to detect. *margin* and
        *power* are None if not requested. If *detect* is None, the observed difference is used.
    systems
        The system of each run, if given. A run without a system counts as a system with one run.
    shares
        Analysis of variance by topics, systems and runs: see :func:`.systems.decompose_variance`.
    notes
        Notes on excluded topics and on assumptions.
    tested_slices
        If this is the comparison in one slice of topics: the number of slices over which p is corrected; else 0.
    """

    results: Results
    pairs: Ints
    numbers: Mapping[str, Floats]
    test: SignificanceTest
    correction: str
    family: str
    alpha: float
    baselines: tuple[str, ...]
    margin: Margin | None
    power: float | None
    detect: float | None
    systems: Mapping[str, str]
    shares: pl.DataFrame
    notes: tuple[str, ...]
    tested_slices: int = 0

    name = "compare"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "each pair of runs; with more than 10 runs, each run against the best",
        "matrix": "runs x runs by one measure: value of the run of the row minus that of the column",
        "variance": "contributions of topics, systems and runs within systems to the variance of values",
    }
    slice_tables: ClassVar[Mapping[str, str]] = {
        "slices": "each pair of runs in each slice; with more than 3 runs, each run against the best",
        "interaction": "tests whether the difference of two runs depends on the slice",
    }

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.results.measures))
        return (
            f"Comparison({len(self.pairs):,} pairs of {len(self.results.runs)} runs: {measures}; {self.test.name} test)"
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and pair: ``measure, run_a, run_b``, then ``COLUMNS``, then ``test``.

        *difference* is mean_a - mean_b, over the *topics* for which both runs have a value. *low* and *high* are the
        confidence interval of the difference, and *p* is the p-value of the test; both hold for each pair alone.
        *p_adjusted* is corrected for the comparisons of the family. (With Tukey's tests, all of these hold for all
        pairs together.) *effect* is Hedges' g. *wins* is the number of topics on which a has the better value: the
        higher value, or the lower value if lower values are better.

        *p_equivalent* is the p-value of the null hypothesis that the difference is at least the margin; it is not
        adjusted. *topics_needed* is the number of topics with which a t test of one pair at level alpha detects the
        difference with the requested power (null if the difference is 0). For geometric means, *difference* and its
        interval are differences of logarithms.
        """
        pairs = name_pairs(self.results.runs, self.pairs, ("run_a", "run_b"))
        numbers = {name: self.numbers[name] for name in COLUMNS}
        frame = tidy_frame({"measure": self.results.measures, "pair": pairs}, numbers)
        return frame.with_columns(pl.col(COUNTS).cast(pl.Int64), test=pl.lit(self.test.name))

    def matrix(self, of: str | Measure, column: str = "p_adjusted") -> Floats:
        """Return one column for one measure as runs x runs; NaN for pairs that were not compared.

        The sign of signed columns changes when the two runs are exchanged. Columns that describe only one of the runs,
        such as *mean_a*, are not available.
        """
        if column not in ("p", "p_adjusted", "p_equivalent", "topics", "difference", "effect", "statistic"):
            raise InputError(
                f"column {column!r}: is not available as a matrix; choose p_adjusted, difference or effect"
            )
        index = self.results.measures.index(self.results.find_measure(of))
        matrix = np.full((len(self.results.runs),) * 2, math.nan)
        sign = -1 if column in ("difference", "effect", "statistic") else 1
        first, second = self.pairs.T
        matrix[first, second] = self.numbers[column][index]
        matrix[second, first] = sign * self.numbers[column][index]
        return matrix

    def between(self, of: str | Measure, a: str, b: str) -> dict[str, float]:
        """Return the ``COLUMNS`` of run a against run b, even if the report contains the pair as (b, a)."""
        measure, runs = self.results.measures.index(self.results.find_measure(of)), self.results.runs
        first, second = runs.index(a), runs.index(b)
        is_pair, is_exchanged = ((self.pairs == pair).all(axis=1) for pair in ((first, second), (second, first)))
        pair_indices = np.flatnonzero(is_pair | is_exchanged)
        if not len(pair_indices):
            raise InputError(f"{a} and {b} were not compared")
        row = {name: float(self.numbers[name][measure, pair_indices[0]]) for name in COLUMNS}
        if self.pairs[pair_indices[0], 0] == first:
            return row
        # The report contains the pair as (b, a). Each column of (a, b) equals a column of (b, a), or its negative.
        swapped_columns = {"mean_a": "mean_b", "mean_b": "mean_a", "wins": "losses", "losses": "wins"}
        negated_columns = {
            "difference": "difference",
            "effect": "effect",
            "statistic": "statistic",
            "low": "high",
            "high": "low",
        }
        return {
            **row,
            **{name: row[source] for name, source in swapped_columns.items()},
            **{name: 0.0 - row[source] for name, source in negated_columns.items()},
        }

    def verdicts(self, of: str | Measure) -> Floats:
        """Return runs x runs: 1 if the run of the row is significantly better, -1 if worse, else 0; NaN if untested."""
        p, difference, statistic = (self.matrix(of, name) for name in ("p_adjusted", "difference", "statistic"))
        # A rank test can be significant for runs with equal means; then the sign of the statistic tells which is
        # better.
        sign = np.sign(np.where(difference == 0, statistic, difference))
        verdict = -sign if self.results.find_measure(of).lower_is_better else sign
        return np.where(np.isnan(p), math.nan, np.where(p < self.alpha, verdict, 0.0))

    @property
    def family_title(self) -> str:
        """The comparisons over which p is corrected: ``all 15 pairs of runs``, ``all 5 comparisons with bm25``."""
        has_several_measures = len(self.results.measures) > 1
        by_measure = ", measure by measure" * has_several_measures
        subjects = "systems" if self.systems else "runs"
        if self.test.corrected:
            return f"all pairs of {len(self.results.runs):,} {subjects}{by_measure}"
        all_measures = has_several_measures and self.family == "all"
        in_slices = f" in {pluralize(self.tested_slices, 'slice')}" if self.tested_slices else ""
        count = len(self.pairs) * max(1, self.tested_slices) * (len(self.results.measures) if all_measures else 1)
        noun, members = ("comparison", f"with {self._baseline}") if self.baselines else ("pair", f"of {subjects}")
        noun = "comparison" if self.tested_slices else noun
        quantity = f"one {noun}" if count == 1 else f"all {count:,} {noun}s"
        return f"{quantity} {members}{in_slices}" + (" and measures" if all_measures else by_measure)

    @property
    def topics_title(self) -> str:
        """Number of topics of the comparisons: ``25 topics``, ``5 to 20 topics per pair``."""
        topic_counts = self.numbers["topics"]
        lowest, highest = int(topic_counts.min()), int(topic_counts.max())
        return pluralize(highest, "topic") if lowest == highest else f"{lowest} to {highest} topics per pair"

    @property
    def _baseline(self) -> str:
        return self.baselines[0] if len(self.baselines) == 1 else f"{len(self.baselines)} baselines"

    @property
    def least(self) -> float:
        """Smallest p that the test can distinguish from 0: 1 / B for a test with B resamples, else 0."""
        return 1 / getattr(self.test, "resamples", math.inf)

    @property
    def provenance(self) -> Provenance:
        """Inputs, and settings of the comparison."""
        return self.results.provenance.with_settings(
            test={"name": self.test.name, **asdict(self.test)},
            correction="none" if self.test.corrected else self.correction,
            family=self.family,
            comparisons=self.family_title,
            alpha=self.alpha,
            baseline=list(self.baselines),
            margin=None if self.margin is None else str(self.margin),
            power=self.power,
            detect=self.detect,
            systems=dict(self.systems),
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """State which runs differ significantly from the best, or from the baselines, by each measure."""
        return "\n".join(write_conclusions(self))

    def _show_pairs(self) -> Table:
        label = p_label(self)
        rows = self._compact_rows()
        columns = {
            "measure": "measure",
            "run": "run",
            "against": "against",
            "mean": "mean_a",
            "difference": "difference",
            label: "p_adjusted",
            "W/T/L": "W/T/L",
            "p equivalent": "p_equivalent",
            "topics needed": "topics_needed",
        }
        hidden = {
            "measure": len(self.results.measures) == 1,
            "against": len(self.baselines) == 1 or not self._shows_all,
            "p equivalent": self.margin is None,
            "topics needed": self.power is None,
        }
        is_equivalent = (rows["p_equivalent"] < self.alpha).fill_null(False)
        marks = {
            "difference": [_SIGNS.get(verdict, "") for verdict in rows["verdict"]],
            "p equivalent": [EQUIVALENT * equivalent for equivalent in is_equivalent],
        }
        return Table(
            self.frame(),
            rows.select(pl.col(column).alias(name) for name, column in columns.items() if not hidden.get(name)),
            heading=None if hidden["measure"] else "measure",
            probability_columns={label: self.least if label == "p" else 0.0, "p equivalent": 0.0},
            marks={name: signs for name, signs in marks.items() if not hidden.get(name)},
            intervals={"difference": (rows["low"].to_list(), rows["high"].to_list())},
            interval_name=interval_label(self),
            caption=self._caption(label),
        )

    @property
    def _shows_all(self) -> bool:
        """True if the compact table shows all comparisons; with many runs, it shows only comparisons with the best."""
        return bool(self.baselines) or len(self.results.runs) <= FEW_RUNS

    def _compact_rows(self) -> pl.DataFrame:
        """Return the comparisons of the compact table: measure, run, against, ``COLUMNS``, W/T/L and verdict."""
        runs = self.results.runs
        rows = []
        for measure in self.results.measures:
            verdicts = self.verdicts(measure)
            for a, b in self._order_pairs(measure):
                verdict = float(verdicts[runs.index(a), runs.index(b)])
                names = {"measure": str(measure), "run": a, "against": b}
                rows.append({**names, **self.between(measure, a, b), "verdict": verdict})
        counts = pl.col(COUNTS).cast(pl.Int64)
        frame = pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None)).with_columns(counts)
        record = frame.select(pl.format("{}/{}/{}", "wins", "ties", "losses").alias("W/T/L")).to_series()
        return frame.with_columns(align_texts(record))

    def _order_pairs(self, measure: Measure) -> list[tuple[str, str]]:
        """Return the pairs of runs of the compact table, best runs first."""
        runs, order = self.results.runs, self.results.best(measure)
        if self.baselines:
            pairs = [(runs[a], runs[b]) for a, b in self.pairs.tolist()]
            return sorted(pairs, key=lambda pair: (self.baselines.index(pair[1]), order.index(pair[0])))
        return list(combinations(order, 2)) if self._shows_all else [(run, order[0]) for run in order[1:]]

    def _caption(self, label: str) -> str:
        """Explain the columns and signs of the compact table, and state the test; *label* is the name of p."""
        against = self.baselines[0] if len(self.baselines) == 1 else "the run it is compared with"
        if not self._shows_all:
            against = f"the run with the best mean; all {len(self.pairs):,} pairs: --wide, --format csv"
        signs = f"{BETTER} significantly better, {WORSE} significantly worse ({label} < {self.alpha:g})"
        lines = [
            f"difference: from {against}; {signs}",
            f"{describe_test(self)}; {self.topics_title}",
            f"{describe_intervals(self, with_p=False)}; W/T/L: number of topics won, tied and lost",
        ]
        if self.margin is not None:
            lines.append(f"{EQUIVALENT} equivalent within {self.margin} by t tests (p equivalent < {self.alpha:g})")
        if self.power is not None:
            detect = "the observed difference" if self.detect is None else f"a difference of {self.detect:g}"
            lines.append(f"topics needed: to detect {detect} with probability {self.power:g}")
        return "\n".join(lines)

    def _show_matrix(self) -> Table:
        if len(self.results.measures) != 1:
            raise InputError("matrix: needs exactly one measure; name a single measure")
        [measure], runs = self.results.measures, self.results.runs
        frame = to_square_frame(runs, self.matrix(measure, "difference"))
        verdicts = self.verdicts(measure)
        marks = {run: [_SIGNS.get(verdict, "") for verdict in verdicts[:, column]] for column, run in enumerate(runs)}
        legend = f"{measure}: row minus column; {BETTER} row significantly better, {WORSE} row significantly worse"
        return Table(
            frame,
            frame,
            marks=marks,
            caption=f"{legend} ({p_label(self)} < {self.alpha:g})\n{describe_test(self)}; {self.topics_title}",
        )

    def _show_variance(self) -> Table:
        return Table(
            self.shares,
            floats_to_integers(self.shares, "degrees"),
            probability_columns={"p": 0.0},
            summary="\n".join(self._describe_variance()),
            caption="share: fraction of the total sum of squares; f, p: F statistic and p of the analysis of variance",
        )

    def _describe_variance(self) -> list[str]:
        """State, for each measure, the sources of variance and their fractions, largest first."""
        sentences = []
        for (measure,), rows in self.shares.group_by("measure", maintain_order=True):
            known = rows.filter(pl.col("share").is_not_null()).sort("share", descending=True, maintain_order=True)
            parts = [f"{source} {100 * share:.0f} %" for source, share in known.select("source", "share").iter_rows()]
            sentences.append(f"{measure}: {', '.join(parts) or 'no variance'}.")
        return sentences
