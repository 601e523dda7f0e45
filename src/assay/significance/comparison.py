"""The comparison of runs: numbers for every measure and pair, and how they were computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import Floats, Ints
from assay.results.table import Results
from assay.significance.base import SignificanceTest
from assay.significance.statistics import COLUMNS, Margin

COUNTS = ("topics", "wins", "ties", "losses", "topics_needed")


@dataclass(frozen=True, eq=False)
class Comparison:
    """The report of :func:`compare`.

    Attributes
    ----------
    results
        What was compared: the values of runs, or the mean values of the runs of each system.
    pairs
        Pairs x 2: the numbers of the runs a and b. Of a run and a baseline, b is the baseline.
    numbers
        ``COLUMNS``, each measures x pairs; NaN where there is no such number.
    test, correction, family, alpha
        How p was found and adjusted, and over which comparisons; intervals have the confidence 1 - alpha.
    baselines
        The runs that all others were compared with; none if all pairs were compared.
    margin, power, detect
        What differences do not matter, with what probability one is to be found, and which (None: the observed one);
        None if not asked.
    systems
        Which system each run is of, if that was given; a run that is missing is a system by itself.
    shares
        What topics, systems and runs contribute to how values vary: see :func:`.seeds.variance`.
    notes
        What was left out or assumed.
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

    def frame(self) -> pl.DataFrame:
        """A row for each measure and pair: ``measure, run_a, run_b``, then ``COLUMNS``, then ``test``.

        *difference* is mean_a - mean_b, over the *topics* for which both runs have a value. *low* and *high* are its
        interval and *p* the result of the test, both of one pair by itself; *p_adjusted* is corrected for the
        comparisons of the family. (Of Tukey's tests all of them hold for all pairs together.) *effect* is Hedges' g.
        *wins* counts the topics on which a has the better value: the higher one, or the lower one of a measure of cost.
        *p_equivalent*, not adjusted, is that of the hypothesis that the difference is at least the margin, and
        *topics_needed* how many topics would show the observed difference, in a t test of one pair at the level alpha,
        with the power asked for (null if there is no difference). For geometric means *difference* and its interval are
        of logarithms.
        """
        measures, pairs = len(self.results.measures), len(self.pairs)
        runs = pl.Series(self.results.runs, dtype=pl.String)
        names = pl.Series([str(measure) for measure in self.results.measures], dtype=pl.String)
        kinds = {name: pl.Int64 if name in COUNTS else pl.Float64 for name in COLUMNS}
        return pl.DataFrame(
            {
                "measure": names.gather(np.repeat(np.arange(measures), pairs)),
                "run_a": runs.gather(np.tile(self.pairs[:, 0], measures)),
                "run_b": runs.gather(np.tile(self.pairs[:, 1], measures)),
                **{
                    name: pl.Series(self.numbers[name].ravel()).fill_nan(None).cast(kind)
                    for name, kind in kinds.items()
                },
                "test": pl.Series([self.test.name] * (measures * pairs), dtype=pl.String),
            }
        )

    def matrix(self, of: str | Measure, column: str = "p_adjusted") -> Floats:
        """One column for one measure as runs x runs; NaN where no comparison was made.

        What has a sign changes it when the runs change places; *mean_a* and the like are no matrix.
        """
        if column not in ("p", "p_adjusted", "p_equivalent", "topics", "difference", "effect", "statistic"):
            raise InputError(f"column {column!r}: it depends on more than the two runs of a comparison")
        self.results.matrix(of)  # refuses a measure that is not among the results
        number = self.results.measures.index(parse_measure(of))
        found = np.full((len(self.results.runs),) * 2, math.nan)
        sign = -1 if column in ("difference", "effect", "statistic") else 1
        first, second = self.pairs.T
        found[first, second] = self.numbers[column][number]
        found[second, first] = sign * self.numbers[column][number]
        return found

    def between(self, of: str | Measure, a: str, b: str) -> dict[str, float]:
        """Return the ``COLUMNS`` of one comparison as those of run a against run b, whichever way it was made."""
        measure, runs = self.results.measures.index(parse_measure(of)), self.results.runs
        first, second = runs.index(a), runs.index(b)
        made = np.flatnonzero((self.pairs == (first, second)).all(axis=1) | (self.pairs == (second, first)).all(axis=1))
        if not len(made):
            raise InputError(f"{a} and {b} were not compared")
        row = {name: float(self.numbers[name][measure, made[0]]) for name in COLUMNS}
        if self.pairs[made[0], 0] == first:
            return row
        other = {"mean_a": "mean_b", "mean_b": "mean_a", "wins": "losses", "losses": "wins"}
        signed = {
            "difference": "difference",
            "effect": "effect",
            "statistic": "statistic",
            "low": "high",
            "high": "low",
        }
        return {
            **row,
            **{name: row[source] for name, source in other.items()},
            **{name: 0.0 - row[source] for name, source in signed.items()},
        }

    def verdicts(self, of: str | Measure) -> Floats:
        """Runs x runs: 1 where the row's run is significantly better, -1 where it is worse, else 0; NaN if untested."""
        p, difference, statistic = (self.matrix(of, name) for name in ("p_adjusted", "difference", "statistic"))
        # A rank test can separate runs with equal means; the sign of its statistic says which one is better.
        ahead = np.sign(np.where(difference == 0, statistic, difference))
        better = -ahead if parse_measure(of).lower_is_better else ahead
        return np.where(np.isnan(p), math.nan, np.where(p < self.alpha, better, 0.0))

    @property
    def family_title(self) -> str:
        """The comparisons that p is corrected over: ``all 15 pairs of runs``, ``all 5 comparisons with bm25``."""
        several = len(self.results.measures) > 1
        things = "systems" if self.systems else "runs"
        if self.test.corrected:
            return f"all pairs of {len(self.results.runs):,} {things}" + ", measure by measure" * several
        together = several and self.family == "all"
        number = len(self.pairs) * (len(self.results.measures) if together else 1)
        noun, of = ("comparison", f"with {self._baseline}") if self.baselines else ("pair", f"of {things}")
        amount = f"one {noun}" if number == 1 else f"all {number:,} {noun}s"
        return f"{amount} {of}" + (" and measures" if together else ", measure by measure" * several)

    @property
    def _baseline(self) -> str:
        return self.baselines[0] if len(self.baselines) == 1 else f"{len(self.baselines)} baselines"

    @property
    def least(self) -> float:
        """The smallest p that the test can tell from 0: a share of resamples is not finer than one of them."""
        return 1 / getattr(self.test, "resamples", math.inf)

    def provenance(self) -> dict[str, Any]:
        """The inputs, and how they were compared."""
        how = {
            "test": {"name": self.test.name, **asdict(self.test)},
            "correction": "none" if self.test.corrected else self.correction,
            "family": self.family,
            "comparisons": self.family_title,
            "alpha": self.alpha,
            "baselines": list(self.baselines),
            "margin": None if self.margin is None else str(self.margin),
            "power": self.power,
            "detect": self.detect,
            "systems": dict(self.systems),
        }
        return {**self.results.provenance.as_dict(), "comparison": how}
