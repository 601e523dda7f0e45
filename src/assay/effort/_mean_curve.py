"""Mean curves of runs: the mean over topics of the cumulated relative position (CRP) at each rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.effort._curve import compute_heights
from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures._threshold import check_rel
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction, check_integer, find_positions
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, EffortSettings
from assay.results.report import Report
from assay.results.sentences import find_extremes, name_or_count
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame

NORMS = ("R", "none")
SHOWN = (1, 2, 5)
"""The table shows these ranks and their multiples by powers of 10, and the last rank."""


@dataclass(frozen=True, eq=False)
class MeanCurve(Report):
    """Mean curves of runs over topics; the report of :func:`mean_curve`.

    Attributes
    ----------
    runs
        The runs.
    topics
        The number of topics of each mean, by run.
    mean, margin
        Runs x ranks: the mean of the curves, and half the width of its confidence interval (NaN with one topic).
    norm
        ``R`` if the curve of each topic was divided by its number of relevant documents, or ``none``.
    confidence
        The confidence level of the intervals.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    runs: tuple[str, ...]
    topics: Ints
    mean: Floats
    margin: Floats
    norm: str
    confidence: float
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "mean_curve"
    tables: ClassVar[Mapping[str, str]] = {
        "curves": "the mean curve of each run with its confidence interval",
        "landmarks": "the lowest point and the end of each mean curve",
    }

    def __repr__(self) -> str:
        return f"MeanCurve({pluralize(len(self.runs), 'run')}, {pluralize(self.mean.shape[1], 'rank')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and rank: run, rank, topics, mean, low, high."""
        return tidy_frame(
            {"run": self.runs, "rank": list(range(1, self.mean.shape[1] + 1))},
            {
                "topics": self.topics[:, None],
                "mean": self.mean,
                "low": self.mean - self.margin,
                "high": self.mean + self.margin,
            },
        )

    def landmarks(self) -> pl.DataFrame:
        """Return a row for each run: run, topics, turn_around, lowest, recovery, last.

        *turn_around* is the first rank where the mean curve is lowest, *lowest* its value there, *recovery* the first
        rank at which it returns to 0 from below (null if it never does), and *last* its value at the last rank. Values
        are null for a run without topics.
        """
        rows = [
            (run, int(count), *(_find_landmarks(curve) if count else (None,) * 4))
            for run, count, curve in zip(self.runs, self.topics, self.mean, strict=True)
        ]
        types = {"turn_around": pl.Int64, "lowest": pl.Float64, "recovery": pl.Int64, "last": pl.Float64}
        return pl.DataFrame(rows, schema={"run": pl.String, "topics": pl.Int64, **types}, orient="row")

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the runs whose mean curves fall least and most, or the landmarks of a single run."""
        rows = self.landmarks().drop_nulls("lowest")
        if rows.is_empty():
            return "No topic has relevant documents, so there is no curve."
        unit = " per relevant document" if self.norm == "R" else ""
        if len(rows) == 1:
            return self._describe_run(rows.row(0, named=True), unit)
        lowest = dict(rows.select("run", "lowest").iter_rows())
        extremes = find_extremes(lowest)
        assert extremes is not None, "some run has a curve"
        if extremes.all_equal:
            return f"All mean curves fall to {extremes.high:.2f}{unit}."
        return (
            f"The mean curve of {name_or_count(extremes.highest, 'run')} falls least, to {extremes.high:.2f}{unit}; "
            f"the mean curve of {name_or_count(extremes.lowest, 'run')} falls most, to {extremes.low:.2f}."
        )

    def _describe_run(self, row: Mapping[str, Any], unit: str) -> str:
        curve = f"The mean curve of {row['run']} over {pluralize(row['topics'], 'topic')}"
        if row["lowest"] >= 0:
            return f"{curve} never falls below 0."
        end = f"does not return to 0 ({row['last']:.2f} at the last rank)"
        if row["recovery"] is not None:
            end = f"returns to 0 at rank {row['recovery']}"
        return f"{curve} falls to {row['lowest']:.2f}{unit} at rank {row['turn_around']} and {end}."

    @property
    def _caption(self) -> str:
        divided = ", divided by its number of relevant documents" if self.norm == "R" else ""
        return (
            f"Mean over topics of the cumulated relative position of a topic{divided}: below 0, the user is behind the "
            "ideal ranking."
        )

    def _show_curves(self) -> Table:
        frame = self.frame()
        last = self.mean.shape[1]
        shown = {step * 10**power for power in range(len(str(last))) for step in SHOWN} | {last}
        compact = frame.filter(pl.col("rank").is_in(sorted(shown))).select("run", "rank", "mean", "low", "high")
        level = f"{100 * self.confidence:g} %"
        caption = f"{self._caption} low, high: {level} confidence interval of the mean at this rank (Student's t)."
        return Table(frame, compact.rename({"low": "CI low", "high": "CI high"}), heading="run", caption=caption)

    def _show_landmarks(self) -> Table:
        frame = self.landmarks()
        labels = {"turn_around": "turn", "last": "end"}
        caption = (
            f"{self._caption} turn: the rank where the mean curve is lowest. recovery: the rank where it is 0 again."
        )
        return Table(frame, frame.rename(labels), caption=caption)


def _find_landmarks(curve: Floats) -> tuple[int, float, int | None, float]:
    """Return the rank and the value of the minimum, the rank of the first return to 0, and the last value."""
    turn = int(curve.argmin())
    returns = np.flatnonzero((curve[1:] >= 0) & (curve[:-1] < 0))
    return turn + 1, float(curve[turn]), int(returns[0]) + 2 if len(returns) else None, float(curve[-1])


@check_arguments
def mean_curve(
    campaign: Campaign,
    *,
    runs: str | Iterable[str] | None = None,
    depth: int | None = None,
    norm: str = "R",
    confidence: float = 0.95,
    rel: float = 1,
) -> MeanCurve:
    """Compute the mean curve of each run over topics, with a confidence band.

    The value at rank n is the mean over topics of the measure ``CRP(norm=R)@n``. The band consists of the confidence
    intervals of the means by Student's t, one for each rank. It shows how precisely the topics determine the mean
    curve, not how much the curves of topics vary.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because a curve needs a single order of documents.
    runs
        Compute only the curves of these runs.
    depth
        The number of ranks; by default, the length of the longest ranking. Shorter rankings are padded with
        non-relevant documents.
    norm
        ``R`` divides the curve of each topic by R, its number of relevant documents. ``none`` does not, so that topics
        with many relevant documents dominate the mean.
    confidence
        The confidence level of the band.
    rel
        The lowest relevant grade.

    Notes
    -----
    Topics without relevant documents have no curve and are left out.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> import assay
    >>> qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1}}
    >>> report = mean_curve(assay.read(qrels, {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}}))
    >>> report.frame().select("rank", "topics", "mean").rows()
    [(1, 2, -0.5), (2, 2, 0.0)]
    """
    reject_expected_ties(campaign.policies.ties, "a curve needs an order")
    check_rel(rel, campaign.judgments.levels)
    check_fraction("confidence", confidence, 0.95)
    if norm not in NORMS:
        raise InputError(f"norm {norm!r}: choose one of {', '.join(NORMS)}{suggestion(norm, NORMS)}")
    ranks = campaign.judged.max_depth if depth is None else check_integer("depth", depth, 1)
    index = find_positions(campaign.runs, runs, "run")
    topics, mean, squares = _accumulate_curves(campaign, index, EffortSettings(max(ranks, 1), rel=rel), norm)
    names = tuple(campaign.runs[i] for i in index)
    settings = {"runs": None if runs is None else list(names), "depth": depth, "norm": norm}
    return MeanCurve(
        runs=names,
        topics=topics,
        mean=mean[:, :ranks],
        margin=_compute_margins(topics, squares, confidence)[:, :ranks],
        norm=norm,
        confidence=confidence,
        provenance=campaign.provenance.with_settings(**settings, confidence=confidence, rel=rel),
        notes=campaign.notes,
    )


def _accumulate_curves(
    campaign: Campaign, runs: Ints, setting: EffortSettings, norm: str
) -> tuple[Ints, Floats, Floats]:
    """Return the number of curves of each run, their mean, and the sum of squared deviations from it, runs x ranks.

    Welford's algorithm adds one topic after the other, so that memory does not grow with the number of topics.
    """
    assert setting.depth is not None
    count = np.zeros(len(runs), dtype=np.int64)
    mean, squares = np.zeros((2, len(runs), setting.depth))
    for topic in range(len(campaign.topics)):
        judged = campaign.judged.select_rankings(runs * len(campaign.topics) + topic)
        curves = Curves.from_judged(judged, setting)
        if not len(curves) or not curves.recall_base[0]:
            continue
        # Curves may be longer than the depth, because the full-scale ranking needs 2 R ranks.
        heights = compute_heights(curves)[:, : setting.depth]
        if norm == "R":
            heights /= curves.recall_base[0]
        counted = judged.answered | (judged.policies.missing != "exclude")
        count += counted
        change = np.where(counted[:, None], heights - mean, 0.0)
        mean += change / np.maximum(count, 1)[:, None]
        squares += change * np.where(counted[:, None], heights - mean, 0.0)
    mean[count == 0] = np.nan
    return count, mean, squares


def _compute_margins(topics: Ints, squares: Floats, confidence: float) -> Floats:
    """Return half the width of the confidence interval of each mean, by Student's t; NaN for fewer than two topics."""
    from scipy.special import stdtrit

    degrees = np.where(topics > 1, topics - 1, np.nan)
    quantile = stdtrit(degrees, (1 + confidence) / 2)
    return np.asarray((quantile / np.sqrt(topics * degrees))[:, None] * np.sqrt(np.maximum(squares, 0.0)))
