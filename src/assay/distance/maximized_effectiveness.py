"""Maximized effectiveness distance (MED): the largest difference between two rankings that the judgments allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.distance._med.dispatch import Task
from assay.distance._med.interface import subtract_values
from assay.distance._med.places import PlaceRange, compute_places
from assay.distance._med.report import ALL, DocumentLabel, MedReport
from assay.distance._med.request import MedRequest
from assay.distance._med.trace import TraceStep, require_traceable, trace_algorithm_1
from assay.distance.shared_topics import missing_topic_notes, refuse_isolated_runs
from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Additive, Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import find_threshold_problems
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings, TopicRankings
from assay.results.run_pairs import require_two_runs

MEASURES = ("AP@100", "nDCG@10", "RBP(p=0.8)")
"""Measures used by default."""
__all__ = [
    "ALL",
    "MEASURES",
    "DocumentLabel",
    "MedReport",
    "PlaceRange",
    "TraceStep",
    "all_pairs",
    "build_report",
    "compute_extremes",
    "med",
]


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
    trace: bool = False,
    places: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> MedReport:
    r"""Find the largest difference in effectiveness between rankings that the judgments allow.

    .. math:: MED(M, A, B) = \max_{labels} |M(A) - M(B)|

    The maximum is over all labels of the unjudged documents of A and B; a document has the same label in both rankings.
    Unjudged documents that neither ranking contains within the depth of the measure count as non-relevant. If such
    documents were relevant, the distance by AP, nDCG and recall could only become smaller, but differences between
    *smallest* and *largest* could change. MED is 0 if and only if no labels of the unjudged documents of A and B can
    separate the rankings.

    Parameters
    ----------
    campaign
        At least two runs, with judgments or without; every pair is compared. Ties must be broken. Unjudged documents
        stay in the rankings under every policy.
    measures
        Measures or their names; by default ``MEASURES``. MED is exact for P, RBP, SDCG, CG, DCG, INSQ, RR, Success,
        nDCG, nCG, recall, F, MeanNDCG, R-precision, AP, SSP, ERR and binary Q. For other measures it is an interval,
        unless there are few documents.
    depth
        Compare the first *depth* documents. It becomes the cutoff of measures without one (not with *residual*).
    method
        ``exact`` (the exact algorithm for the measure; an interval if there is none), ``max-grade`` (labels are 0 or
        the top grade, as in the paper), or ``exhaustive`` (every labeling, for few documents). For AP, SSP and SP there
        are also heuristics that find lower bounds: ``greedy`` (one label at a time until no label increases the
        difference), ``greedy-on`` (like greedy, but continued until all documents are labelled; the best labels on the
        way count) and ``tabu`` (tabu search).
    residual
        Assume that the favoured ranking continues with relevant documents (for RBP and other sums over ranks).
    first
        Compare only the first run with each of the others.
    labels
        Report the labels that attain each distance.
    trace
        Report the steps of Algorithm 1 of the second reference (nDCG, nCG, recall and F@k).
    places
        Report the best and the worst place of each run on the leaderboard that labels allow. All unjudged documents of
        all runs may get labels.
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
    reject_expected_ties(campaign.policies.ties, "distances need an order")
    request = MedRequest(parse_measures(MEASURES if measures is None else measures), depth, method, residual, seed)
    refuse_facets(request.measures, "maximized differences")
    require_two_runs(campaign.runs)
    if places and first:
        raise InputError("places need all pairs of runs; omit first (--first)")
    rankings = campaign.rankings(depth=request.max_depth)
    if campaign.qrels is None:
        refuse_isolated_runs(campaign, rankings)
        notes = missing_topic_notes(campaign, rankings, "counted as empty rankings")
    else:
        # A measure whose threshold no judgment reaches is not refused: labels of unjudged documents may reach it.
        notes = find_threshold_problems(request.measures, campaign.qrels.levels)
    tasks = request.tasks(longest=max(rankings.max_depth, 1))
    traceable = [(require_traceable(task.measure), task.depth) for task in tasks] if trace else []
    pairs = all_pairs(len(campaign.runs), first=first)
    extremes, document_labels = compute_extremes(rankings, tasks, pairs, labels=labels, progress=progress)
    report = build_report(
        campaign.runs, campaign.topics, pairs, extremes, request=request, tasks=tasks, provenance=campaign.provenance
    )
    all_notes = (*campaign.notes, *report.notes, *notes)
    return replace(
        report,
        labels=tuple(document_labels) if labels else None,
        trace=tuple(_trace_pairs(rankings, traceable, pairs)) if trace else None,
        places=tuple(compute_places(rankings, tasks, pairs, extremes)) if places else None,
        notes=all_notes,
    )


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
    """Build a report from *extremes*: arrays (measures x pairs x topics) by their names in ``MedReport``."""
    return MedReport(
        runs=runs,
        topics=topics,
        measures=tuple(task.measure for task in tasks),
        pairs=pairs,
        difference=extremes["difference"],
        up=extremes["up"],
        down=extremes["down"],
        up_bound=extremes["up_bound"],
        down_bound=extremes["down_bound"],
        labels=None,
        provenance=provenance.with_settings(
            measures=[str(task.measure) for task in tasks],
            depth=request.depth,
            method=request.method,
            residual=request.residual,
            seed=request.seed,
        ),
        notes=(
            *_lower_bound_notes(request.method, tasks),
            *_aggregation_notes(tasks),
            *_interval_notes(tasks, extremes),
            *_excess_notes(tasks, extremes),
        ),
        depth=request.depth,
        method=request.method,
        residual=request.residual,
        seed=request.seed,
    )


