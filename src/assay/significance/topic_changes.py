"""Topics on which a run wins and loses: differences, failing topics, and the topics that hold most of a difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.model.arrays import ROUNDING, Bools, Floats, subtract
from assay.results.results import Results
from assay.results.slices import Slice

Pair = tuple[str | None, str]
"""The runs before and after; the first is None if there is only one run."""
RUN_COLUMNS = {
    "run": pl.String,
    "topics": pl.Int64,
    "mean": pl.Float64,
    "failing": pl.Int64,
    "difference": pl.Float64,
    **dict.fromkeys(("better", "same", "worse", "fixed", "broken"), pl.Int64),
    "gains": pl.Float64,
    "losses": pl.Float64,
    "half": pl.Int64,
    "without_largest": pl.Float64,
}
"""Columns of the comparison of runs."""
SLICE_COLUMNS = {
    "attribute": pl.String,
    "slice": pl.String,
    "topics": pl.Int64,
    **dict.fromkeys(("mean_a", "mean_b", "difference"), pl.Float64),
    **dict.fromkeys(("better", "same", "worse", "fixed", "broken"), pl.Int64),
}
"""Columns of the comparison of two runs in slices of topics."""


@dataclass(frozen=True)
class ChangeSummary:
    """Aggregates of the differences of a measure over topics.

    Attributes
    ----------
    difference
        The mean of the differences.
    better, worse, same
        Number of topics with a better, a worse and an equal value. A gain is a difference for the better.
    gains, losses
        The sums of the positive and of the negative gains, divided by the number of topics. They sum to the difference,
        or to minus the difference if lower values are better.
    half
        The fewest topics, largest first, that hold half of the gains (if the difference is for the better) or half of
        the losses.
    largest
        The topic with the largest absolute difference; None if all differences are 0.
    without_largest
        The mean difference of the other topics; NaN if there is none.
    """

    difference: float
    better: int
    worse: int
    same: int
    gains: float
    losses: float
    half: tuple[str, ...]
    largest: str | None
    without_largest: float

    @property
    def depends_on_largest(self) -> bool:
        """True if the difference changes its sign, or at least halves, without the topic with the largest one."""
        if self.largest is None or np.isnan(self.without_largest) or self.difference == 0:
            return False
        return self.without_largest / self.difference <= 0.5 + ROUNDING


def summarize_changes(topics: Sequence[str], differences: Floats, lower_is_better: bool = False) -> ChangeSummary:
    """Summarize the differences of the topics, which are in the order of their ids.

    >>> summarize_changes(["1", "2", "3"], np.array([0.3, -0.1, 0.1])).half
    ('1',)
    """
    count = len(topics)
    gain = -differences if lower_is_better else differences
    difference = float(subtract(_mean(differences), 0.0))
    side = gain if (difference > 0) != lower_is_better else -gain
    order = np.argsort(-side, kind="stable")
    held = np.cumsum(np.maximum(side[order], 0.0))
    needed = 0 if difference == 0 else int(np.searchsorted(held, held[-1] / 2 * (1 - ROUNDING))) + 1
    largest = int(np.argmax(np.abs(differences))) if np.any(differences) else None
    others = np.zeros(0) if largest is None else np.delete(differences, largest)
    return ChangeSummary(
        difference=difference,
        better=int((gain > 0).sum()),
        worse=int((gain < 0).sum()),
        same=int((gain == 0).sum()),
        gains=float(np.maximum(gain, 0).sum()) / max(count, 1),
        losses=float(np.minimum(gain, 0).sum()) / max(count, 1),
        half=tuple(topics[i] for i in order[:needed].tolist()),
        largest=None if largest is None else topics[largest],
        without_largest=float(subtract(_mean(others), 0.0)),
    )


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def find_failures(values: Floats, failure: float | None, lower_is_better: bool) -> Bools:
    """Return for each value whether it is a failure: at most *failure*, or at least *failure* if lower is better.

    By default, the value 0 is a failure; if lower values are better, no value is.
    """
    with np.errstate(invalid="ignore"):
        if lower_is_better:
            return np.zeros(values.shape, dtype=bool) if failure is None else np.asarray(values >= failure - ROUNDING)
        return np.asarray(values <= (0.0 if failure is None else failure) + ROUNDING)


def describe_status(before: Floats, after: Floats, failure: float | None, lower_is_better: bool) -> pl.Series:
    """Return the status of each topic: fixed, better, same, worse or broken.

    A topic is fixed if it is better and only the value *before* is a failure, and broken if it is worse and only the
    value *after* is a failure.
    """
    gain = subtract(before, after) if lower_is_better else subtract(after, before)
    failed, fails = (find_failures(values, failure, lower_is_better) for values in (before, after))
    status = np.select(
        [gain == 0, (gain > 0) & failed & ~fails, (gain < 0) & fails & ~failed, gain > 0],
        ["same", "fixed", "broken", "better"],
        "worse",
    )
    return pl.Series("status", status.tolist(), dtype=pl.String)


def share_of_side(differences: Floats) -> Floats:
    """Return each difference as a fraction of the sum of all differences with the same sign; 0 for no difference.

    >>> share_of_side(np.array([0.75, -0.5, 0.25])).tolist()
    [0.75, 1.0, 0.25]
    """
    share = np.zeros(len(differences))
    for side in (differences > 0, differences < 0):
        share[side] = np.abs(differences[side]) / np.abs(differences[side]).sum() if side.any() else 0.0
    return share


def tabulate_runs(results: Results, pair: Pair, answerable: Bools, failure: float | None) -> pl.DataFrame:
    """Return a row for each run, compared with run a: first a, then the others, the best mean first.

    *answerable* are the topics with relevant documents; only these can fail.
    """
    a, b = pair
    lower = results.measures[0].lower_is_better
    values = dict(zip(results.runs, results.values[0], strict=True))
    others = [run for run in results.best(results.measures[0]) if run != a]
    before = None if a is None else values[a]
    rows = []
    for run in [b] if a is None else [a, *others]:
        fails = find_failures(np.where(answerable, values[run], np.nan), failure, lower)
        row = _describe_run(results, None if run == a else before, values[run], failure)
        rows.append({"run": run, **row, "failing": int(fails.sum())})
    return pl.DataFrame(rows, schema=RUN_COLUMNS)


def _describe_run(results: Results, before: Floats | None, after: Floats, failure: float | None) -> dict[str, Any]:
    """Return the row of one run; *before* has the values of run a, or is None if there is nothing to compare."""
    lower = results.measures[0].lower_is_better
    known = ~np.isnan(after) if before is None else ~(np.isnan(before) | np.isnan(after))
    row: dict[str, Any] = {
        "topics": int(known.sum()),
        "mean": float(after[known].mean()) if known.any() else None,
    }
    if before is None or not known.any():
        return row
    topics = [results.topics[i] for i in np.flatnonzero(known).tolist()]
    summary = summarize_changes(topics, subtract(after[known], before[known]), lower)
    status = describe_status(before[known], after[known], failure, lower)
    return row | {
        **{name: getattr(summary, name) for name in ("difference", "better", "same", "worse", "gains", "losses")},
        **{name: int((status == name).sum()) for name in ("fixed", "broken")},
        "half": len(summary.half),
        "without_largest": None if np.isnan(summary.without_largest) else summary.without_largest,
    }


def tabulate_slices(rows: pl.DataFrame, slices: Iterable[Slice]) -> pl.DataFrame:
    """Return a row for all topics, and one for each slice; *rows* are the topics of the report."""
    groups = [("", "all", rows)]
    groups += [(one.attribute, one.name, rows.filter(pl.col("topic").is_in(one.topics))) for one in slices]
    return pl.DataFrame([_describe_slice(*group) for group in groups], schema=SLICE_COLUMNS)


def _describe_slice(attribute: str, name: str, rows: pl.DataFrame) -> dict[str, Any]:
    """Return the row of one slice; the numbers of a comparison are missing if there is only one run."""
    row = {"attribute": attribute, "slice": name, "topics": len(rows)}
    row |= {"mean_b": rows["value_b"].mean()}
    if rows["difference"].null_count() == len(rows):
        return row
    status = rows["status"]
    return row | {
        "mean_a": rows["value_a"].mean(),
        "difference": rows["difference"].mean(),
        "better": int(status.is_in(["better", "fixed"]).sum()),
        "worse": int(status.is_in(["worse", "broken"]).sum()),
        **{name: int((status == name).sum()) for name in ("same", "fixed", "broken")},
    }
