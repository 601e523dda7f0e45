"""Maximized effectiveness distance: how far apart the judgments still allow two rankings to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.distance.med.asked import Asked
from assay.distance.med.choice import Task
from assay.distance.med.extreme import apart
from assay.distance.med.notes import notes_on
from assay.distance.med.report import ALL, Label, MedReport
from assay.engine.joining import list_all
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import unreached
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.notes import count
from assay.model.policies import Policies, refuse_expected
from assay.model.provenance import Provenance
from assay.model.rankings import Listed, Lists, Rankings
from assay.results._evaluate import described

__all__ = ["ALL", "Label", "MedReport", "distances", "med", "of_extremes", "pairs_of"]


@check_arguments
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
        ``exact`` (the algorithm of the family of the measure; an interval where there is none), ``max-grade`` (labels
        are 0 or the top grade, as in the paper), ``exhaustive`` (every labeling, for few documents), or for AP, SSP and
        SP the lower bounds ``greedy``, ``greedy-on`` and ``tabu``.
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
    asked = Asked(parse_measures(measures), depth, method, residual, seed)
    judgments, listed = list_all(qrels, runs, ties, depth=asked.reach, lenient=lenient, progress=progress)
    if len(listed) < 2:
        raise InputError(f"runs: name at least two runs to compare, found {len(listed)}")
    names, provenance, notes = described(judgments, runs, listed, Policies(ties=ties, seed=seed))
    rankings = Rankings.of(listed, names, judgments)
    # Labels of unjudged documents may still reach a threshold that no judgment reaches: no reason to refuse.
    more = _missing(rankings, listed) if judgments is None else unreached(asked.measures, judgments.levels)
    pairs = pairs_of(len(names), first=first)
    found = distances(rankings, asked, provenance, pairs=pairs, labels=labels, progress=progress)
    return replace(found, notes=(*notes, *found.notes, *more))


def distances(
    rankings: Rankings,
    asked: Asked,
    provenance: Provenance,
    *,
    pairs: Ints | None = None,
    labels: bool = False,
    progress: Progress | None = None,
) -> MedReport:
    """The same of rankings that are there; *provenance* says where they came from, *pairs* which runs to compare."""
    tasks = asked.tasks(longest=int(rankings.length.max(initial=1)))
    pairs = pairs_of(len(rankings.runs)) if pairs is None else pairs
    found, reached = _compared(rankings, tasks, pairs, labels=labels, progress=progress)
    report = of_extremes(rankings.runs, rankings.topics, pairs, found, asked=asked, tasks=tasks, provenance=provenance)
    return replace(report, labels=tuple(reached))


def of_extremes(
    runs: tuple[str, ...],
    topics: tuple[str, ...],
    pairs: Ints,
    found: dict[str, Floats],
    *,
    asked: Asked,
    tasks: list[Task],
    provenance: Provenance,
) -> MedReport:
    """The report of extremes that were found: the numbers of ``MedReport``, measures x pairs x topics each."""
    return MedReport(
        runs=runs,
        topics=topics,
        measures=tuple(task.measure for task in tasks),
        pairs=pairs,
        **found,
        labels=(),
        provenance=provenance,
        notes=notes_on(asked.method, tasks, found),
        depth=asked.depth,
        method=asked.method,
        residual=asked.residual,
    )


def pairs_of(runs: int, *, first: bool = False) -> Ints:
    """Pairs x 2: every two of so many runs, or the first with each of the others."""
    pairs = np.array(list(combinations(range(runs), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[pairs[:, 0] == 0] if first else pairs


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
