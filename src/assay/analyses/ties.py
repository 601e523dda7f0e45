"""How much ties matter: tied documents counted, values under every tie policy, and the extremes over all orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.evaluation import undefined_notes
from assay.inputs import count, each_run, join_one, some
from assay.io.source import passed_over
from assay.io.table import Table
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._values import deviation, values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.ordering import arranged
from assay.model.policies import TIES, Policies
from assay.model.run import Run, distinct_names
from assay.results.provenance import Provenance
from assay.results.summary import aggregated

if TYPE_CHECKING:
    from assay.inputs import Progress
    from assay.model.qrels import Qrels

ALL = "all"
COUNTS = ("documents", "tied", "groups", "largest", "mixed")
PRECISIONS = ("trec_eval-10", "trec_eval-9")
"""The policies that compare scores, as 64-bit and as 32-bit numbers: documents are tied under these."""
FIXED = ("trec_eval-10", "trec_eval-9", "rank", "file")
ORDERS = (*TIES, "min", "max")
SEEN = {"min": "lowest seen", "max": "highest seen"}
"""What the extremes are called where they are not exact."""
_DOCUMENTS = 1 << 19  # of rankings looked at together


class Column(NamedTuple):
    """One thing that a report tells: a value for each of the labels, runs and topics, NaN where there is none.

    *applies* says for which labels there can be values, *exact* for which these are not sampled.
    """

    name: str
    values: Floats
    applies: Bools
    exact: Bools


@dataclass(frozen=True, eq=False)
class TieReport:
    """What :func:`tie_report` returns.

    Attributes
    ----------
    runs, topics, measures
        What the values belong to.
    values
        Orders (``ORDERS``: the tie policies, min, max) x measures x runs x topics; NaN where there is no value.
    exact
        Orders x measures: whether the values are exact or come from sampled orders. A *min* or *max* that is not
        exact is the lowest or highest value that was seen; the true one may lie beyond.
    counts
        Precisions (scores as 64-bit numbers, then as 32-bit ones) x ``COUNTS`` x runs x topics.
    provenance, notes
        The inputs and policies behind the report, and what was ignored or assumed.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    exact: Bools
    counts: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"TieReport({count(len(self.runs), 'run')} x {count(len(self.topics), 'topic')}: {shown})"

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """Everything as a polars frame: run, measure, topic, ties, value, exact; the topic ``all`` is over topics.

        Numbers of documents come first, as measures named documents, tied, share, groups, largest and mixed. *ties*
        is a tie policy, or min, max, lowest seen or highest seen.
        """
        columns = self.columns(per_topic)
        labels, topics = self.labels, self.shown(per_topic)
        value = np.stack([column.values for column in columns]).transpose(2, 0, 3, 1)
        applies = np.stack([column.applies for column in columns])[None, :, None, :]
        keep = np.flatnonzero(np.broadcast_to(applies, value.shape))
        run, thing, topic, label = np.unravel_index(keep, value.shape)
        exact = np.stack([column.exact for column in columns])[thing, label]
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([column.name for column in columns]).gather(thing),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "ties": pl.Series(labels).gather(label),
                "value": pl.Series(value.ravel()[keep]).fill_nan(None),
                "exact": exact,
            }
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The rows for each run: the orders; extremes under another name where some measure has no exact ones."""
        ends = [end for end in SEEN if self.exact[ORDERS.index(end)].any()]
        seen = [name for end, name in SEEN.items() if not self.exact[ORDERS.index(end)].all()]
        return (*TIES, *ends, *seen)

    def shown(self, per_topic: bool) -> tuple[str, ...]:
        """The topics that :meth:`columns` has: perhaps each, then all."""
        return (*self.topics, ALL) if per_topic else (ALL,)

    def columns(self, per_topic: bool = False) -> list[Column]:
        """The numbers of documents, then the measures, each as labels x runs x topics."""
        return [*self._counted(per_topic), *(self._measured(i, per_topic) for i in range(len(self.measures)))]

    def _counted(self, per_topic: bool) -> list[Column]:
        over_topics = self.counts.sum(axis=3)
        largest = COUNTS.index("largest")
        over_topics[:, largest] = self.counts[:, largest].max(axis=2, initial=0)
        every = np.concatenate([self.counts, over_topics[..., None]], axis=3).astype(np.float64)
        share = np.divide(every[:, 1], every[:, 0], out=np.full(every[:, 0].shape, np.nan), where=every[:, 0] > 0)
        named = dict(zip(COUNTS, every.transpose(1, 0, 2, 3), strict=True))
        named = {"documents": named["documents"], "tied": named["tied"], "share": share, **named}
        rows = [self.labels.index(precision) for precision in PRECISIONS]
        columns = []
        for name, number in named.items():
            column = self._blank(name, per_topic)
            column.values[rows] = number if per_topic else number[..., -1:]
            column.applies[rows] = True
            columns.append(column)
        return columns

    def _measured(self, index: int, per_topic: bool) -> Column:
        measure = self.measures[index]
        column = self._blank(str(measure), per_topic)
        for order, of_runs, exact in zip(ORDERS, self.values[:, index], self.exact[:, index], strict=True):
            row = self.labels.index(order if exact else SEEN.get(order, order))
            over_topics = np.array([_over_topics(of_run, measure) for of_run in of_runs]).reshape(-1, 1)
            column.values[row] = np.hstack([of_runs, over_topics]) if per_topic else over_topics
            column.applies[row], column.exact[row] = True, exact
        return column

    def _blank(self, name: str, per_topic: bool) -> Column:
        labels = len(self.labels)
        nothing = np.full((labels, len(self.runs), len(self.shown(per_topic))), np.nan)
        return Column(name, nothing, np.zeros(labels, dtype=bool), np.ones(labels, dtype=bool))


def _over_topics(of_run: Floats, measure: Measure) -> float:
    """The value of a run; NaN, not a sum of 0, for an order that the run does not have."""
    return np.nan if np.isnan(of_run).all() else aggregated(of_run, measure.aggregate)


def tie_report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    samples: int = 100,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress | None = None,
) -> TieReport:
    """Count tied documents, and tell how much their order can change the values of measures.

    The arguments are those of ``evaluate``; *samples* orders are drawn from *seed* for what has no exact value.

    Examples
    --------
    >>> report = tie_report({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "RR")
    >>> dict(zip(ORDERS, report.values.ravel().tolist()))
    {'trec_eval-10': 0.5, 'trec_eval-9': 0.5, 'rank': nan, 'file': 1.0, 'expected': 0.75, 'min': 0.5, 'max': 1.0}
    """
    policies = Policies("expected", topics, undefined, unjudged, samples, seed)
    chosen = parse_measures(measures)
    judgments, found = each_run(
        qrels, runs, lambda ready, run: _judged(ready, run, chosen, policies, lenient), lenient, progress
    )
    names, naming = distinct_names([(one.name, one.source) for one in found])
    over = _over_orders(chosen, found)
    report = TieReport(
        runs=tuple(names),
        topics=judgments.topics,
        measures=chosen,
        values=over.values,
        exact=over.exact,
        counts=np.stack([one.counts for one in found], axis=2),
        provenance=Provenance.of(judgments, found, names, policies),
    )
    notes = [
        *judgments.notes,
        *passed_over(runs if isinstance(runs, list | tuple) else [runs]),
        *(note for one, extra in zip(found, naming, strict=True) for note in (*one.notes, *extra)),
        *_undefined(chosen, found[0].undefined, judgments.topics, policies),
        *_not_by_score(report),
        *_sampled(report, over.error),
    ]
    return replace(report, notes=tuple(notes))


# One run ---------------------------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """What is kept of a run: values in each of the ``FIXED`` orders, and the rankings in which ties matter."""

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    values: Floats
    undefined: Bools
    counts: Ints
    mixed: Judged


def _judged(qrels: Qrels, run: Run, chosen: tuple[Measure, ...], policies: Policies, lenient: bool) -> _Run:
    """Join one run with the qrels, and put it in order under every tie policy."""
    joined = join_one(qrels, run, policies, lenient)
    segments = qrels.segments(run.topic)
    grades = qrels.grade_codes(run.key, segments.of_row, run.doc)

    def ordered(run: Run, ties: str) -> Judged:
        code, tied = arranged(run, segments, grades, ties)
        return Judged.assemble(qrels, [joined.part._replace(code=code, tied=tied)], policies)

    tied = Judged.assemble(qrels, [joined.part], policies)
    rounded = ordered(_rounded(run), "expected")
    orders = {"trec_eval-10": tied.fixed(), "trec_eval-9": rounded.fixed(), "file": ordered(run, "file")}
    notes = joined.notes
    try:
        orders["rank"] = ordered(run, "rank")
        notes += _repeated_ranks(run)
    except InputError as error:
        notes += (f"{str(error).removesuffix('; choose another tie policy')}; no values for ties=rank",)
    undefined = np.stack([~measure.defined(tied) for measure in chosen])
    counts = np.stack([_counted(tied), _counted(rounded)])
    in_order = _valued(chosen, orders, len(qrels.topics))
    return _Run(joined.name, joined.source, joined.digest, notes, in_order, undefined, counts, tied.only(tied.mixed()))


def _repeated_ranks(run: Run) -> tuple[str, ...]:
    """That the rank column does not tell all documents apart."""
    ranks = pl.DataFrame({"topic": run.topic, "rank": run.rank})
    again = len(ranks) - ranks.n_unique()
    many = f"{run.source}: {count(again, 'document')} with the rank of another of the topic; in the order of the file"
    return (many,) if again else ()


def _rounded(run: Run) -> Run:
    """The run with scores as 32-bit numbers: its order and its ties are those of trec_eval 9."""
    with np.errstate(over="ignore"):
        score = run.score.astype(np.float32).astype(np.float64)
    frame = pl.DataFrame({"topic": run.topic, "doc": run.doc, "value": score})
    return Run(Table(run.source, frame, run.key, lambda row: f"{run.source}, row {row + 1}"), run.name)


def _valued(chosen: tuple[Measure, ...], orders: dict[str, Judged], topics: int) -> Floats:
    """The values in each of the ``FIXED`` orders: orders x measures x topics, NaN for one that is not there."""
    found = np.full((len(FIXED), len(chosen), topics), np.nan)
    known: dict[bytes, Floats] = {}  # most orders of most runs are the same
    for order, judged in orders.items():
        key = judged.code.tobytes()
        if key not in known:
            known[key] = np.stack([values(measure, judged).value for measure in chosen])
        found[FIXED.index(order)] = known[key]
    return found


def _counted(judged: Judged) -> Ints:
    """The ``COUNTS`` of each ranking; a group holds two documents or more."""
    group, first = judged.tie_groups()
    size = np.bincount(group, minlength=len(first))
    differs = np.flatnonzero((group[1:] == group[:-1]) & (judged.code[1:] != judged.code[:-1])) + 1
    mixed = np.zeros(len(first), dtype=bool)
    mixed[group[differs]] = True
    ranking = judged.ranking()[first]
    several = size > 1
    largest = np.zeros(len(judged), dtype=np.int64)
    np.maximum.at(largest, ranking[several], size[several])

    def of_rankings(chosen: Bools, amount: Ints) -> Ints:
        return np.bincount(ranking[chosen], weights=amount[chosen], minlength=len(judged)).astype(np.int64)

    one = np.ones(len(first), dtype=np.int64)
    return np.stack(
        [judged.length, of_rankings(several, size), of_rankings(several, one), largest, of_rankings(mixed, size)]
    )


# All orders ------------------------------------------------------------------------------------------------------


class _Over(NamedTuple):
    """The values and whether they are exact, as in a report, and for each measure the largest error of sampling."""

    values: Floats
    exact: Bools
    error: Floats


class _Spread(NamedTuple):
    """The mean and the extremes over all orders of tied documents: measures x rankings."""

    mean: Floats
    low: Floats
    high: Floats


def _over_orders(chosen: tuple[Measure, ...], found: list[_Run]) -> _Over:
    """The mean and the extremes over all orders of tied documents, where these matter, beside the fixed orders."""
    mixed = Judged.together([one.mixed for one in found])
    nothing = mixed.only(np.zeros(0, dtype=np.int64))
    closed = np.array([measure.expected(nothing) is not None for measure in chosen])
    monotone = np.array([measure.worth(nothing) is not None for measure in chosen])
    spread = _arranged(chosen, mixed)
    error = _drawn(chosen, mixed, spread, closed, monotone)
    fixed = np.stack([one.values for one in found], axis=2)
    own = fixed[FIXED.index("trec_eval-10")]
    place = np.repeat(np.arange(len(found)), [len(one.mixed) for one in found]), mixed.topic
    # The order of trec_eval is one of all; that it or the mean lies beyond the extremes can only be rounding.
    low = np.fmin(np.fmin(spread.low, spread.mean), own[:, *place])
    high = np.fmax(np.fmax(spread.high, spread.mean), own[:, *place])
    over = {"expected": own.copy(), "min": own.copy(), "max": own.copy()}
    for order, value in zip(over, (spread.mean, low, high), strict=True):
        over[order][:, *place] = value
    every = np.stack([over[order] if order in over else fixed[FIXED.index(order)] for order in ORDERS])
    exact = np.ones(every.shape[:2], dtype=bool)
    if len(mixed):  # else there is only one order that matters
        exact[ORDERS.index("expected")] = closed
        exact[ORDERS.index("min")] = exact[ORDERS.index("max")] = monotone
    return _Over(every, exact, error)


def _arranged(chosen: tuple[Measure, ...], tied: Judged) -> _Spread:
    """Means in closed form, and the values with tied documents best first and best last.

    Some rankings at a time, so that memory does not grow with the number of runs.
    """
    shape = (len(chosen), len(tied))
    spread = _Spread(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan))
    for some_rankings in _pieces(tied):
        piece = tied.only(some_rankings)
        by_grade = np.arange(1.0 + len(tied.levels))
        for i, measure in enumerate(chosen):
            if measure.expected(piece) is not None:
                spread.mean[i, some_rankings] = values(measure, piece).value
            worth = measure.worth(piece)
            by = by_grade if worth is None else worth
            last, first = (values(measure, piece.by_worth(by, best_first=best)).value for best in (False, True))
            # Where nothing is known of the measure these are two orders like others.
            spread.low[i, some_rankings] = last if worth is not None else np.fmin(last, first)
            spread.high[i, some_rankings] = first if worth is not None else np.fmax(last, first)
    return spread


def _pieces(judged: Judged) -> list[Ints]:
    """Rankings that together hold about a number of documents."""
    number = judged.start[1:] // _DOCUMENTS
    return np.split(np.arange(len(judged)), np.flatnonzero(np.diff(number)) + 1) if len(judged) else []


def _drawn(chosen: tuple[Measure, ...], tied: Judged, spread: _Spread, closed: Bools, monotone: Bools) -> Floats:
    """Fill in what only random orders can tell; the largest standard error of the mean for each measure.

    The orders are those that ``evaluate`` draws from the same seed, so the means are the same.
    """
    error = np.zeros(len(chosen))
    sampled = np.flatnonzero(~(closed & monotone))
    if not len(sampled) or not len(tied):
        return error
    rng = np.random.default_rng(tied.policies.seed)
    draws = np.empty((len(sampled), tied.policies.samples, len(tied)))
    for number in range(tied.policies.samples):
        order = tied.shuffled(rng)
        for row, i in enumerate(sampled):
            draws[row, number] = values(chosen[i], order).value
    for draw, i in zip(draws, sampled, strict=True):
        if not closed[i]:
            spread.mean[i] = draw.mean(axis=0)
            error[i] = deviation(draw).max(initial=0.0) / np.sqrt(len(draw))
        if not monotone[i]:
            spread.low[i] = np.fmin(spread.low[i], draw.min(axis=0))
            spread.high[i] = np.fmax(spread.high[i], draw.max(axis=0))
    return error


# What is said about it -------------------------------------------------------------------------------------------


def _undefined(chosen: tuple[Measure, ...], undefined: Bools, topics: tuple[str, ...], policies: Policies) -> list[str]:
    lacking = [[topics[i] for i in np.flatnonzero(row)] for row in undefined]
    pairs = zip(chosen, lacking, strict=True)
    return [note for measure, names in pairs for note in undefined_notes(measure, names, policies)]


def _not_by_score(report: TieReport) -> list[str]:
    """Runs whose ranks or lines are in another order than their scores, as far as a measure can tell."""
    sure = report.exact[ORDERS.index("min")]
    low, high = (report.values[ORDERS.index(end)][sure] for end in ("min", "max"))
    margin = 1e-9 * np.maximum(1.0, np.abs(high))
    notes = []
    for order, what in (("rank", "the rank column"), ("file", "the file")):
        value = report.values[ORDERS.index(order)][sure]
        outside = ((value < low - margin) | (value > high + margin)).any(axis=(0, 2))
        if outside.any():
            names = [report.runs[i] for i in np.flatnonzero(outside)]
            notes.append(
                f"{order}: {what} has another order than the scores in {count(len(names), 'run')}, {some(names)}"
            )
    return notes


def _sampled(report: TieReport, error: Floats) -> list[str]:
    policies = report.provenance.policies
    drawn = f"{policies.samples} sampled orders (seed {policies.seed})"
    pairs = list(enumerate(report.measures))
    means = [f"{measure} ({error[i]:.2g})" for i, measure in pairs if error[i] > 0]
    seen = [str(measure) for i, measure in pairs if not report.exact[ORDERS.index("min"), i]]
    notes = [f"expected ties from {drawn}, with the largest standard error: {', '.join(means)}"] if means else []
    if seen:
        notes.append(f"lowest and highest seen in {drawn}, the extremes may lie beyond: {', '.join(seen)}")
    return notes
