"""Bounds: the smallest and the largest value that the judgments still allow, per topic and in the mean."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
from assay.model.notes import count
from assay.model.policies import refuse_expected
from assay.results._evaluate import evaluate
from assay.results.summary import aggregated
from assay.results.table import Results
from assay.uncertainty.completions import completed

ALL = "all"
MOST_OUTSIDE = 1_000_000
_TOGETHER = 16  # runs: enough to share the work, few enough to report progress


@dataclass(frozen=True, eq=False)
class Bounds:
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

    def __repr__(self) -> str:
        return f"Bounds({self.results!r})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on reading, on outer bounds, and on values that stay uncertain or are left out."""
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
        """Note topics without relevant documents: they are left out, although a completion could make them count."""
        if self.results.provenance.policies.undefined != "exclude":
            return []
        return [
            f"{measure}: topics without relevant documents are left out of the bounds too; judging could find some"
            for measure, values in zip(self.results.measures, self.results.values, strict=True)
            if measure.uses_recall_base and np.isnan(values).any()
        ]

    def frame(self) -> pl.DataFrame:
        """Return a row for each topic: run, measure, topic, value, low, high, exact, judged."""
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
        """Return the means over topics: run, measure, value, low, high, exact (if every topic is), judged.

        Topics are judged independently, so the mean of the bounds bounds the mean.
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
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure],
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
        As in ``evaluate``.
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
    chosen, more = parse_measures(measures), parse_outside(outside)
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
