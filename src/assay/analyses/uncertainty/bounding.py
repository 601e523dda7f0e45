"""Bounds: the smallest and the largest value that the judgments still allow, per topic and in the mean."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.uncertainty.completions import completed
from assay.errors import InputError, PolicyError
from assay.evaluation import Prepared, evaluated, prepared
from assay.inputs import Progress, count
from assay.io.numbers import whole_number
from assay.io.problems import shown
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import values
from assay.measures.counts import JudgedAt
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING
from assay.model.policies import Policies, refuse_expected
from assay.results.summary import aggregated
from assay.results.table import Results

ALL = "all"
MOST_OUTSIDE = 1_000_000
_TOGETHER = 16  # runs: enough to share the work, few enough to report progress


@dataclass(frozen=True, eq=False)
class Bounds:
    """What :func:`bounds` returns: for each measure, run and topic the value, and the ends between which it must lie.

    Attributes
    ----------
    results
        The values as judged so far.
    low, high
        Measures x runs x topics: what no completion of the judgments goes below or above.
    exact
        Where completions give these very values; elsewhere they are outer bounds.
    judged
        The share of the documents that the measure looks at which are judged.
    outside
        How many more relevant documents there may be that a ranking lacks.
    tail
        Whether users who never stop may find something behind the end of a ranking.
    """

    results: Results
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray
    judged: np.ndarray
    outside: float
    tail: bool

    def __repr__(self) -> str:
        return f"Bounds({self.results!r})"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed, one line each."""
        return (*self.results.notes, *self._outer(), *self._open_though_judged(), *self._left_out())

    def _outer(self) -> list[str]:
        notes = []
        for measure, exact, low in zip(self.results.measures, self.exact, self.low, strict=True):
            loose = int((~exact & ~np.isnan(low)).sum())
            if loose:
                where = f"{loose} of {count(int((~np.isnan(low)).sum()), 'ranking')}"
                notes.append(f"{measure}: outer bounds for {where}: no completion goes beyond, perhaps none gets there")
        return notes

    def _open_though_judged(self) -> list[str]:
        """Explain bounds that differ although every document the measure looks at is judged."""
        notes = []
        for i, measure in enumerate(self.results.measures):
            wide = self.high[i] > self.low[i] + ROUNDING
            rankings = int((wide & (self.judged[i] >= 1)).sum())
            if rankings:
                where = f"fully judged in {count(rankings, 'ranking')}, but still uncertain there"
                notes.append(f"{measure}: {where}: {self._why_open(measure)}")
        return notes

    def _why_open(self, measure: Measure) -> str:
        if not measure.uses_recall_base:
            return "relevant documents may follow the end of a ranking (tail=False or --no-tail: assume none)"
        places = []
        if (cutoff := getattr(measure, "cutoff", None)) is not None:
            places.append(f"unjudged documents below rank {cutoff}")
        if self.outside:
            places.append("documents that the ranking lacks")
        what = " and ".join(places) or "unjudged documents"
        return f"{what} may be relevant, which changes the recall base or the ideal ranking"

    def _left_out(self) -> list[str]:
        """A completion can make a topic count that is left out for want of relevant documents."""
        if self.results.provenance.policies.undefined != "exclude":
            return []
        return [
            f"{measure}: topics without relevant documents are left out of the bounds too; judging could find some"
            for measure, values in zip(self.results.measures, self.results.values, strict=True)
            if measure.uses_recall_base and np.isnan(values).any()
        ]

    def frame(self) -> pl.DataFrame:
        """Every topic: run, measure, topic, value, low, high, exact, judged."""
        results = self.results
        shape = (len(results.runs), len(results.measures), len(results.topics))
        run, measure, topic = np.indices(shape).reshape(3, -1)
        columns = {"value": results.values, "low": self.low, "high": self.high, "judged": self.judged}
        flat = {name: pl.Series(of.transpose(1, 0, 2).ravel()).fill_nan(None) for name, of in columns.items()}
        return pl.DataFrame(
            {
                "run": pl.Series(results.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([str(m) for m in results.measures], dtype=pl.String).gather(measure),
                "topic": pl.Series(results.topics, dtype=pl.String).gather(topic),
                **{name: flat[name] for name in ("value", "low", "high")},
                "exact": self.exact.transpose(1, 0, 2).ravel(),
                "judged": flat["judged"],
            }
        )

    def means(self) -> pl.DataFrame:
        """Over topics: run, measure, value, low, high, exact (if every topic is), judged.

        Topics are judged apart from each other, so the mean of the bounds bounds the mean.
        """
        results = self.results
        rows = [
            (
                run,
                str(measure),
                *(aggregated(of[i, j], measure.aggregate) for of in (results.values, self.low, self.high)),
                bool((self.exact[i, j] | np.isnan(self.low[i, j])).all()),
                aggregated(self.judged[i, j], "mean"),
            )
            for j, run in enumerate(results.runs)
            for i, measure in enumerate(results.measures)
        ]
        schema = {"run": pl.String, "measure": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        frame = pl.DataFrame(rows, schema={**schema, "exact": pl.Boolean, "judged": pl.Float64}, orient="row")
        return frame.with_columns(pl.col("value", "low", "high", "judged").fill_nan(None))


@check_arguments
def bounds(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    outside: int | str = "none",
    tail: bool = True,
    ties: str = "trec_eval-10",
    topics: str = "qrels",
    undefined: str = "zero",
    lenient: bool = False,
    progress: Progress | None = None,
) -> Bounds:
    """The smallest and the largest value that any completion of the judgments allows.

    A completion gives every document of a ranking that is not judged (or has a negative grade) a grade from 0 to the
    top of the scale. Documents that no one has judged and the ranking lacks stay not relevant, unless *outside* says
    otherwise; they matter to measures with a recall base.

    Parameters
    ----------
    qrels, runs, measures
        As in ``evaluate``.
    outside
        How many more relevant documents there may be that the ranking lacks: ``none`` (the default: the recall base
        is what the pool knows, and the documents of the ranking), a number, or ``any``.
    tail
        Whether users who never stop (RBP, INSQ, INST, NERR10, NERR11) may find something behind the end of a ranking.
    ties, topics, undefined, lenient
        As in ``evaluate``; ties must be broken. A topic that is left out because nothing in it is relevant stays so.
    progress
        Called with the number of runs read and their total; then, with the same total, as their bounds are found.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4
    (the residual of RBP). What holds for other measures is proved in docs/concepts/bounds.md.

    Examples
    --------
    >>> found = bounds({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["P@2", "RBP(p=0.5)"])
    >>> found.means().select("low", "high").rows()
    [(0.5, 1.0), (0.5, 1.0)]
    """
    chosen = parse_measures(measures)
    refuse_expected(ties, "bounds need an order")
    more = as_number(outside)
    ready = prepared(qrels, runs, Policies(ties, topics, undefined), lenient=lenient, progress=progress)
    return bounded(ready, chosen, outside=more, tail=tail, progress=progress)


def as_number(outside: int | str) -> float:
    """How many more relevant documents there may be, from what the user wrote."""
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


def bounded(
    ready: Prepared,
    measures: tuple[Measure, ...],
    *,
    outside: float = 0,
    tail: bool = True,
    progress: Progress | None = None,
) -> Bounds:
    """The bounds of runs that are joined with the qrels."""
    if ready.judged.policies.unjudged != "nonrelevant":
        raise PolicyError("unjudged 'condensed': bounds are about what unjudged documents may be; leave them in")
    refuse_unreached(measures, ready.qrels.levels)
    shape = (len(measures), *ready.shape)
    low, high, exact = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, dtype=bool)
    runs, topics = ready.shape
    for begin in range(0, runs, _TOGETHER):
        end = min(begin + _TOGETHER, runs)
        some = ready.judged.only(np.arange(begin * topics, end * topics))
        for i, measure in enumerate(measures):
            found = completed(measure, some, outside=outside, tail=tail)
            for to, of in ((low, found.low), (high, found.high), (exact, found.exact)):
                to[i, begin:end] = of.reshape(end - begin, topics)
        if progress is not None:
            progress(end, runs)
    results = evaluated(ready, measures)
    left_out = np.isnan(results.values)
    low[left_out], high[left_out] = np.nan, np.nan
    shares = [values(JudgedAt(cutoff=getattr(m, "cutoff", None)), ready.judged).value for m in measures]
    judged = np.where(left_out, np.nan, np.stack(shares).reshape(shape))
    return Bounds(results, low, high, exact, judged, outside, tail)