def all_pairs(run_count: int, *, first: bool = False) -> Ints:
    """Return pairs x 2: all pairs of runs; with *first*, only the pairs of the first run with each other run."""
    pairs = np.array(list(combinations(range(run_count), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[pairs[:, 0] == 0] if first else pairs


def compute_extremes(
    rankings: Rankings, tasks: list[Task], pairs: Ints, *, labels: bool = False, progress: Progress | None = None
) -> tuple[dict[str, Floats], list[DocumentLabel]]:
    """Compute the extreme differences of every measure, pair and topic; with *labels*, also labels that attain them.

    The extremes are arrays of measures x pairs x topics, by their names in ``MedReport``.
    """
    shape = (len(tasks), len(pairs), len(rankings.topics))
    extremes = {name: np.zeros(shape) for name in ("difference", "up", "down", "up_bound", "down_bound")}
    document_labels: list[DocumentLabel] = []
    a, b = pairs[:, 0], pairs[:, 1]
    for t, topic in enumerate(rankings):
        for i, task in enumerate(tasks):
            cut_rankings = topic.top(task.depth)
            up, down = task.algorithm.maximize(cut_rankings, a, b), task.algorithm.maximize(cut_rankings, b, a)
            value = score_current(task.measure, topic.top(task.judged_depth))
            extremes["difference"][i, :, t] = subtract_values(value[a], value[b])
            extremes["up"][i, :, t], extremes["up_bound"][i, :, t] = up
            extremes["down"][i, :, t], extremes["down_bound"][i, :, t] = down
            if labels:
                # Find the labels of the direction that attains the distance: put the favoured run first.
                directed_pairs = np.where((up.low >= down.low)[:, None], pairs, pairs[:, ::-1])
                document_labels += _find_labels(rankings, task, cut_rankings, directed_pairs)
        if progress is not None:
            progress(t + 1, len(rankings.topics))
    return extremes, document_labels


def score_current(measure: Measure, topic: TopicRankings) -> Floats:
    """Return the value of each run, with unjudged documents counted as non-relevant; 0 where the value is undefined."""
    judged = topic.to_judged()
    return np.where(measure.is_defined(judged), measure.score(judged), 0.0)


def _find_labels(rankings: Rankings, task: Task, topic: TopicRankings, directed_pairs: Ints) -> list[DocumentLabel]:
    """Return the free documents that are labelled relevant, for each pair of a favoured run and another run."""
    names, free = rankings.names(topic), topic.ungraded_mask()
    labels = []
    for favoured, other in directed_pairs.tolist():
        grades = task.algorithm.find_labels(topic, favoured, other)
        relevant = free & (topic.rank[[favoured, other]] > 0).any(axis=0) & (grades > 0)
        a, b = (rankings.runs[run] for run in sorted((favoured, other)))
        labels += [
            DocumentLabel(a, b, str(task.measure), topic.topic, names[document], float(grades[document]))
            for document in np.flatnonzero(relevant).tolist()
        ]
    return labels


def _trace_pairs(rankings: Rankings, measures: list[tuple[Additive, int | None]], pairs: Ints) -> Iterator[TraceStep]:
    """Return the steps of Algorithm 1 for each topic, measure (with its depth) and pair."""
    for topic in rankings:
        for measure, depth in measures:
            cut_rankings = topic.top(depth)
            for a, b in pairs.tolist():
                yield from trace_algorithm_1(rankings, measure, cut_rankings, a, b)


# Notes -----------------------------------------------------------------------------------------------------------


def _lower_bound_notes(method: str, tasks: list[Task]) -> list[str]:
    """Note that a heuristic finds only lower bounds."""
    if method not in ("greedy", "greedy-on", "tabu"):
        return []
    names = ", ".join(str(task.measure) for task in tasks)
    return [f"{names}: {method} finds a lower bound of the distance, which may be less than the distance"]


def _interval_notes(tasks: list[Task], extremes: Mapping[str, Floats]) -> list[str]:
    """Note distances that are known only as intervals."""
    low, high = (np.maximum(extremes[f"up{end}"], extremes[f"down{end}"]) for end in ("", "_bound"))
    inexact = (subtract_values(high, low) > ROUNDING) & np.isfinite(high)
    return [
        f"{task.measure}: the exact distance is not known in {int(mask.sum())} of {pluralize(mask.size, 'case')}; it "
        "lies between low and high, and med is low"
        for task, mask in zip(tasks, inexact, strict=True)
        if mask.any()
    ]


def _aggregation_notes(tasks: list[Task]) -> list[str]:
    """Note measures whose values are not aggregated by their mean over topics, because distances always are."""
    aggregate_names = {"geometric": "geometric mean", "sum": "sum"}
    return [
        f"{task.measure}: distances are aggregated by their mean over topics, not by the {aggregate_names[aggregate]}"
        for task in tasks
        if (aggregate := task.measure.aggregate) in aggregate_names
    ]


def _excess_notes(tasks: list[Task], extremes: Mapping[str, Floats]) -> list[str]:
    """Note differences larger than the distance: some measures distinguish unjudged documents from grade 0."""
    distance = np.maximum(extremes["up_bound"], extremes["down_bound"])
    return [
        f"{task.measure}: distinguishes unjudged documents from documents of grade 0, so the difference with the "
        f"current judgments may exceed the distance; this occurs {pluralize(int(exceeds.sum()), 'time')}"
        for task, exceeds in zip(tasks, np.abs(extremes["difference"]) > distance + ROUNDING, strict=True)
        if exceeds.any()
    ]
