"""The places on a leaderboard that missing judgments leave open to each run.

A completion gives a grade to every free document of the runs. The place of a run is 1 + the number of runs with a
better mean over topics. The best and the worst place over all completions are enclosed from both sides:

* **Outer range.** Topics are completed independently, so the largest difference of the means of two runs is the mean of
  their largest differences, which MED computes. A run cannot be better than *best* = 1 + the number of runs that are
  ahead of it in every completion, or worse than *worst* = 1 + the number of runs that some completion puts ahead of it.
  Different runs may need different completions to get ahead, so the outer range may not be attained.
* **Attained range.** The places under a number of completions that favour a run or its rivals.

Where the two ranges agree, they are exact. If there are few completions, all of them are tried.

**Documents outside a pair.** MED of two runs assumes that the free documents of other runs are not relevant. On a
leaderboard they may be relevant. This matters for measures with a recall base. For nDCG, nCG, recall, F and AP, the
difference of two values is N / D, and e relevant documents outside the two runs only raise D. So the difference is at
most the larger of MED with e = 0 (if N is positive) and with the largest possible e (if N is negative). For other
measures with a recall base, the difference is at most the largest value of one run minus the smallest value of the
other, with any number of relevant documents outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.distance._med.additive import AdditiveMed, rank_weights
from assay.distance._med.dispatch import Task, unwrap
from assay.distance._med.interface import subtract_values
from assay.distance._med.normalised import NormalisedMed, divisor_parts
from assay.distance._med.rank_table import Labels, split_into_blocks
from assay.distance._med.search import label_rankings
from assay.measures import Measure
from assay.measures._base import ratio
from assay.measures._possible_grades import possible_grades
from assay.model.arrays import Bools, Floats, Ints, competition_ranks, subtract
from assay.model.judged import Judged
from assay.model.rankings import Rankings, TopicRankings
from assay.uncertainty.completions import bound_values

MAX_COMPLETIONS = 1 << 12
"""Maximum number of completions of a campaign that are all tried."""
MAX_CANDIDATES = 1000
"""Maximum number of documents of a topic that the search labels."""
MAX_DOCUMENTS = 500_000_000
"""Maximum number of documents that the search evaluates for a measure without weights."""
ROUNDS = 6
"""Maximum number of rounds of the search for completions that favour a run."""
_SMALLEST = 1e-300  # avoids a division by 0
_MAX_DILUTIONS = 16  # numbers of documents outside a pair that are distinguished for each topic


class PlaceRange(NamedTuple):
    """The best and the worst place of a run over all completions.

    Attributes
    ----------
    measure, run
        The measure and the run.
    value, place
        The mean over topics and the place as judged so far; an undefined value counts as 0.
    best, worst
        Outer range: no completion gives the run a better or a worse place.
    best_attained, worst_attained
        Places that some completions give the run.
    """

    measure: str
    run: str
    value: float
    place: int
    best: int
    worst: int
    best_attained: int
    worst_attained: int


def compute_places(
    rankings: Rankings, tasks: list[Task], pairs: Ints, extremes: Mapping[str, Floats]
) -> list[PlaceRange]:
    """Return the places of each run by each measure; *extremes* are those of all *pairs*, see ``MedReport``."""
    ranges = []
    for i, task in enumerate(tasks):
        measure = task.measure
        lead, value = _bound_leads(rankings, task, pairs, extremes["up_bound"][i], extremes["down_bound"][i])
        outer = _outer_range(lead)
        attained = _try_all_completions(rankings, task)
        if attained is not None:
            outer = attained
        else:
            attained = _search_completions(rankings, task, lead, outer)
        columns = (value, competition_ranks(value, measure.lower_is_better), *outer, *attained)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        ranges += [PlaceRange(str(measure), run, *row) for run, row in zip(rankings.runs, rows, strict=True)]
    return ranges


def _list_topics(rankings: Rankings, task: Task) -> Iterator[_TopicCompletions]:
    """Return the completions of each topic, one at a time: the tables of all topics together may be large."""
    return (_TopicCompletions(task, topic.top(task.depth)) for topic in rankings)


def _score(measure: Measure, judged: Judged) -> Floats:
    """Return the value of each ranking; 0 where it is undefined."""
    return np.where(measure.is_defined(judged), measure.score(judged), 0.0)


def _mean_over_topics(values: Iterable[Floats]) -> Floats:
    """Return the mean over topics; NaN if both +inf and -inf occur."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.mean(np.stack(list(values)), axis=0))


