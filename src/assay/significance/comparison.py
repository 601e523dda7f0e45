"""Report of a comparison of runs: statistics of every measure and pair, and the test that was used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import Floats, Ints
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table, align_texts, floats_to_integers
from assay.significance.base import SignificanceTest
from assay.significance.statistics import COLUMNS, Margin
from assay.significance.wording import describe_intervals, describe_test, interval_label, p_label, write_conclusions

BETTER, WORSE, EQUIVALENT = "▲", "▼", "≈"
FEW_RUNS = 10
"""Up to this number of runs the compact table shows all pairs."""
COUNTS = ("topics", "wins", "ties", "losses", "topics_needed")


@dataclass(frozen=True, eq=False)
class Comparison(Report):
    """The report of :func:`compare`.

    Attributes
    ----------
    results
        The values compared: those of runs, or the means over the runs of each system.
    pairs
        Pairs x 2: the indices of the runs a and b. In a comparison with a baseline, b is the baseline.
    numbers
        ``COLUMNS``, each measures x pairs; NaN where there is no such number.
    test, correction, family, alpha
        The test, the correction of p, the comparisons that it covers, and the significance level. Confidence intervals
        have the level 1 - alpha.
    baselines
        The runs that all others were compared with; empty if all pairs were compared.
    margin, power, detect
        The margin of equivalence, the power for the number of topics needed, and the difference to detect (None: the
        observed one); None if not requested.
    systems
        The system of each run, if given; a run without one is a system by itself.
    shares
        Analysis of variance by topics, systems and runs: see :func:`.systems.decompose_variance`.
    notes
        Notes on excluded topics and on assumptions.
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

    name = "compare"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "each pair of runs; with more than 10 runs, each run against the best",
        "matrix": "runs x runs by one measure: difference of the run of the row from that of the column",
        "variance": "contributions of topics, systems and runs of a system to the variance of values",
    }

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.results.measures))
        return (
            f"Comparison({len(self.pairs):,} pairs of {len(self.results.runs)} runs: {measures}; {self.test.name} test)"
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and pair: ``measure, run_a, run_b``, then ``COLUMNS``, then ``test``.

        *difference* is mean_a - mean_b, over the *topics* for which both runs have a value. *low* and *high* are its
        confidence interval and *p* the p-value of the test, both for one pair by itself; *p_adjusted* is corrected for
        the comparisons of the family. (With Tukey's tests all of these hold for all pairs together.) *effect* is
        Hedges' g. *wins* is the number of topics on which a has the better value: the higher one, or the lower one if
        lower values are better. *p_equivalent*, which is not adjusted, is the p-value of the null hypothesis that the
        difference is at least the margin. *topics_needed* is the number of topics with which a t test of one pair at
        level alpha detects the difference with the requested power (null if the difference is 0). For geometric means
        *difference* and its interval are differences of logarithms.
        """
        measures, pairs = len(self.results.measures), len(self.pairs)
        runs = pl.Series(self.results.runs, dtype=pl.String)
        names = pl.Series([str(measure) for measure in self.results.measures], dtype=pl.String)
        types = {name: pl.Int64 if name in COUNTS else pl.Float64 for name in COLUMNS}
        return pl.DataFrame(
            {
                "measure": names.gather(np.repeat(np.arange(measures), pairs)),
                "run_a": runs.gather(np.tile(self.pairs[:, 0], measures)),
                "run_b": runs.gather(np.tile(self.pairs[:, 1], measures)),
                **{
                    name: pl.Series(self.numbers[name].ravel()).fill_nan(None).cast(dtype)
                    for name, dtype in types.items()
                },
                "test": pl.Series([self.test.name] * (measures * pairs), dtype=pl.String),
            }
        )

    def matrix(self, of: str | Measure, column: str = "p_adjusted") -> Floats:
        """Return one column for one measure as runs x runs; NaN for pairs that were not compared.

        Signed columns change their sign when the two runs are exchanged. Columns such as *mean_a*, which describe only
        one of the runs, are not available.
        """
        if column not in ("p", "p_adjusted", "p_equivalent", "topics", "difference", "effect", "statistic"):
            raise InputError(
                f"column {column!r}: is not available as a matrix; choose p_adjusted, difference or effect"
            )
        self.results.matrix(of)  # raises an error for a measure that is not among the results
        index = self.results.measures.index(parse_measure(of))
        matrix = np.full((len(self.results.runs),) * 2, math.nan)
        sign = -1 if column in ("difference", "effect", "statistic") else 1
        first, second = self.pairs.T
        matrix[first, second] = self.numbers[column][index]
        matrix[second, first] = sign * self.numbers[column][index]
        return matrix

    def between(self, of: str | Measure, a: str, b: str) -> dict[str, float]:
        """Return the ``COLUMNS`` of run a against run b, also if the report contains the pair as (b, a)."""
        measure, runs = self.results.measures.index(parse_measure(of)), self.results.runs
        first, second = runs.index(a), runs.index(b)
        same, exchanged = ((self.pairs == pair).all(axis=1) for pair in ((first, second), (second, first)))
        matching = np.flatnonzero(same | exchanged)
        if not len(matching):
            raise InputError(f"{a} and {b} were not compared")
        row = {name: float(self.numbers[name][measure, matching[0]]) for name in COLUMNS}
        if self.pairs[matching[0], 0] == first:
            return row
        swapped = {"mean_a": "mean_b", "mean_b": "mean_a", "wins": "losses", "losses": "wins"}
        signed = {
            "difference": "difference",
            "effect": "effect",
            "statistic": "statistic",
            "low": "high",
            "high": "low",
        }
        return {
            **row,
            **{name: row[source] for name, source in swapped.items()},
            **{name: 0.0 - row[source] for name, source in signed.items()},
        }

    def verdicts(self, of: str | Measure) -> Floats:
        """Return runs x runs: 1 if the run of the row is significantly better, -1 if worse, else 0; NaN if untested."""
        p, difference, statistic = (self.matrix(of, name) for name in ("p_adjusted", "difference", "statistic"))
        # A rank test can be significant for runs with equal means; then the sign of its statistic decides.
        higher = np.sign(np.where(difference == 0, statistic, difference))
        better = -higher if parse_measure(of).lower_is_better else higher
        return np.where(np.isnan(p), math.nan, np.where(p < self.alpha, better, 0.0))

    @property
    def family_title(self) -> str:
        """Comparisons that p is corrected over: ``all 15 pairs of runs``, ``all 5 comparisons with bm25``."""
        several = len(self.results.measures) > 1
        subjects = "systems" if self.systems else "runs"
        if self.test.corrected:
            return f"all pairs of {len(self.results.runs):,} {subjects}" + ", measure by measure" * several
        all_measures = several and self.family == "all"
        number = len(self.pairs) * (len(self.results.measures) if all_measures else 1)
        noun, of = ("comparison", f"with {self._baseline}") if self.baselines else ("pair", f"of {subjects}")
        amount = f"one {noun}" if number == 1 else f"all {number:,} {noun}s"
        return f"{amount} {of}" + (" and measures" if all_measures else ", measure by measure" * several)

    @property
    def topics_title(self) -> str:
        """Number of topics of the comparisons: ``25 topics``, ``5 to 20 topics per pair``."""
        topics = self.numbers["topics"]
        fewest, most = int(topics.min()), int(topics.max())
        return pluralize(most, "topic") if fewest == most else f"{fewest} to {most} topics per pair"

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
        rows = [row for measure in self.results.measures for row in self._rows(measure)]
        several = len(self.results.measures) > 1
        names = ["measure"] * several + ["run", "against"] + ["mean", "difference", label, "W/T/L"]
        columns = {
            "measure": [str(row.measure) for row in rows],
            "run": [row.run for row in rows],
            "mean": [row.numbers["mean_a"] for row in rows],
            "against": [row.other for row in rows],
            "difference": [row.numbers["difference"] for row in rows],
            label: [row.numbers["p_adjusted"] for row in rows],
            "W/T/L": [row.record for row in rows],
        }
        marks = {"difference": [row.mark for row in rows]}
        if self.margin is not None:
            names.append("p equivalent")
            columns["p equivalent"] = [row.numbers["p_equivalent"] for row in rows]
            marks["p equivalent"] = [EQUIVALENT * (row.numbers["p_equivalent"] < self.alpha) for row in rows]
        if self.power is not None:
            names.append("topics needed")
            columns["topics needed"] = [_to_integer(row.numbers["topics_needed"]) for row in rows]
        compact = pl.DataFrame({name: columns[name] for name in names}, strict=False, nan_to_null=True)
        if len(self.baselines) == 1 or not self._shows_all:
            compact = compact.drop("against")
        low, high = ([_nan_to_none(row.numbers[bound]) for row in rows] for bound in ("low", "high"))
        return Table(
            self.frame(),
            compact.with_columns(align_texts(compact["W/T/L"])),
            heading="measure" if several else None,
            probability_columns={label: self.least if label == "p" else 0.0, "p equivalent": 0.0},
            marks=marks,
            intervals={"difference": (low, high)},
            interval_name=interval_label(self),
            caption=self._caption(label),
        )

    @property
    def _shows_all(self) -> bool:
        """True if the compact table shows all comparisons; with many runs it shows those against the best."""
        return bool(self.baselines) or len(self.results.runs) <= FEW_RUNS

    def _rows(self, measure: Measure) -> list[PairRow]:
        """Return the comparisons of the compact table, best runs first."""
        runs, order = self.results.runs, self.results.best(measure)
        if self.baselines:
            pairs = [(runs[a], runs[b]) for a, b in self.pairs.tolist()]
            pairs.sort(key=lambda pair: (self.baselines.index(pair[1]), order.index(pair[0])))
        elif self._shows_all:
            pairs = list(combinations(order, 2))
        else:
            pairs = [(run, order[0]) for run in order[1:]]
        verdicts = self.verdicts(measure)
        return [
            PairRow(measure, a, b, self.between(measure, a, b), float(verdicts[runs.index(a), runs.index(b)]))
            for a, b in pairs
        ]

    def _caption(self, label: str) -> str:
        against = self.baselines[0] if len(self.baselines) == 1 else "the run it is compared with"
        if not self._shows_all:
            against = f"the run with the best mean; all {len(self.pairs):,} pairs: --wide, --format csv"
        signs = f"{BETTER} significantly better, {WORSE} significantly worse ({label} < {self.alpha:g})"
        lines = [
            f"difference: from {against}; {signs}",
            f"{describe_test(self)}; {self.topics_title}",
            f"{describe_intervals(self, with_p=False)}; W/T/L: topics on which the run wins, ties, loses",
        ]
        if self.margin is not None:
            lines.append(f"{EQUIVALENT} equivalent within {self.margin} by t tests (p equivalent < {self.alpha:g})")
        if self.power is not None:
            detect = "the observed difference" if self.detect is None else f"a difference of {self.detect:g}"
            lines.append(f"topics needed: to detect {detect} with probability {self.power:g}")
        return "\n".join(lines)

    def _show_matrix(self) -> Table:
        if len(self.results.measures) != 1:
            raise InputError("matrix: needs exactly one measure; name one")
        [measure], runs = self.results.measures, self.results.runs
        frame = to_square_frame(runs, self.matrix(measure, "difference"))
        verdicts = self.verdicts(measure)
        signs = {1.0: BETTER, -1.0: WORSE}
        marks = {run: [signs.get(verdict, "") for verdict in verdicts[:, column]] for column, run in enumerate(runs)}
        legend = f"{measure}: row minus column; {BETTER} the row is significantly better, {WORSE} worse"
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
        """State the contributions to the variance of the values of each measure, largest first."""
        sentences = []
        for (measure,), rows in self.shares.group_by("measure", maintain_order=True):
            known = rows.filter(pl.col("share").is_not_null()).sort("share", descending=True, maintain_order=True)
            parts = [f"{source} {100 * share:.0f} %" for source, share in known.select("source", "share").iter_rows()]
            sentences.append(f"{measure}: {', '.join(parts) or 'no variance'}.")
        return sentences


class PairRow(NamedTuple):
    """One row of the compact table: *numbers* are those of *run* against *other*."""

    measure: Measure
    run: str
    other: str
    numbers: Mapping[str, float]
    verdict: float

    @property
    def mark(self) -> str:
        """Symbol of a significant difference; empty if it is not significant."""
        return {1.0: BETTER, -1.0: WORSE}.get(self.verdict, "")

    @property
    def record(self) -> str:
        """Wins, ties and losses over topics."""
        return "/".join(f"{self.numbers[name]:.0f}" for name in ("wins", "ties", "losses"))


def _nan_to_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _to_integer(value: float) -> int | None:
    return None if math.isnan(value) else int(value)
