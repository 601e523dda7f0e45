"""Maximized effectiveness distance: how far apart the judgments still allow two rankings to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.analyses.distance.med.choice import Task, of_one_length
from assay.analyses.distance.med.extreme import apart
from assay.errors import InputError, MeasureError
from assay.inputs import Progress, count, list_all
from assay.io.source import passed_over
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Bools, Floats, Ints
from assay.model.policies import Policies, refuse_expected
from assay.model.rankings import Listed, Lists, Rankings
from assay.model.run import distinct_names
from assay.results.provenance import Provenance

ALL = "all"
_ROUNDING = 1e-12


class Label(NamedTuple):
    """Which grade a document has where the distance is largest."""

    run_a: str
    run_b: str
    measure: str
    topic: str
    document: str
    grade: float


@dataclass(frozen=True, eq=False)
class MedReport:
    """What :func:`med` returns.

    Attributes
    ----------
    runs, topics, measures
        What was compared, by what.
    pairs
        Pairs x 2: the numbers of the runs.
    difference
        Measures x pairs x topics: M(a) - M(b) as judged so far.
    up, down
        The same: the largest M(a) - M(b) and the largest M(b) - M(a) that labels of the unjudged documents reach.
    up_bound, down_bound
        What no labels go beyond; the same as above where that is exact.
    labels
        If asked for, the documents whose labels make the distance as large as that, and their grades.
    provenance, notes
        The inputs and policies behind the report, and what was ignored or assumed.
    depth, method, residual
        What :func:`med` was asked for.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    pairs: Ints
    difference: Floats
    up: Floats
    down: Floats
    up_bound: Floats
    down_bound: Floats
    labels: tuple[Label, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()
    depth: int | None = None
    method: str = "exact"
    residual: bool = False

    def __repr__(self) -> str:
        pairs = count(len(self.pairs), "pair")
        return f"MedReport({pairs} x {count(len(self.topics), 'topic')}: {', '.join(map(str, self.measures))})"

    @property
    def distance(self) -> Floats:
        """Measures x pairs x topics: the distance that labels reach; at most ``bound``."""
        return np.maximum(self.up, self.down)

    @property
    def bound(self) -> Floats:
        """What the distance cannot exceed."""
        return np.maximum(self.up_bound, self.down_bound)

    @property
    def exact(self) -> Bools:
        """Where the distance is known exactly."""
        return np.asarray(self.bound <= self.distance + _ROUNDING)

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """A row for each pair of runs and each measure: the mean over topics; or every topic, then ``all``.

        Columns: run_a, run_b, measure, topic, med, difference, direction (``a`` if labels that favour run_a make the
        distance largest, else ``b``; ``-`` if it is 0), exact, low, high (between which the distance lies), smallest,
        largest (between which M(a) - M(b) lies). In the mean, *smallest* and *largest* bound the difference of means.
        """
        means = self._columns(_mean, [ALL])
        if not per_topic:
            return means
        topics = self.topic_frame()
        both = pl.concat([topics.with_columns(last=pl.lit(0)), means.with_columns(last=pl.lit(1))])
        order = {name: i for i, name in enumerate(self.runs)}
        by_measure = {str(measure): i for i, measure in enumerate(self.measures)}
        keys = [pl.col("run_a").replace_strict(order), pl.col("run_b").replace_strict(order)]
        keys += [pl.col("measure").replace_strict(by_measure), pl.col("last")]
        return both.sort(*keys, maintain_order=True).drop("last")

    def topic_frame(self) -> pl.DataFrame:
        """A row for each pair of runs, measure and topic; the columns of :meth:`frame`."""
        return self._columns(lambda of: of, list(self.topics))

    def _columns(self, over: Callable[[Floats], Floats], topics: list[str]) -> pl.DataFrame:
        """One row for each pair, measure and topic."""

        def flat(of: Floats) -> pl.Series:
            return pl.Series(over(of).transpose(1, 0, 2).ravel()).fill_nan(None)

        shape = (len(self.pairs), len(self.measures), len(topics))
        pair, measure, topic = np.indices(shape).reshape(3, -1)
        one = over is not _mean
        direction = np.where(self.distance > _ROUNDING, np.where(self.up >= self.down, "a", "b"), "-")
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[pair, 0]),
                "run_b": names.gather(self.pairs[pair, 1]),
                "measure": pl.Series([str(m) for m in self.measures], dtype=pl.String).gather(measure),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "med": flat(self.distance),
                "difference": flat(self.difference),
                "direction": pl.Series(
                    direction.transpose(1, 0, 2).ravel().tolist() if one else [None] * len(pair), dtype=pl.String
                ),
                "exact": flat(self.exact.astype(np.float64)) >= 1,
                "low": flat(self.distance),
                "high": flat(self.bound),
                "smallest": flat(0.0 - self.down_bound),
                "largest": flat(self.up_bound),
            }
        )

    def label_frame(self) -> pl.DataFrame:
        """run_a, run_b, measure, topic, document, grade: the labels that make each distance as large as it is."""
        schema = {name: pl.String for name in Label._fields if name != "grade"}
        return pl.DataFrame(self.labels, schema={**schema, "grade": pl.Float64}, orient="row")

    def matrix(self, of: str | Measure) -> Floats:
        """Runs x runs: the mean distance by one measure."""
        wanted = parse_measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise MeasureError(f"measure '{of}' is not among these distances; they have {known}")
        mean = self.distance[self.measures.index(wanted)].mean(axis=1)
        found = np.full((len(self.runs), len(self.runs)), np.nan)
        np.fill_diagonal(found, 0.0)
        found[self.pairs[:, 0], self.pairs[:, 1]] = mean
        found[self.pairs[:, 1], self.pairs[:, 0]] = mean
        return found