# Outer range -----------------------------------------------------------------------------------------------------


def _outer_range(lead: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst place of each run; *lead* [a, b] bounds the lead of a over b."""
    others = ~np.eye(len(lead), dtype=bool)
    lead = subtract(lead, 0.0)
    # A lead that is not a number excludes nothing.
    best = 1 + (others & (lead < 0)).sum(axis=1)
    worst = 1 + (others & ~(lead <= 0)).sum(axis=0)
    return best, worst


def _bound_leads(rankings: Rankings, task: Task, pairs: Ints, up: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Return an upper bound of the mean lead of each run over each other run, and the current mean of each run.

    *up* and *down* (pairs x topics) bound M(a) - M(b) and M(b) - M(a) if no document outside the pair is relevant.
    """
    a, b = pairs.T
    lead = np.zeros((len(rankings.runs), len(rankings.runs)))
    bounds, values = [], []
    for t, topic in enumerate(rankings):
        completions = _TopicCompletions(task, topic.top(task.depth))
        bounds.append(completions.include_outside(pairs, up[:, t], down[:, t]))
        values.append(_score(task.measure, topic.top(task.judged_depth).to_judged()))
    lead[a, b], lead[b, a] = (_mean_over_topics(direction) for direction in zip(*bounds, strict=True))
    return (lead.T if task.measure.lower_is_better else lead), _mean_over_topics(values)


# Attained range --------------------------------------------------------------------------------------------------


def _try_all_completions(rankings: Rankings, task: Task) -> tuple[Ints, Ints] | None:
    """Return the exact range of places; None if there are too many completions."""
    grades, total = len(possible_grades(unwrap(task.measure), rankings.levels)), 0
    for topic in _list_topics(rankings, task):
        total += len(topic.free)
        if grades**total > MAX_COMPLETIONS:
            return None
    # The digits of a completion's index in base len(grades) are the grades of the free documents of all topics.
    digits = np.arange(grades**total)[:, None] // grades ** np.arange(total) % grades
    means, first = [], 0
    for topic in _list_topics(rankings, task):
        means.append(topic.score_grades(digits[:, first : first + len(topic.free)]))
        first += len(topic.free)
    return _place_range(_mean_over_topics(means), task.measure)


def _place_range(means: Floats, measure: Measure) -> tuple[Ints, Ints]:
    """Return the best and the worst place of each run; *means* are completions x runs."""
    places = np.stack([competition_ranks(row, measure.lower_is_better) for row in means])
    return places.min(axis=0), places.max(axis=0)


def _search_completions(rankings: Rankings, task: Task, lead: Floats, outer: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the best and the worst place of each run among completions that favour a run or its rivals.

    The first completions label no document, all documents, the documents of one run, or the documents that one run
    lacks. The rivals of a run are the runs whose order with the run is open. Each following round has two completions
    for each run: they label the documents with a larger (smaller) weight in the run than in its rivals on average. The
    rivals that the last round put closest to the run have the largest weights in this average. The search ends when it
    attains the *outer* range.
    """
    runs, measure = len(rankings.runs), task.measure
    rounds = _affordable_rounds(rankings, task)
    topics = _TopicSource(rankings, task)
    is_open = (lead >= 0) & ~(lead.T <= 0) & ~np.eye(runs, dtype=bool)
    means = _mean_over_topics(topic.score_labels(topic.basic_labels(brief=rounds == 0)) for topic in topics)
    best, worst = _place_range(means, measure)
    importance = np.repeat(is_open[None] / np.maximum(is_open.sum(axis=1, keepdims=True), 1), 2, axis=0)
    for _ in range(rounds):
        if (best == outer[0]).all() and (worst == outer[1]).all():
            break
        means = _mean_over_topics(topic.score_labels(topic.favouring_labels(importance)) for topic in topics)
        places = _place_range(means, measure)
        best, worst = np.minimum(best, places[0]), np.maximum(worst, places[1])
        importance = importance + _closeness(means.reshape(2, runs, runs), is_open)
        importance /= np.maximum(importance.sum(axis=2, keepdims=True), _SMALLEST)
    return best, worst


def _affordable_rounds(rankings: Rankings, task: Task) -> int:
    """Return the number of rounds of the search; a measure without weights needs every ranking of every completion."""
    if isinstance(task.algorithm, AdditiveMed | NormalisedMed):
        return ROUNDS
    length = rankings.length if task.depth is None else np.minimum(rankings.length, task.depth)
    return min(ROUNDS, MAX_DOCUMENTS // max(2 * len(rankings.runs) * int(length.sum()), 1))


def _closeness(value: Floats, is_open: Bools) -> Floats:
    """Return 2 x runs x runs: 1 for a rival with the value of the run, and less for rivals further away.

    *value* is 2 x runs x runs: the values of all runs under the two completions of each run.
    """
    with np.errstate(invalid="ignore"):
        margin = np.abs(np.diagonal(value, axis1=1, axis2=2)[:, :, None] - value)
    margin = np.where(np.isfinite(margin), margin, np.inf)
    scale = np.where(np.isfinite(margin), margin, 0.0).mean(axis=2, keepdims=True)
    return np.where(is_open, np.exp(-margin / np.maximum(scale, _SMALLEST)), 0.0)


class _TopicSource:
    """The completions of all topics, several times.

    The weights of documents are kept between rounds. Rankings are not kept, because they may need a lot of memory.
    """

    def __init__(self, rankings: Rankings, task: Task) -> None:
        self.rankings, self.task = rankings, task
        self.weighted: list[_WeightedTopic] = []

    def __iter__(self) -> Iterator[_WeightedTopic | _TopicCompletions]:
        if not isinstance(self.task.algorithm, AdditiveMed | NormalisedMed):
            return _list_topics(self.rankings, self.task)
        if not self.weighted:
            self.weighted = [_WeightedTopic.from_completions(topic) for topic in _list_topics(self.rankings, self.task)]
        return iter(self.weighted)


class _Labelling:
    """Completions that label some of the free documents of a topic with the top grade.

    *weight* (runs x documents) has the weights of the documents that get labels; other free documents get grade 0.
    """

    weight: Floats

    def basic_labels(self, *, brief: bool = False) -> Bools:
        """Return completions x documents: none, all and, unless *brief*, those of each run and those that it lacks."""
        ends = np.zeros((2, self.weight.shape[1]), dtype=bool)
        ends[1] = True
        return ends if brief else np.concatenate([ends, self.weight > 0, self.weight == 0])

    def favouring_labels(self, importance: Floats) -> Bools:
        """Return completions x documents: those that favour each run, then those that favour its rivals.

        *importance* is 2 x runs x runs: the importance of each rival of a run, with sum 1 or 0.
        """
        advantage, disadvantage = (self.weight - weights @ self.weight for weights in importance)
        return np.concatenate([advantage > 0, disadvantage < 0])


@dataclass(frozen=True, eq=False)
class _TopicCompletions(_Labelling):
    """The completions of a topic, cut at the depth of the measure."""

    task: Task
    topic: TopicRankings

    @cached_property
    def measure(self) -> Measure:
        return unwrap(self.task.measure)

    @cached_property
    def grades(self) -> Floats:
        """The grades that a free document may get."""
        return possible_grades(self.measure, self.topic.levels)

    @cached_property
    def free(self) -> Ints:
        """The documents without a grade."""
        return np.flatnonzero(self.topic.ungraded_mask())

    @cached_property
    def weight(self) -> Floats:  # type: ignore[override]
        """Runs x free documents: a discount by rank, for measures without weights."""
        rank = self.topic.rank[:, self.free]
        return np.where(rank > 0, 1 / np.log2(1 + np.maximum(rank, 1)), 0.0)

    def include_outside(self, pairs: Ints, up: Floats, down: Floats) -> tuple[Floats, Floats]:
        """Raise the bounds of M(a) - M(b) and M(b) - M(a) to allow for relevant documents outside the pair."""
        if not self.measure.uses_recall_base or not len(self.free):
            return up, down
        if self.measure.med_strategy in ("normalised", "precision-sums"):
            a, b = pairs.T
            outside = self._count_outside(a, b)
            return np.maximum(up, self._dilute(a, b, up, outside)), np.maximum(down, self._dilute(b, a, down, outside))
        interval = bound_values(self.measure, self.topic.to_judged(), outside=len(self.free), tail=False)
        a, b = pairs.T
        return (
            subtract_values(interval.high[a], interval.low[b]),
            subtract_values(interval.high[b], interval.low[a]),
        )

    def _count_outside(self, a: Ints, b: Ints) -> Ints:
        """Return the number of free documents that neither run of a pair retrieved."""
        retrieved = (self.topic.rank[:, self.free] > 0).astype(np.float64)
        count = retrieved.sum(axis=1)
        both = retrieved @ retrieved.T
        return np.asarray(np.rint(len(self.free) - count[a] - count[b] + both[a, b]), dtype=np.int64)

    def _dilute(self, a: Ints, b: Ints, bound: Floats, outside: Ints) -> Floats:
        """Maximize M(a) - M(b) for the pairs with a negative *bound*, if all documents *outside* have the top grade."""
        diluted = bound.copy()
        pairs = np.flatnonzero((bound < 0) & (outside > 0))
        numbers = np.unique(outside[pairs])
        for group in np.array_split(numbers, min(len(numbers), _MAX_DILUTIONS) or 1):
            if not len(group):
                continue
            # More documents outside only raise a negative difference, so the largest number of a group is a bound.
            rows = pairs[(outside[pairs] >= group[0]) & (outside[pairs] <= group[-1])]
            topic = _add_relevant(self.topic, self.top_grade(), int(group[-1]))
            diluted[rows] = self.task.algorithm.maximize(topic, a[rows], b[rows]).high
        return diluted

    def top_grade(self) -> float:
        """Return the grade with the largest gain."""
        return float(Labels.from_rankings(self.measure, self.topic).grade[-1])

    def score_labels(self, labels: Bools) -> Floats:
        """Return completions x runs: the values if the labelled documents have the top grade and others grade 0."""
        return self.score_grades(int(np.searchsorted(self.grades, self.top_grade())) * labels)

    def score_grades(self, digits: Ints) -> Floats:
        """Return completions x runs: the values for grades given by their indices, completions x free documents."""
        runs = tuple(range(len(self.topic.rank)))
        blocks = []
        for rows in split_into_blocks(len(digits), int(self.topic.length.sum())):
            judged = label_rankings(self.topic, runs, self.free, self.grades, digits[rows])
            blocks.append(_score(self.measure, judged).reshape(len(runs), -1).T)
        return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class _WeightedTopic(_Labelling):
    """The completions of a topic by a weighted sum of gains, divided by a function of the number of labels.

    Attributes
    ----------
    weight
        Runs x documents: the weights of at most ``MAX_CANDIDATES`` free documents, those with the largest weights.
    base
        For each run, the sum if these documents have grade 0.
    gain
        The gain that a label adds.
    divisor
        The divisor for each number of labels.
    """

    weight: Floats
    base: Floats
    gain: float
    divisor: Floats

    @classmethod
    def from_completions(cls, completions: _TopicCompletions) -> _WeightedTopic:
        algorithm, topic = completions.task.algorithm, completions.topic
        measure = algorithm.measure  # type: ignore[attr-defined]
        labels = Labels.from_rankings(measure, topic)
        zero = int(np.flatnonzero(labels.grade == 0)[0])
        weights = rank_weights(measure, int(topic.rank.max(initial=0)))
        by_run = weights[topic.rank]
        base = by_run @ np.where(topic.ungraded_mask(), labels.gain[zero], labels.judged_gain)
        largest = by_run[:, completions.free].max(axis=0, initial=0.0)
        candidates = completions.free[np.argsort(-largest, kind="stable")[:MAX_CANDIDATES]]
        number = len(candidates)
        if isinstance(algorithm, AdditiveMed):
            divisor = np.full(number + 1, float(measure.scale(Judged.from_grades([[]]))))
        else:
            ends = np.unique([zero, len(labels.gain) - 1])
            two_labels = labels._replace(grade=labels.grade[ends], gain=labels.gain[ends])
            parts = divisor_parts(measure, topic, two_labels, len(completions.free))
            divisor = parts[0, -1] + parts[1:, : number + 1].sum(axis=0)
        return cls(by_run[:, candidates], base, float(labels.gain[-1] - labels.gain[zero]), divisor)

    def score_labels(self, labels: Bools) -> Floats:
        """Return completions x runs: the values if the labelled documents have the top grade and others grade 0."""
        total = self.base + self.gain * (labels.astype(np.float64) @ self.weight.T)
        return ratio(total, self.divisor[labels.sum(axis=1)][:, None])


def _add_relevant(topic: TopicRankings, grade: float, number: int) -> TopicRankings:
    """Add judged documents of one grade that no run retrieved."""
    levels = np.unique(np.append(topic.levels, grade))
    known = np.searchsorted(levels, topic.levels)
    counts = np.zeros(len(levels), dtype=np.int64)
    counts[known] = topic.counts
    counts[np.searchsorted(levels, grade)] += number
    return replace(topic, levels=levels, counts=counts, code=np.append(0, 1 + known)[topic.code])
