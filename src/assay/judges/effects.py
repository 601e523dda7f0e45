"""Report of the effect of the judge on conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table
from assay.significance.comparison import Comparison

BORDERS = (1, 3, 5, 10)
"""Numbers of best runs that are compared."""
_KINDS = ("both", "only_a", "only_b", "reversed", "neither")
_VERDICTS = {1: "better", 0: "not significant", -1: "worse"}


class JudgeResults(NamedTuple):
    """Results of the runs under one judge, and the comparison of all pairs of runs."""

    results: Results
    comparison: Comparison


class Flips(NamedTuple):
    """Significance of each pair of runs under two judges: run_a, run_b, kind, verdict_a, verdict_b."""

    pairs: pl.DataFrame

    def count(self, kind: str) -> int:
        """Return the number of pairs of a kind."""
        return len(self.pairs.filter(kind=kind))


class TopRuns(NamedTuple):
    """Runs among the best k under both judges (*common*), only under judge a (*left*), and only under b (*entered*)."""

    common: tuple[str, ...]
    left: tuple[str, ...]
    entered: tuple[str, ...]


class Favour(NamedTuple):
    """Difference of the effects of a judge: on the values of runs that use its model, and on those of other runs."""

    favour: float
    low: float
    high: float
    statistic: float
    p: float


@dataclass(frozen=True, eq=False)
class MeasureEffect:
    """Comparison of two judges by one measure; judge a is the reference.

    *values* and *ranks* have a number for each run under judge a and under judge b. *tau_low* and *tau_high* are the
    spread of tau over resampled topics. *top* has the best runs for each of ``BORDERS``; None if there are fewer runs.
    """

    measure: Measure
    judges: tuple[str, str]
    values: tuple[Floats, Floats]
    ranks: Floats
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    top: tuple[TopRuns | None, ...]
    flips: Flips
    favour: Favour | None

    @property
    def change(self) -> Floats:
        """The rank under judge b minus the rank under judge a: positive if a run drops."""
        return np.asarray(self.ranks[1] - self.ranks[0])


@dataclass(frozen=True, eq=False)
class Effects(Report):
    """Conclusions under several judges; the report of :func:`effect`.

    Attributes
    ----------
    judged
        The results and the comparison of all pairs of runs under each judge.
    effects
        The comparison of each pair of judges by each measure.
    shared
        The runs that use the model of a judge, by judge.
    provenance, notes
        The inputs and settings, and notes with the warning on shared runs.
    """

    judged: Mapping[str, JudgeResults]
    effects: tuple[MeasureEffect, ...]
    shared: Mapping[str, tuple[str, ...]]
    provenance: Provenance
    notes: tuple[str, ...]

    name = "effect"
    tables: ClassVar[Mapping[str, str]] = {
        "orders": "agreement of the order of the runs, and of the significant differences",
        "runs": "the mean and the rank of each run under both judges",
        "pairs": "pairs of runs with different conclusions under the judges",
    }

    def __repr__(self) -> str:
        return f"Effects({', '.join(self.judged)}: {pluralize(len(self.runs), 'run')})"

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return next(iter(self.judged.values())).results.runs

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and pair of judges.

        Columns: measure, judge_a, judge_b, runs, topics, tau, tau_low, tau_high, tau_ap, top_1 to top_10 (common runs
        among the best), max_drop, max_drop_run, the numbers of pairs of runs by significance (both, only_a, only_b,
        reversed, neither), and favour, favour_low, favour_high, favour_p of shared runs.
        """
        topics = len(next(iter(self.judged.values())).results.topics)
        rows = []
        for one in self.effects:
            favour = one.favour
            rows.append(
                {
                    "measure": str(one.measure),
                    **dict(zip(("judge_a", "judge_b"), one.judges, strict=True)),
                    "runs": len(self.runs),
                    "topics": topics,
                    "tau": one.tau,
                    "tau_low": one.tau_low,
                    "tau_high": one.tau_high,
                    "tau_ap": one.tau_ap,
                    **{
                        f"top_{k}": None if top is None else len(top.common)
                        for k, top in zip(BORDERS, one.top, strict=True)
                    },
                    "max_drop": float(one.change.max()),
                    "max_drop_run": self.runs[int(one.change.argmax())] if one.change.max() > 0 else None,
                    **{kind: one.flips.count(kind) for kind in _KINDS},
                    "favour": None if favour is None else favour.favour,
                    "favour_low": None if favour is None else favour.low,
                    "favour_high": None if favour is None else favour.high,
                    "favour_p": None if favour is None else favour.p,
                }
            )
        types = {
            **dict.fromkeys(("favour", "favour_low", "favour_high", "favour_p"), pl.Float64),
            **{f"top_{k}": pl.Int64 for k in BORDERS},
            "max_drop_run": pl.String,
        }
        frame = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def summary(self) -> str:
        """State whether the order of the runs and the significant differences are the same under both judges."""
        return "\n".join(self._conclude(one) for one in self.effects[:3])

    def _conclude(self, one: MeasureEffect) -> str:
        a, b = one.judges
        best = [self.runs[int(ranks.argmin())] for ranks in one.ranks]
        tied = [(ranks == ranks.min()).sum() > 1 for ranks in one.ranks]
        if any(tied):
            first = "several runs are tied for first"
        elif best[0] == best[1]:
            first = f"{best[0]} is first under both judges"
        else:
            first = f"{best[0]} is first under {a}, and {best[1]} under {b}"
        flips = one.flips
        appear, vanish, turn = flips.count("only_b"), flips.count("only_a"), flips.count("reversed")
        total = len(flips.pairs)
        tau = "undefined" if np.isnan(one.tau) else f"{one.tau:.3f}"
        return (
            f"{one.measure}: {first}; Kendall's tau of {a} and {b} is {tau}. Of {total:,} pairs of runs, "
            f"{vanish:,} differ significantly only under {a}, {appear:,} only under {b}, and {turn:,} in opposite "
            "directions."
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def _show_orders(self) -> Table:
        frame = self.frame()
        rows = frame.with_columns(judges=pl.format("{} / {}", "judge_a", "judge_b"))
        columns = {
            "measure": "measure",
            "judges": "judges",
            "tau": "tau",
            "tau-AP": "tau_ap",
            "only a": "only_a",
            "only b": "only_b",
            "reversed": "reversed",
        }
        if len(set(rows["judges"])) == 1:
            del columns["judges"]
        first = "" if "judges" in columns else f" ({' and '.join(self.effects[0].judges)})"
        lines = [
            f"a and b: the two judges{first}",
            "only a, only b: pairs of runs that differ significantly under one judge only; reversed: in opposite ways",
            "spread: middle 95 % over resampled topics; not a confidence interval, because resampling lowers tau",
        ]
        lines += [
            f"{one.judges[1]} changes the values of runs marked ° by {one.favour.favour:.4f} "
            f"[{one.favour.low:.4f}, {one.favour.high:.4f}] more than those of other runs ({one.measure}, "
            f"p = {one.favour.p:.4f})"
            for one in self.effects
            if one.favour is not None
        ]
        return Table(
            frame,
            rows.select(pl.col(column).alias(name) for name, column in columns.items()),
            intervals={"tau": (frame["tau_low"].to_list(), frame["tau_high"].to_list())},
            interval_name="spread",
            caption="\n".join(lines),
        )

    def _show_runs(self) -> Table:
        frames = []
        for one in self.effects:
            a, b = one.judges
            frame = pl.DataFrame(
                {
                    "measure": [str(one.measure)] * len(self.runs),
                    "judge_a": [a] * len(self.runs),
                    "judge_b": [b] * len(self.runs),
                    "run": [f"{run}{'°' * (run in self._find_shared_runs(one))}" for run in self.runs],
                    "mean_a": one.values[0],
                    "mean_b": one.values[1],
                    "rank_a": one.ranks[0],
                    "rank_b": one.ranks[1],
                    "change": one.change,
                }
            )
            frames.append(frame.sort("rank_a", "run"))
        frame = pl.concat(frames).with_columns(pl.col(pl.Float64).fill_nan(None))
        heading = pl.format("{}, {} (a) and {} (b)", "measure", "judge_a", "judge_b").alias("comparison")
        ranks = [
            pl.col(name).map_elements(_format, return_dtype=pl.String).alias(name.replace("_", " "))
            for name in ("rank_a", "rank_b", "change")
        ]
        means = [pl.col("mean_a").alias("mean a"), pl.col("mean_b").alias("mean b")]
        return Table(
            frame,
            frame.select(heading, "run", *means, *ranks),
            heading="comparison",
            caption="change: rank b minus rank a; a positive change is a drop",
        )

    def _find_shared_runs(self, one: MeasureEffect) -> set[str]:
        return {run for judge in one.judges for run in self.shared.get(judge, ())}

    def _show_pairs(self) -> Table:
        frames = [
            one.flips.pairs.select(
                pl.lit(str(one.measure)).alias("measure"),
                pl.lit(one.judges[0]).alias("judge_a"),
                pl.lit(one.judges[1]).alias("judge_b"),
                pl.all(),
            )
            for one in self.effects
        ]
        frame = pl.concat(frames)
        changed = frame.filter(pl.col("kind").is_in(["reversed", "only_b", "only_a"]))
        order = {"reversed": 0, "only_b": 1, "only_a": 2}
        changed = changed.sort(pl.col("kind").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
        verdicts = [
            pl.col(name).replace_strict(_VERDICTS, return_dtype=pl.String).alias(f"under {letter}")
            for name, letter in (("verdict_a", "a"), ("verdict_b", "b"))
        ]
        heading = pl.format("{}, {} (a) and {} (b)", "measure", "judge_a", "judge_b").alias("comparison")
        compact = changed.select(heading, pl.col("run_a").alias("run"), pl.col("run_b").alias("than"), *verdicts)
        return Table(
            frame,
            compact,
            heading="comparison" if len(compact) else None,
            caption=(
                "the run is significantly better or worse than the other run; pairs with the same conclusion are not "
                "listed (all pairs: --wide)"
            ),
        )


def _format(number: float | None) -> str | None:
    """Return a rank as text; ranks of tied runs may be half numbers."""
    return None if number is None else f"{number:g}"