def med(
    qrels: Any | None,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    depth: int | None = None,
    method: str = "exact",
    residual: bool = False,
    first: bool = False,
    labels: bool = False,
    ties: str = "trec_eval-10",
    seed: int = 0,
    lenient: bool = False,
    progress: Progress | None = None,
) -> MedReport:
    r"""The largest difference in effectiveness between rankings that the judgments allow.

    .. math:: MED(M, A, B) = \max_{labels} |M(A) - M(B)|

    over all labels of the documents of A and B that nobody has judged; each has one label in both rankings. Documents
    that neither has within the depth of the measure stay not relevant unless they are judged: of AP, nDCG and recall
    they could only make the distance smaller. They could change what lies between *smallest* and *largest*, though.
    MED is 0 if and only if no judging of these documents can tell the rankings apart.

    Parameters
    ----------
    qrels
        As in ``evaluate``, or None: nothing is judged.
    runs
        Two runs or more; every pair of them is compared.
    measures
        Measures or their names. MED is exact for P, RBP, SDCG, CG, DCG, INSQ, RR, Success, nDCG, nCG, recall, F,
        MeanNDCG, R-precision, AP, SSP, ERR and binary Q; for others it is an interval unless the documents are few.
    depth
        Compare the first so many documents; a measure that has no cutoff gets this one (unless with *residual*).
    method
        See ``METHODS`` in ``analyses.distance.med.choice``.
    residual
        Of RBP and the like, let what would come behind the end of the favoured ranking be relevant too.
    first
        Compare the first run with each of the others only.
    labels
        Keep the labels that make each distance as large as it is.
    ties, lenient
        As in ``evaluate``; ties must be broken.
    seed
        Of tabu search.
    progress
        Called with the number of runs read, then of topics compared, and their totals.

    References
    ----------
    Tan & Clarke, *A family of rank similarity measures based on maximized effectiveness difference*, TKDE 27 (2015).
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE 30 (2018).

    Examples
    --------
    >>> runs = {"y": {"q": {"a": 2.0, "b": 1.0}}, "z": {"q": {"b": 2.0, "a": 1.0}}}
    >>> med(None, runs, "RR").frame().select("med", "smallest", "largest").rows()
    [(0.5, -0.5, 0.5)]
    """
    refuse_expected(ties, "distances need an order")
    tasks = tasks_of(measures, depth=depth, method=method, residual=residual, seed=seed)
    judgments, listed = list_all(qrels, runs, ties, depth=deepest(tasks), lenient=lenient, progress=progress)
    if len(listed) < 2:
        raise InputError(f"runs: name at least two runs to compare, found {len(listed)}")
    names, naming = distinct_names([(run.name, run.source) for run in listed])
    rankings = Rankings.of(listed, names, judgments)
    notes = [
        *(() if judgments is None else judgments.notes),
        *passed_over(runs if isinstance(runs, list | tuple) else [runs]),
        *(note for run, extra in zip(listed, naming, strict=True) for note in (*run.notes, *extra)),
    ]
    missing = _missing(rankings, listed) if judgments is None else []
    found = distances(
        rankings,
        [task.measure for task in tasks],
        Provenance.of(judgments, listed, names, Policies(ties=ties, seed=seed)),
        depth=depth,
        method=method,
        residual=residual,
        first=first,
        labels=labels,
        seed=seed,
        progress=progress,
    )
    return replace(found, notes=(*notes, *found.notes, *missing))


