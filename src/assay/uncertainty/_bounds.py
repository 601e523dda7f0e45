"""Bounds: lower and upper bound of values over all completions of the judgments, per topic and on average."""

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
from assay.io.numbers import parse_integer
from assay.io.problems import format_value
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import check_thresholds
from assay.measures._values import compute_values
from assay.measures.counts import JudgedAt
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.notes import join_names, pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.aggregation import aggregate_values
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table
from assay.uncertainty.completions import bound_values

MEASURES = ("AP", "nDCG@10", "P@10", "RR")
"""Measures that are bounded by default."""
ALL = "all"
MAX_OUTSIDE = 1_000_000
_BLOCK = 16  # runs bounded together: enough to share overhead, few enough to report progress
_MAX_NAMED = 6  # measures that a summary names
_OUTER = "no completion has a value outside the bounds, but the bounds may not be attained"
_NUMBERS = ("value", "low", "high", "exact", "judged")


@dataclass(frozen=True, eq=False)
class Bounds(Report):
    """Values, and their bounds over all completions of the judgments, by measure, run and topic.

    Attributes
    ----------
    results
        The values for the current judgments.
    low, high
        Measures x runs x topics: lower and upper bound over all completions of the judgments.
    exact
        True where completions attain the bounds; False for outer bounds, which may not be attained.
    judged
        Fraction of judged documents among the documents that the measure evaluates.
    outside
        Maximum number of further relevant documents outside a ranking.
    tail
        True if the bounds allow relevant documents after the end of a ranking; measures whose users never stop count
        them.
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
        "topics": "the bounds of each topic, then the bounds over all topics",
    }

    def __repr__(self) -> str:
        runs, topics = pluralize(len(self.results.runs), "run"), pluralize(len(self.results.topics), "topic")
        return f"Bounds({runs} x {topics}: {', '.join(map(str, self.results.measures))})"

    @property
    def provenance(self) -> Provenance:
        """Inputs and policies of the values, and assumptions of the bounds."""
        outside = {0: "none", math.inf: "any"}.get(self.outside) or int(self.outside)
        return self.results.provenance.with_settings(
            measures=[str(measure) for measure in self.results.measures], outside=outside, tail=self.tail
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on reading, on outer bounds, on uncertain values of judged rankings, and on excluded topics."""
        return (*self.results.notes, *_note_outer(self), *_note_uncertain(self), *_note_excluded_topics(self))

    def frame(self) -> pl.DataFrame:
        """Return a row for each topic: run, measure, topic, value, low, high, exact, judged."""
        return self._tabulate(self.results.topics, self.results.values, self.low, self.high, self.exact, self.judged)

    def means(self) -> pl.DataFrame:
        """Return the means over topics: run, measure, value, low, high, exact (for all topics), judged.

        Topics are completed independently, so the means of the bounds are the bounds of the mean.
        """
        return self._tabulate((ALL,), *self._average_topics()).drop("topic")

    def _average_topics(self) -> tuple[np.ndarray, ...]:
        """Return value, low, high, exact and judged, aggregated over topics: each measures x runs x 1."""
        measures = self.results.measures
        shape = (len(measures), len(self.results.runs), 1)

        def aggregate(values: np.ndarray, method: str | None = None) -> np.ndarray:
            rows = [
                [aggregate_values(row, method or measure.aggregate) for row in rows]
                for measure, rows in zip(measures, values, strict=True)
            ]
            return np.array(rows).reshape(shape)

        exact = (self.exact | np.isnan(self.low)).all(axis=2, keepdims=True)
        means = (aggregate(values) for values in (self.results.values, self.low, self.high))
        return (*means, exact, aggregate(self.judged, "mean"))

    def _tabulate(self, topics: tuple[str, ...], *columns: np.ndarray) -> pl.DataFrame:
        """Return a row for each run, measure and topic; *columns* are measures x runs x topics."""
        results = self.results
        run, measure, topic = np.indices((len(results.runs), len(results.measures), len(topics))).reshape(3, -1)
        # Columns are transposed to runs x measures x topics, the order of the rows.
        numbers = (values.transpose(1, 0, 2).ravel() for values in columns)
        return pl.DataFrame(
            {
                "run": pl.Series(results.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([str(m) for m in results.measures], dtype=pl.String).gather(measure),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                **dict(zip(_NUMBERS, numbers, strict=True)),
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """State how many pairs of runs keep their order, and whether the leader stays first."""
        _, low, high, *_ = (values[:, :, 0] for values in self._average_topics())
        if not (high - low > ROUNDING).any():
            return "No unjudged document of a ranking can change its values."
        if len(self.results.runs) == 1:
            return _describe_run(self, low[:, 0], high[:, 0])
        # A document that only one of two runs retrieved changes the recall base of both. Bounds that ignore documents
        # outside a ranking therefore hold for each run alone, and cannot compare runs.
        measures = self.results.measures
        comparable = [
            i for i, measure in enumerate(measures) if self.outside == math.inf or not measure.uses_recall_base
        ]
        sentences = [
            *_describe_pairs(self, low, high, comparable),
            *_describe_leaders(self, low, high, comparable),
            *_describe_limits([str(measure) for i, measure in enumerate(measures) if i not in comparable]),
        ]
        return " ".join(sentences)

    def _show_means(self) -> Table:
        return self._build_table(self._tabulate((ALL,), *self._average_topics()), ["run"])

    def _show_topics(self) -> Table:
        columns = (self.results.values, self.low, self.high, self.exact, self.judged)
        columns_with_means = (
            np.concatenate(pair, axis=2) for pair in zip(columns, self._average_topics(), strict=True)
        )
        return self._build_table(self._tabulate((*self.results.topics, ALL), *columns_with_means), ["run", "topic"])

    def _build_table(self, frame: pl.DataFrame, keys: list[str]) -> Table:
        """Return the table of bounds; *keys* are the columns that name the rows, such as run and topic."""
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
        caption = (
            "lowest, highest: over all grades that unjudged documents may have; judged: fraction of judged documents "
            "among the documents that the measure evaluates"
        )
        if not frame["exact"].all():
            caption += f"; outer: {_OUTER}"
        return Table(frame, compact, heading="measure", caption=caption)


# Summary ---------------------------------------------------------------------------------------------------------


def _describe_run(report: Bounds, low: Floats, high: Floats) -> str:
    """State the bounds of a single run, measure by measure."""
    ranges = [
        f"{low[i]:.4f} and {high[i]:.4f} by {measure}"
        for i, measure in enumerate(report.results.measures)
        if not np.isnan(low[i])
    ]
    run = report.results.runs[0]
    return f"For any grades of its unjudged documents, {run} lies between {join_names(ranges, _MAX_NAMED)}."


def _describe_pairs(report: Bounds, low: Floats, high: Floats, measures: list[int]) -> list[str]:
    """State how many pairs of runs have disjoint intervals by *measures* (indices), so that their order is fixed.

    The order of runs with overlapping intervals may be fixed as well, because they share unjudged documents; MED
    compares such pairs.
    """
    if not measures:
        return []
    a, b = np.triu_indices(len(report.results.runs), 1)
    disjoint = (low[:, a] > high[:, b] + ROUNDING) | (low[:, b] > high[:, a] + ROUNDING)
    # Two runs without uncertainty keep their order, even if their values are equal.
    is_certain = high - low <= ROUNDING
    fixed_counts = (disjoint | (is_certain[:, a] & is_certain[:, b])).sum(axis=1).tolist()
    counts = [f"{fixed_counts[i]} by {report.results.measures[i]}" for i in measures[1:]]
    pairs = f"{fixed_counts[measures[0]]} of {pluralize(len(a), 'pair')} of runs"
    counts.insert(0, f"{pairs} by {report.results.measures[measures[0]]}")
    return [f"For any grades of unjudged documents, the order stays the same for {join_names(counts, _MAX_NAMED)}."]


def _describe_leaders(report: Bounds, low: Floats, high: Floats, measures: list[int]) -> list[str]:
    """State by which of *measures* (indices) the leader stays first, and by which its interval overlaps others."""
    leading: dict[str, list[str]] = {}
    overlapping: list[str] = []
    for i in measures:
        measure = report.results.measures[i]
        first = np.flatnonzero(report.results.places(measure) == 1)
        worst, best = (-high[i], -low[i]) if measure.lower_is_better else (low[i], high[i])
        if len(first) != 1 or np.isnan(worst[first[0]]):
            continue
        if (np.delete(best, first[0]) >= worst[first[0]] - ROUNDING).any():
            overlapping.append(str(measure))
        else:
            leading.setdefault(report.results.runs[first[0]], []).append(str(measure))
    sentences = [f"{run} stays first by {join_names(names, _MAX_NAMED)}." for run, names in leading.items()]
    if overlapping:
        names = join_names(overlapping, _MAX_NAMED)
        sentences.append(f"By {names} the interval of the leader overlaps with the intervals of other runs.")
    return sentences


def _describe_limits(measures: list[str]) -> list[str]:
    """State that runs cannot be compared by the bounds of *measures*."""
    if not measures:
        return []
    limit = (
        f"The bounds of {join_names(measures, _MAX_NAMED)} assume that no unjudged document outside a ranking is "
        "relevant, so they cannot be used to compare runs; use outside='any' (--outside any) for that."
    )
    return [limit]


# Notes -----------------------------------------------------------------------------------------------------------


def _note_outer(report: Bounds) -> list[str]:
    """Note the measures whose bounds are not exact."""
    notes = []
    for measure, exact, low in zip(report.results.measures, report.exact, report.low, strict=True):
        outer_count = int((~exact & ~np.isnan(low)).sum())
        if outer_count:
            rankings = f"{outer_count} of {pluralize(int((~np.isnan(low)).sum()), 'ranking')}"
            notes.append(f"{measure}: outer bounds for {rankings}: {_OUTER}")
    return notes


def _note_uncertain(report: Bounds) -> list[str]:
    """Explain bounds that differ although every document that the measure evaluates is judged."""
    notes = []
    for i, measure in enumerate(report.results.measures):
        is_uncertain = report.high[i] > report.low[i] + ROUNDING
        count = int((is_uncertain & (report.judged[i] >= 1)).sum())
        if count:
            problem = f"uncertain values for {pluralize(count, 'fully judged ranking')}"
            notes.append(f"{measure}: {problem}: {_explain_uncertainty(report, measure)}")
    return notes


def _explain_uncertainty(report: Bounds, measure: Measure) -> str:
    """Return the reason why the values of judged rankings are uncertain."""
    if not measure.uses_recall_base:
        return "relevant documents may follow the end of a ranking (tail=False or --no-tail: assume none)"
    documents = []
    if (cutoff := getattr(measure, "cutoff", None)) is not None:
        documents.append(f"unjudged documents below rank {cutoff}")
    if report.outside:
        documents.append("documents outside the ranking")
    subject = " and ".join(documents) or "unjudged documents"
    return f"{subject} may be relevant, which changes the recall base or the ideal ranking"


def _note_excluded_topics(report: Bounds) -> list[str]:
    """Note topics without relevant documents, which are excluded although completions may have relevant documents."""
    if report.results.provenance.policies.undefined != "exclude":
        return []
    return [
        f"{measure}: topics without relevant documents are also excluded from the bounds, although further judgments "
        "could find relevant documents"
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
    """Compute the lower and upper bound of values over all completions of the judgments.

    A completion gives every document of a ranking that is unjudged (or has a negative grade) a grade from 0 to the top
    of the scale. Unjudged documents outside the ranking stay non-relevant, unless *outside* allows further relevant
    documents. Such documents affect measures with a recall base.

    Parameters
    ----------
    campaign
        Judgments and runs. Ties must be broken, and rankings must not be condensed. Topics that are excluded because
        they have no relevant documents stay excluded.
    measures
        As in ``evaluate``; by default ``MEASURES``.
    outside
        Maximum number of further relevant documents outside the ranking: ``none``, a number, or ``any``. By default
        (``none``), only judged documents and documents of the ranking enter the recall base.
    tail
        Allow relevant documents after the end of a ranking. This affects measures whose users never stop: RBP, INSQ,
        INST, NERR10 and NERR11.
    progress
        Called with the number of runs done and the total number of runs.

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
    chosen, max_outside = parse_measures(MEASURES if measures is None else measures), parse_outside(outside)
    reject_expected_ties(campaign.policies.ties, "bounds need an order")
    if campaign.policies.unjudged != "nonrelevant":
        raise PolicyError("unjudged 'condensed': bounds need the unjudged documents; use 'nonrelevant'")
    check_thresholds(chosen, campaign.judgments.levels)
    refuse_facets(chosen, "bounds")
    low, high, exact = _bound_runs(campaign, chosen, max_outside, tail, progress)
    results = evaluate(campaign, chosen)
    excluded = np.isnan(results.values)
    low[excluded], high[excluded] = np.nan, np.nan
    depths = [None if m.reads_beyond_cutoff else getattr(m, "cutoff", None) for m in chosen]
    fractions = [compute_values(JudgedAt(cutoff=depth), campaign.judged).value for depth in depths]
    judged = np.where(excluded, np.nan, np.stack(fractions).reshape(results.values.shape))
    return Bounds(results, low, high, exact, judged, max_outside, tail)


def _bound_runs(
    campaign: Campaign, measures: tuple[Measure, ...], outside: float, tail: bool, progress: Progress | None
) -> tuple[Floats, Floats, Bools]:
    """Return the bounds of every measure, run and topic, and a mask of exact bounds."""
    runs, topics = campaign.shape
    shape = (len(measures), runs, topics)
    low, high, exact = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, dtype=bool)
    for begin in range(0, runs, _BLOCK):
        end = min(begin + _BLOCK, runs)
        block = campaign.judged.select_rankings(np.arange(begin * topics, end * topics))
        for i, measure in enumerate(measures):
            interval = bound_values(measure, block, outside=outside, tail=tail)
            for array, block_values in ((low, interval.low), (high, interval.high), (exact, interval.exact)):
                array[i, begin:end] = block_values.reshape(end - begin, topics)
        if progress is not None:
            progress(end, runs)
    return low, high, exact


def parse_outside(outside: int | str) -> float:
    """Return the maximum number of further relevant documents; infinity for ``any``."""
    limits = {"none": 0.0, "any": math.inf}
    if isinstance(outside, str) and outside in limits:
        return limits[outside]
    number = parse_integer(outside) if isinstance(outside, str) else outside
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= MAX_OUTSIDE:
        return float(number)
    raise InputError(
        f"outside {format_value(outside)}: choose none, any or a number of further relevant documents from 0 to "
        f"{MAX_OUTSIDE}"
    )
