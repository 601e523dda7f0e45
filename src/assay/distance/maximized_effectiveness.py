"""Maximized effectiveness distance (MED): the largest difference of two rankings that the judgments allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.distance._med.choice import Task
from assay.distance._med.interface import apart
from assay.distance._med.notes import notes_on
from assay.distance._med.report import ALL, DocumentLabel, MedReport
from assay.distance._med.request import MedRequest
from assay.distance.shared_topics import missing_topic_notes, refuse_lonely_runs
from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import unreached
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.policies import refuse_expected
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings, TopicRankings

MEASURES = ("AP@100", "nDCG@10", "RBP(p=0.8)")
"""Measures whose distances are found by default."""
__all__ = ["ALL", "MEASURES", "DocumentLabel", "MedReport", "all_pairs", "build_report", "find_extremes", "med"]


@check_arguments
def med(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    depth: int | None = None,
    method: str = "exact",
    residual: bool = False,
    first: bool = False,
    labels: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> MedReport:
    r"""Find the largest difference in effectiveness between rankings that the judgments allow.

    .. math:: MED(M, A, B) = \max_{labels} |M(A) - M(B)|

    over all labels of the documents of A and B that nobody has judged; each has one label in both rankings. Documents
    that neither has within the depth of the measure stay not relevant unless they are judged: of AP, nDCG and recall
    they could only make the distance smaller. They could change what lies between *smallest* and *largest*, though.
    MED is 0 if and only if no judging of these documents can tell the rankings apart.

    Parameters
    ----------
    campaign
        Two runs or more, of which every pair is compared, with judgments or without. Ties must be broken. Unjudged
        documents stay in the rankings, whatever the policy on them.
    measures
        Measures or their names; by default ``MEASURES``. MED is exact for P, RBP, SDCG, CG, DCG, INSQ, RR, Success,
        nDCG, nCG, recall, F, MeanNDCG, R-precision, AP, SSP, ERR and binary Q; for others it is an interval unless the
        documents are few.
    depth
        Compare the first *depth* documents; a measure that has no cutoff gets this one (unless with *residual*).
    method
        ``exact`` (the algorithm of the family of the measure; an interval where there is none), ``max-grade`` (labels
        are 0 or the top grade, as in the paper), ``exhaustive`` (every labeling, for few documents), or for AP, SSP and
        SP the lower bounds ``greedy``, ``greedy-on`` and ``tabu``.
    residual
        Assume that the favoured ranking would go on with relevant documents (affects RBP and other sums).
    first
        Compare only the first run with each of the others.
    labels
        Report the labels that reach each distance.
    seed
        Seed of tabu search.
    progress
        Called with the number of topics compared and their total.

    References
    ----------
    Tan & Clarke, *A family of rank similarity measures based on maximized effectiveness difference*, TKDE 27 (2015).
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE 30 (2018).

    Examples
    --------
    >>> import assay
    >>> runs = {"y": {"q": {"a": 2.0, "b": 1.0}}, "z": {"q": {"b": 2.0, "a": 1.0}}}
    >>> med(assay.read(runs=runs), "RR").frame().select("med", "smallest", "largest").rows()
    [(0.5, -0.5, 0.5)]
    """
    refuse_expected(campaign.policies.ties, "distances need an order")
    request = MedRequest(parse_measures(MEASURES if measures is None else measures), depth, method, residual, seed)
    if len(campaign.runs) < 2:
        raise InputError(f"runs: need at least two runs to compare, found {len(campaign.runs)}")
    rankings = campaign.rankings(depth=request.reach)
    if campaign.qrels is None:
        refuse_lonely_runs(campaign, rankings)
        notes = missing_topic_notes(campaign, rankings, "counted as empty rankings")
    else:
        # Labels of unjudged documents may still reach a threshold that no judgment reaches: no reason to refuse.
        notes = unreached(request.measures, campaign.qrels.levels)
    tasks = request.tasks(longest=max(rankings.longest, 1))
    pairs = all_pairs(len(campaign.runs), first=first)
    extremes, reached = find_extremes(rankings, tasks, pairs, labels=labels, progress=progress)
    report = build_report(
        campaign.runs, campaign.topics, pairs, extremes, request=request, tasks=tasks, provenance=campaign.provenance
    )
    return replace(report, labels=tuple(reached) if labels else None, notes=(*campaign.notes, *report.notes, *notes))


def build_report(
    runs: tuple[str, ...],
    topics: tuple[str, ...],
    pairs: Ints,
    extremes: dict[str, Floats],
    *,
    request: MedRequest,
    tasks: list[Task],
    provenance: Provenance,
) -> MedReport:
    """Build the report of *extremes*: the numbers of ``MedReport``, measures x pairs x topics each."""
    return MedReport(
        runs=runs,
        topics=topics,
        measures=tuple(task.measure for task in tasks),
        pairs=pairs,
        **extremes,
        labels=None,
        provenance=provenance.with_settings(
            measures=[str(task.measure) for task in tasks],
            depth=request.depth,
            method=request.method,
            residual=request.residual,
            seed=request.seed,
        ),
        notes=notes_on(request.method, tasks, extremes),
        depth=request.depth,
        method=request.method,
        residual=request.residual,
        seed=request.seed,
    )


def all_pairs(runs: int, *, first: bool = False) -> Ints:
    """Return pairs x 2: every two of *runs* runs, or the first with each of the others."""
    pairs = np.array(list(combinations(range(runs), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[pairs[:, 0] == 0] if first else pairs


def find_extremes(
    rankings: Rankings, tasks: list[Task], pairs: Ints, *, labels: bool = False, progress: Progress | None = None
) -> tuple[dict[str, Floats], list[DocumentLabel]]:
    """Find the extremes of every measure, pair and topic, and with *labels* the labels that reach them.

    The extremes are arrays of measures x pairs x topics, by their names in ``MedReport``.
    """
    shape = (len(tasks), len(pairs), len(rankings.topics))
    extremes = {name: np.zeros(shape) for name in ("difference", "up", "down", "up_bound", "down_bound")}
    reached: list[DocumentLabel] = []
    a, b = pairs[:, 0], pairs[:, 1]
    for number, topic in enumerate(rankings):
        for i, task in enumerate(tasks):
            cut = topic.top(task.depth)
            up, down = task.family.largest(cut, a, b), task.family.largest(cut, b, a)
            value = _value_as_judged(task.measure, topic.top(task.reach))
            extremes["difference"][i, :, number] = apart(value[a], value[b])
            extremes["up"][i, :, number], extremes["up_bound"][i, :, number] = up
            extremes["down"][i, :, number], extremes["down_bound"][i, :, number] = down
            if labels:
                ends = np.where((up.low >= down.low)[:, None], pairs, pairs[:, ::-1])
                reached += _find_labels(rankings, task, cut, ends)
        if progress is not None:
            progress(number + 1, len(rankings.topics))
    return extremes, reached


def _value_as_judged(measure: Measure, topic: TopicRankings) -> Floats:
    """Return the value of each run, unjudged documents being not relevant."""
    judged = topic.to_judged()
    return np.where(measure.defined(judged), measure.score(judged), 0.0)


def _find_labels(rankings: Rankings, task: Task, topic: TopicRankings, ends: Ints) -> list[DocumentLabel]:
    """Return the documents that are labelled relevant for each pair, whose first run is the favoured one."""
    names, ungraded = rankings.names(topic), topic.ungraded()
    labels = []
    for better, worse in ends.tolist():
        grades = task.family.labels(topic, better, worse)
        labelled = ungraded & (topic.rank[[better, worse]] > 0).any(axis=0) & (grades > 0)
        a, b = (rankings.runs[run] for run in sorted((better, worse)))
        labels += [
            DocumentLabel(a, b, str(task.measure), topic.topic, names[place], float(grades[place]))
            for place in np.flatnonzero(labelled).tolist()
        ]
    return labels