def distances(
    rankings: Rankings,
    measures: str | Measure | Iterable[str | Measure],
    provenance: Provenance,
    *,
    depth: int | None = None,
    method: str = "exact",
    residual: bool = False,
    first: bool = False,
    labels: bool = False,
    seed: int = 0,
    pairs: Ints | None = None,
    progress: Progress | None = None,
) -> MedReport:
    """The same of rankings that are there; *provenance* says where they came from, *pairs* which runs to compare."""
    longest = int(rankings.length.max(initial=1))
    tasks = tasks_of(measures, depth=depth, method=method, residual=residual, seed=seed, longest=longest)
    pairs = pairs_of(len(rankings.runs), first=first) if pairs is None else pairs
    found, reached = _compared(rankings, tasks, pairs, labels=labels, progress=progress)
    report = of_extremes(
        rankings.runs,
        rankings.topics,
        tasks,
        pairs,
        found,
        provenance=provenance,
        depth=depth,
        method=method,
        residual=residual,
    )
    return replace(report, labels=tuple(reached))


def of_extremes(
    runs: tuple[str, ...],
    topics: tuple[str, ...],
    tasks: list[Task],
    pairs: Ints,
    found: dict[str, Floats],
    *,
    provenance: Provenance,
    depth: int | None,
    method: str,
    residual: bool,
) -> MedReport:
    """The report of extremes that were found: the numbers of ``MedReport``, measures x pairs x topics each."""
    notes = [
        *_lower_bounds(method, tasks),
        *_put_together(tasks),
        *_intervals(tasks, found),
        *_beyond(tasks, found),
    ]
    return MedReport(
        runs=runs,
        topics=topics,
        measures=tuple(task.measure for task in tasks),
        pairs=pairs,
        **found,
        labels=(),
        provenance=provenance,
        notes=tuple(notes),
        depth=depth,
        method=method,
        residual=residual,
    )


