"""Bounds: the smallest and the largest value that the judgments still allow, per topic and in the mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError, PolicyError
from assay.io.numbers import whole_number
from assay.io.problems import shown
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import values
from assay.measures.counts import JudgedAt
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.notes import count, some
from assay.model.policies import refuse_expected
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.summary import aggregated
from assay.results.tables import Table
from assay.uncertainty.completions import completed

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""Measures that are bounded by default."""
ALL = "all"
MOST_OUTSIDE = 1_000_000
_TOGETHER = 16  # runs: enough to share the work, few enough to report progress
_NAMED = 6  # measures that a summary names
_COLUMNS = ("run", "measure", "topic", "value", "low", "high", "exact", "judged")


@dataclass(frozen=True, eq=False)
class Bounds(Report):
    """Values, and the smallest and largest values that the judgments allow, by measure, run and topic.

    Attributes
    ----------
    results
        The values as judged so far.
    low, high
        Measures x runs x topics: no completion of the judgments gives a value below or above these.
    exact
        Whether completions reach these values; otherwise they are outer bounds.
    judged
        Share of judged documents among those that the measure looks at.
    outside
        Number of further relevant documents that a ranking may lack.
    tail
        Whether relevant documents may follow the end of a ranking, for users who never stop.
    """

    results: Results
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray
    judged: np.ndarray
    outside: float
    tail: bool

    name = "bounds"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "the bounds of each run over topics",
        "topics": "the bounds of each topic, then over all",
    }

    def __repr__(self) -> str:
        runs, topics = count(len(self.results.runs), "run"), count(len(self.results.topics), "topic")
        return f"Bounds({runs} x {topics}: {', '.join(map(str, self.results.measures))})"

    @property
    def provenance(self) -> Provenance:
        """The inputs and policies behind the values, and the assumptions of the bounds."""
        outside = {0: "none", math.inf: "any"}.get(self.outside) or int(self.outside)
        return self.results.provenance.with_settings(
            measures=[str(measure) for measure in self.results.measures], outside=outside, tail=self.tail
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on reading, on outer bounds, and on values that stay uncertain or are left out."""
        return (*self.results.notes, *_outer_notes(self), *_open_notes(self), *_left_out_notes(self))

    def frame(self) -> pl.DataFrame:
        """Return a row for each topic: run, measure, topic, value, low, high, exact, judged."""
        return self._tabulate(self.results.topics, self.results.values, self.low, self.high, self.exact, self.judged)

    def means(self) -> pl.DataFrame:
        """Return the means over topics: run, measure, value, low, high, exact (if every topic is), judged.

        Topics are judged independently, so the mean of the bounds bounds the mean.
        """
        return self._tabulate((ALL,), *self._overall()).drop("topic")

    def _overall(self) -> tuple[np.ndarray, ...]:
        """Return values, low, high, exact and judged over topics: measures x runs x 1 each."""
        measures = self.results.measures
        shape = (len(measures), len(self.results.runs), 1)

        def aggregate(of: np.ndarray, how: str | None = None) -> np.ndarray:
            rows = [[aggregated(row, how or m.aggregate) for row in rows] for m, rows in zip(measures, of, strict=True)]
            return np.array(rows).reshape(shape)

        exact = (self.exact | np.isnan(self.low)).all(axis=2, keepdims=True)
        over = (aggregate(of) for of in (self.results.values, self.low, self.high))
        return (*over, exact, aggregate(self.judged, "mean"))

    def _tabulate(self, topics: tuple[str, ...], *columns: np.ndarray) -> pl.DataFrame:
        """Return a row for each run, measure and topic; *columns* are measures x runs x topics."""
        results = self.results
        run, measure, topic = np.indices((len(results.runs), len(results.measures), len(topics))).reshape(3, -1)
        names = {"run": (results.runs, run), "measure": ([str(m) for m in results.measures], measure)}
        heads = {
            name: pl.Series(texts, dtype=pl.String).gather(place)
            for name, (texts, place) in {**names, "topic": (topics, topic)}.items()
        }
        flat = {name: pl.Series(of.transpose(1, 0, 2).ravel()) for name, of in zip(_COLUMNS[3:], columns, strict=True)}
        return pl.DataFrame({**heads, **flat}).with_columns(pl.col(pl.Float64).fill_nan(None))

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return how many pairs of runs keep their order, and whether the leader stays first."""
        _, low, high, *_ = (of[:, :, 0] for of in self._overall())
        if not (high - low > ROUNDING).any():
            return "No unjudged document of a ranking can change its values."
        if len(self.results.runs) == 1:
            return _describe_run(self, low[:, 0], high[:, 0])
        # Documents that one run has and another lacks change the recall base of both: bounds that keep it fixed
        # hold for a run alone.
        settles = [self.outside == math.inf or not measure.uses_recall_base for measure in self.results.measures]
        apart = [i for i, settled in enumerate(settles) if settled]
        rest = [str(measure) for measure, settled in zip(self.results.measures, settles, strict=True) if not settled]
        sentences = [*_describe_pairs(self, low, high, apart), *_describe_leaders(self, low, high, apart)]
        return " ".join([*sentences, *_describe_alone(rest)])

    def _show_means(self) -> Table:
        frame = self._tabulate((ALL,), *self._overall())
        return self._shape(frame, ["run"])

    def _show_topics(self) -> Table:
        columns = (self.results.values, self.low, self.high, self.exact, self.judged)
        both = (np.concatenate(pair, axis=2) for pair in zip(columns, self._overall(), strict=True))
        return self._shape(self._tabulate((*self.results.topics, ALL), *both), ["run", "topic"])

    def _shape(self, frame: pl.DataFrame, keys: list[str]) -> Table:
        compact = frame.select(
            "measure",
            *keys,
            "value",
            pl.col("low").alias("lowest"),
            pl.col("high").alias("highest"),
            (pl.col("high") - pl.col("low")).alias("width"),
            "judged",
            pl.when("exact").then(pl.lit("exact")).otherwise(pl.lit("outer")).alias("bounds"),
        )
        outer = "; outer: no completion goes beyond the bounds, perhaps none gets there"
        reached = "" if frame["exact"].all() else outer
        return Table(
            frame,
            compact,
            heading="measure",
            caption="lowest, highest: over all grades that unjudged documents may have; judged: share of judged "
            f"documents among those that the measure looks at{reached}",
        )


# Summary ---------------------------------------------------------------------------------------------------------


def _describe_run(report: Bounds, low: Floats, high: Floats) -> str:
    """Return the bounds of a single run, measure by measure."""
    ends = [
        f"{low[i]:.4f} and {high[i]:.4f} by {measure}"
        for i, measure in enumerate(report.results.measures)
        if not np.isnan(low[i])
    ]
    return f"Whatever its unjudged documents are, {report.results.runs[0]} lies between {some(ends, _NAMED)}."


def _describe_pairs(report: Bounds, low: Floats, high: Floats, apart: list[int]) -> list[str]:
    """Return how many pairs of runs keep their order by the measures *apart*: their intervals do not overlap.

    Runs whose intervals overlap may still keep their order, as they share unjudged documents; MED looks at pairs.
    """
    if not apart:
        return []
    a, b = np.triu_indices(len(report.results.runs), 1)
    above = (low[:, a] > high[:, b] + ROUNDING) | (low[:, b] > high[:, a] + ROUNDING)
    fixed = high - low <= ROUNDING
    kept = (above | (fixed[:, a] & fixed[:, b])).sum(axis=1).tolist()
    first, *others = (f"{kept[i]}{{}} by {report.results.measures[i]}" for i in apart)
    numbers = [first.format(f" of {count(len(a), 'pair')} of runs"), *(other.format("") for other in others)]
    return [f"Whatever the unjudged documents are, the order stays the same for {some(numbers, _NAMED)}."]


def _describe_leaders(report: Bounds, low: Floats, high: Floats, apart: list[int]) -> list[str]:
    """Return by which of the measures *apart* the leader stays first, and by which other runs reach its interval."""
    stays: dict[str, list[str]] = {}
    reached: list[str] = []
    for i in apart:
        measure = report.results.measures[i]
        first = np.flatnonzero(report.results.places(measure) == 1)
        worst, best = (-high[i], -low[i]) if measure.lower_is_better else (low[i], high[i])
        if len(first) != 1 or np.isnan(worst[first[0]]):
            continue
        if (np.delete(best, first[0]) >= worst[first[0]] - ROUNDING).any():
            reached.append(str(measure))
        else:
            stays.setdefault(report.results.runs[first[0]], []).append(str(measure))
    sentences = [f"{run} stays first by {some(names, _NAMED)}." for run, names in stays.items()]
    overlap = f"By {some(reached, _NAMED)} the interval of the leader overlaps with those of other runs."
    return [*sentences, *([overlap] if reached else [])]


def _describe_alone(measures: list[str]) -> list[str]:
    names = some(measures, _NAMED)
    why = "take documents that a ranking lacks as not relevant, so they settle no order; bounds for outside 'any' do"
    return [f"The bounds of {names} {why}."] if measures else []


# Notes -----------------------------------------------------------------------------------------------------------


def _outer_notes(report: Bounds) -> list[str]:
    notes = []
    for measure, exact, low in zip(report.results.measures, report.exact, report.low, strict=True):
        loose = int((~exact & ~np.isnan(low)).sum())
        if loose:
            where = f"{loose} of {count(int((~np.isnan(low)).sum()), 'ranking')}"
            notes.append(f"{measure}: outer bounds for {where}: no completion goes beyond, perhaps none gets there")
    return notes


def _open_notes(report: Bounds) -> list[str]:
    """Explain bounds that differ although every document the measure looks at is judged."""
    notes = []
    for i, measure in enumerate(report.results.measures):
        wide = report.high[i] > report.low[i] + ROUNDING
        rankings = int((wide & (report.judged[i] >= 1)).sum())
        if rankings:
            where = f"fully judged in {count(rankings, 'ranking')}, but still uncertain there"
            notes.append(f"{measure}: {where}: {_explain_open(report, measure)}")
    return notes


def _explain_open(report: Bounds, measure: Measure) -> str:
    if not measure.uses_recall_base:
        return "relevant documents may follow the end of a ranking (tail=False or --no-tail: assume none)"
    places = []
    if (cutoff := getattr(measure, "cutoff", None)) is not None:
        places.append(f"unjudged documents below rank {cutoff}")
    if report.outside:
        places.append("documents that the ranking lacks")
    what = " and ".join(places) or "unjudged documents"
    return f"{what} may be relevant, which changes the recall base or the ideal ranking"


def _left_out_notes(report: Bounds) -> list[str]:
    """Note topics without relevant documents: they are left out, although a completion could make them count."""
    if report.results.provenance.policies.undefined != "exclude":
        return []
    return [
        f"{measure}: topics without relevant documents are left out of the bounds too; judging could find some"
        for measure, values in zip(report.results.measures, report.results.values, strict=True)
        if measure.uses_recall_base and np.isnan(values).any()
    ]


# Bounding --------------------------------------------------------------------------------------------------------


@check_arguments
def bounds(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    outside: int | str = "none",
    tail: bool = True,
    progress: Progress | None = None,
) -> Bounds:
    """Bound values by the smallest and the largest that any completion of the judgments allows.

    A completion gives every document of a ranking that is not judged (or has a negative grade) a grade from 0 to the
    top of the scale. Unjudged documents that the ranking lacks stay not relevant, unless *outside* allows more relevant
    ones; they matter to measures with a recall base.

    Parameters
    ----------
    campaign
        Judgments and runs. Ties must be broken and unjudged documents kept. A topic that is left out because nothing
        in it is relevant stays so.
    measures
        As in ``evaluate``; by default ``MEASURES``.
    outside
        Number of further relevant documents that the ranking may lack: ``none`` (the default: the recall base consists
        of the judged documents and those of the ranking), a number, or ``any``.
    tail
        Whether relevant documents may follow the end of a ranking, for users who never stop (RBP, INSQ, INST, NERR10,
        NERR11).
    progress
        Called with the number of runs done and their total.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4
    (the residual of RBP). Proofs for other measures are in docs/concepts/bounds.md.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    >>> bounds(campaign, ["P@2", "RBP(p=0.5)"]).means().select("low", "high").rows()
    [(0.5, 1.0), (0.5, 1.0)]
    """
    chosen, more = parse_measures(MEASURES if measures is None else measures), parse_outside(outside)
    refuse_expected(campaign.policies.ties, "bounds need an order")
    if campaign.policies.unjudged != "nonrelevant":
        raise PolicyError("unjudged 'condensed': bounds are about what unjudged documents may be; leave them in")
    refuse_unreached(chosen, campaign.judgments.levels)
    low, high, exact = _complete(campaign, chosen, more, tail, progress)
    results = evaluate(campaign, chosen)
    left_out = np.isnan(results.values)
    low[left_out], high[left_out] = np.nan, np.nan
    shares = [values(JudgedAt(cutoff=getattr(m, "cutoff", None)), campaign.judged).value for m in chosen]
    judged = np.where(left_out, np.nan, np.stack(shares).reshape(results.values.shape))
    return Bounds(results, low, high, exact, judged, more, tail)


def _complete(
    campaign: Campaign, measures: tuple[Measure, ...], outside: float, tail: bool, progress: Progress | None
) -> tuple[Floats, Floats, Bools]:
    """Return the bounds of every measure, run and topic, and whether they are exact."""
    runs, topics = campaign.shape
    shape = (len(measures), runs, topics)
    low, high, exact = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, dtype=bool)
    for begin in range(0, runs, _TOGETHER):
        end = min(begin + _TOGETHER, runs)
        some = campaign.judged.only(np.arange(begin * topics, end * topics))
        for i, measure in enumerate(measures):
            interval = completed(measure, some, outside=outside, tail=tail)
            for bound, values_of_runs in ((low, interval.low), (high, interval.high), (exact, interval.exact)):
                bound[i, begin:end] = values_of_runs.reshape(end - begin, topics)
        if progress is not None:
            progress(end, runs)
    return low, high, exact


def parse_outside(outside: int | str) -> float:
    """Return the number of further relevant documents that the user allows."""
    named = {"none": 0.0, "any": math.inf}
    if isinstance(outside, str) and outside in named:
        return named[outside]
    more = whole_number(outside) if isinstance(outside, str) else outside
    if isinstance(more, int) and not isinstance(more, bool) and 0 <= more <= MOST_OUTSIDE:
        return float(more)
    raise InputError(
        f"outside {shown(outside)}: write none, any or how many more relevant documents there may be, "
        f"from 0 to {MOST_OUTSIDE}"
    )