def pairs_of(runs: int, *, first: bool) -> Ints:
    """Pairs x 2: every two of so many runs, or the first with each of the others."""
    pairs = np.array(list(combinations(range(runs), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[pairs[:, 0] == 0] if first else pairs


def tasks_of(
    measures: Any, *, depth: int | None, method: str, residual: bool, seed: int, longest: int | None = None
) -> list[Task]:
    """What finds the extremes of each measure; *longest* is the length of the longest ranking, once it is known."""
    _check_depth(depth)
    every = [Task.of(each, depth, method, residual=residual, seed=seed) for each in parse_measures(measures)]
    if longest is not None:
        known = (of_one_length(task.measure, longest) for task in every)
        every = [Task.of(each, depth, method, residual=residual, seed=seed) for each in known]
    return list({task.measure: task for task in every}.values())  # AP and AP@10 may have become the same


def deepest(tasks: list[Task]) -> int | None:
    """How far down any of the measures looks; None if one looks at whole rankings."""
    looked = [task.reach for task in tasks]
    return None if None in looked else max(at for at in looked if at is not None)


def _check_depth(depth: Any) -> None:
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, Integral) or depth < 1):
        raise InputError(f"depth must be a whole number of at least 1, got {depth!r}")


def _mean(of: Floats) -> Floats:
    """Over topics; not a number if it is infinite in both directions."""
    with np.errstate(invalid="ignore"):
        return np.asarray(of.mean(axis=2, keepdims=True))


def _lower_bounds(method: str, tasks: list[Task]) -> list[str]:
    if method not in ("greedy", "greedy-on", "tabu"):
        return []
    names = ", ".join(str(task.measure) for task in tasks)
    return [f"{names}: {method} finds a lower bound of the distance, not always the distance"]


def _missing(rankings: Rankings, listed: list[Listed]) -> list[str]:
    """Which runs lack topics that others have, where no qrels tell the topics; none in common is refused."""
    there = rankings.length > 0
    notes = []
    for number, run in enumerate(listed):
        if not (there[number] & np.delete(there, number, axis=0).any(axis=0)).any():
            raise InputError(f"{run.source}: shares no topic with another run; nothing can be compared")
        lacks = int((~there[number]).sum())
        if lacks:
            topics = count(len(rankings.topics), "topic")
            notes.append(f"{run.source}: lacks {lacks} of the {topics} of all runs; counted as empty rankings")
    return notes


def _intervals(tasks: list[Task], found: dict[str, Floats]) -> list[str]:
    """Where the distance is known to lie between two numbers only."""
    low, high = np.maximum(found["up"], found["down"]), np.maximum(found["up_bound"], found["down_bound"])
    return [
        f"{task.measure}: {int(open_.sum())} of {count(open_.size, 'distance')} are known to lie within low and high "
        "only; med is low"
        for task, open_ in zip(tasks, (apart(high, low) > _ROUNDING) & np.isfinite(high), strict=True)
        if open_.any()
    ]


def _put_together(tasks: list[Task]) -> list[str]:
    """Which measures are not means over topics, as distances are."""
    others = {"geometric": "geometric mean", "sum": "sum"}
    return [
        f"{task.measure}: distances are put together by their mean over topics, not by the {others[aggregate]}"
        for task in tasks
        if (aggregate := task.measure.aggregate) in others
    ]


def _beyond(tasks: list[Task], found: dict[str, Floats]) -> list[str]:
    """Where what is judged so far lies beyond: some measures tell unjudged documents from those of grade 0."""
    furthest = np.maximum(found["up_bound"], found["down_bound"])
    return [
        f"{task.measure}: tells unjudged documents from those of grade 0, so that the difference as judged so far may "
        f"lie beyond the distance, here {count(int(beyond.sum()), 'time')}"
        for task, beyond in zip(tasks, np.abs(found["difference"]) > furthest + _ROUNDING, strict=True)
        if beyond.any()
    ]


def _compared(
    rankings: Rankings, tasks: list[Task], pairs: Ints, *, labels: bool, progress: Progress | None
) -> tuple[dict[str, Floats], list[Label]]:
    """The extremes of every measure, pair and topic, and perhaps the labels that reach them."""
    shape = (len(tasks), len(pairs), len(rankings.topics))
    found = {name: np.zeros(shape) for name in ("difference", "up", "down", "up_bound", "down_bound")}
    reached: list[Label] = []
    a, b = pairs[:, 0], pairs[:, 1]
    for topic, lists in enumerate(rankings):
        for i, task in enumerate(tasks):
            cut = lists.top(task.depth)
            up, down = task.family.largest(cut, a, b), task.family.largest(cut, b, a)
            value = _as_judged(task.measure, lists.top(task.reach))
            found["difference"][i, :, topic] = apart(value[a], value[b])
            found["up"][i, :, topic], found["up_bound"][i, :, topic] = up
            found["down"][i, :, topic], found["down_bound"][i, :, topic] = down
            if labels:
                reached += _labels(rankings, task, cut, np.where((up.low >= down.low)[:, None], pairs, pairs[:, ::-1]))
        if progress is not None:
            progress(topic + 1, len(rankings.topics))
    return found, reached


def _as_judged(measure: Measure, lists: Lists) -> Floats:
    """The value of each run, unjudged documents being not relevant."""
    judged = lists.judged()
    return np.where(measure.defined(judged), measure.score(judged), 0.0)


def _labels(rankings: Rankings, task: Task, lists: Lists, ends: Ints) -> list[Label]:
    """The documents that are labelled relevant for each pair, whose first run is the favoured one."""
    names, unsettled = rankings.names(lists), lists.unsettled()
    found = []
    for better, worse in ends.tolist():
        grades = task.family.labels(lists, better, worse)
        labelled = unsettled & (lists.rank[[better, worse]] > 0).any(axis=0) & (grades > 0)
        a, b = (rankings.runs[run] for run in sorted((better, worse)))
        found += [
            Label(a, b, str(task.measure), lists.topic, names[place], float(grades[place]))
            for place in np.flatnonzero(labelled).tolist()
        ]
    return found
