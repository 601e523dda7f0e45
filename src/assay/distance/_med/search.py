"""MED by search over labelings: exhaustive, greedy and tabu search, for comparison with the exact algorithms.

:func:`exhaustive` computes the maximum by definition, for a few documents. :func:`greedy` and :func:`tabu` find labels
that are often, but not always, optimal: they return *lower bounds*.

References
----------
Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eq. 13 (greedy). Glover & Laguna,
*Tabu Search*, Kluwer 1997.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.distance._med.binary_labels import label_documents
from assay.distance._med.interface import subtract_values
from assay.distance._med.rank_table import known_grades, split_into_blocks
from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures._possible_grades import possible_grades
from assay.measures.average_precision import PrecisionSum
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

MAX_LABELINGS = 1 << 20
"""Maximum number of labelings that :func:`exhaustive` tries: 20 documents with binary relevance."""
MAX_IDLE_STEPS = 100
""":func:`tabu` stops after this number of consecutive steps without a new best value."""
RANDOM_STARTS = 3
"""Number of random labelings from which :func:`tabu` starts, in addition to no labels and all labels."""


class SearchResult(NamedTuple):
    """A difference M(a) - M(b), and a grade for each document that attains it (see ``MedAlgorithm.find_labels``)."""

    value: float
    labels: Floats


# Exhaustive search -----------------------------------------------------------------------------------------------


def exhaustive(measure: Measure, rankings: TopicRankings, a: int, b: int) -> SearchResult:
    """Maximize M(a) - M(b) by trying every labeling with every possible grade; works for any measure.

    Raise InputError if there are more than ``MAX_LABELINGS`` labelings.
    """
    free = find_free_documents(rankings, a, b)
    grades = possible_grades(measure, rankings.levels)
    if len(grades) ** len(free) > MAX_LABELINGS:
        raise InputError(
            f"topic {rankings.topic}: {len(grades)} grades for {len(free)} unjudged documents are more than "
            f"{MAX_LABELINGS} labelings; use the exact method, or a smaller depth"
        )
    # The digits of a labeling's index in base len(grades) are the grades of the free documents.
    indices = (
        np.arange(rows.start, rows.stop)[:, None]
        for rows in split_into_blocks(len(grades) ** len(free), len(rankings.code))
    )
    return try_labelings(
        measure, rankings, a, b, (index // len(grades) ** np.arange(len(free)) % len(grades) for index in indices)
    )


def try_labelings(measure: Measure, rankings: TopicRankings, a: int, b: int, blocks: Iterable[Ints]) -> SearchResult:
    """Return the first labeling with the largest difference M(a) - M(b), among labelings in several blocks.

    A block has a row for each labeling: for each free document, the index of its grade among the possible grades. A
    labeling under which a value is not a number is ignored; if all are ignored, the result is not a number.
    """
    free, grades = find_free_documents(rankings, a, b), possible_grades(measure, rankings.levels)
    best, best_digits = np.nan, np.zeros(len(free), dtype=np.int64)
    for digits in blocks:
        judged = label_rankings(rankings, (a, b), free, grades, digits)
        value = np.where(measure.is_defined(judged), measure.score(judged), 0.0).reshape(2, -1)
        difference = subtract_values(value[0], value[1])
        row = int(np.argmax(np.where(np.isnan(difference), -np.inf, difference)))
        if np.isnan(best) or difference[row] > best:
            best, best_digits = float(difference[row]), digits[row]
    labels = known_grades(rankings)
    labels[free] = grades[best_digits]
    return SearchResult(best, labels)


def label_rankings(rankings: TopicRankings, runs: tuple[int, ...], free: Ints, grades: Floats, digits: Ints) -> Judged:
    """Return the rankings of some runs under several labelings; each labeling becomes a topic.

    All rankings of the first run come first, followed by all rankings of the next run. *digits* has a row for each
    labeling: for each of the *free* documents, the index of its grade in *grades*.
    """
    levels = np.unique(np.concatenate([rankings.levels, grades]))
    known = np.searchsorted(levels, rankings.levels)
    code = np.concatenate([[0], 1 + known])[rankings.code]
    counts = np.zeros(len(levels), dtype=np.int64)
    counts[known] = rankings.counts
    # A free document with a negative grade was counted under that grade; do not count it twice.
    counts -= np.bincount(code[free], minlength=len(levels) + 1)[1:]
    orders = [_rank_order(rankings, run) for run in runs]
    codes = np.tile(code, (len(digits), 1))
    codes[:, free] = 1 + np.searchsorted(levels, grades)[digits]
    label_counts = np.stack([(codes[:, free] == 1 + level).sum(axis=1) for level in range(len(levels))], axis=1)
    topics = np.arange(len(digits))
    length = np.repeat([len(order) for order in orders], len(digits))
    return Judged(
        levels=levels,
        counts=counts + label_counts,
        topic=np.tile(topics, len(runs)),
        start=np.concatenate([[0], np.cumsum(length)]),
        code=np.concatenate([codes[:, order].ravel() for order in orders]),
        answered=np.ones(len(runs) * len(topics), dtype=bool),
    )


def find_free_documents(rankings: TopicRankings, a: int, b: int) -> Ints:
    """Return the documents of two runs that have no grade yet."""
    return np.flatnonzero(rankings.ungraded_mask() & (rankings.rank[[a, b]] > 0).any(axis=0))


# Sums of precisions ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _PrecisionSums:
    """The difference SP(a) - SP(b) between the sums of precisions of a pair, and how single labels change it.

    Attributes
    ----------
    measure
        AP, SSP or SP.
    free
        The free documents.
    rank
        Runs x free documents: the rank, 0 if the run did not retrieve the document.
    judged
        For each run, a mask of the ranks with a judged relevant document.
    recall_base
        Number of judged relevant documents of the topic.
    """

    measure: PrecisionSum
    free: Ints
    rank: Ints
    judged: tuple[Bools, Bools]
    recall_base: int

    @classmethod
    def from_rankings(cls, measure: Measure, rankings: TopicRankings, a: int, b: int, method: str) -> _PrecisionSums:
        if not isinstance(measure, PrecisionSum) or measure.med_strategy != "precision-sums":
            raise MeasureError(f"measure '{measure}': method {method} is for AP, SSP and SP; use the exact method")
        free = find_free_documents(rankings, a, b)
        relevant = np.concatenate([[False], rankings.levels >= measure.rel])[rankings.code]
        first, second = (relevant[_rank_order(rankings, run)] for run in (a, b))
        recall_base = int(rankings.counts[rankings.levels >= measure.rel].sum())
        return cls(measure, free, rankings.rank[[a, b]][:, free], (first, second), recall_base)

    def normalise(self, difference: Floats, labels: Ints) -> Floats:
        """Return M(a) - M(b), given SP(a) - SP(b) and the number of labels."""
        return self.measure.normalise(difference, self.recall_base + labels)

    def changes(self, labels: Bools) -> tuple[float, Floats]:
        """Return SP(a) - SP(b) under some labels, and for each document the change if its label is flipped."""
        (first, in_a), (second, in_b) = (self._contributions(side, labels) for side in (0, 1))
        return first - second, np.where(labels, in_b - in_a, in_a - in_b)

    def _contributions(self, side: int, labels: Bools) -> tuple[float, Floats]:
        """Return SP of one run, and the contribution of each free document if it is labelled (eq. 13).

        A relevant document at rank r contributes the precision at rank r, (1 + relevant documents above) / r. It also
        contributes 1 / i to the precision at the rank i of each relevant document below it.
        """
        rank = self.rank[side]
        # One more element at the end, for documents that the run did not retrieve: their rank 0 becomes index -1.
        relevant = np.append(self.judged[side], False)
        relevant[rank[labels] - 1] = True
        relevant[-1] = False
        relevant_to_rank = np.cumsum(relevant)
        inverse_rank = relevant / np.arange(1, len(relevant) + 1)
        sum_below = np.cumsum(inverse_rank[::-1])[::-1] - inverse_rank
        contribution = (relevant_to_rank[rank - 1] + ~labels) / np.maximum(rank, 1) + sum_below[rank - 1]
        return float(relevant_to_rank @ inverse_rank), np.where(rank > 0, contribution, 0.0)


def _rank_order(rankings: TopicRankings, run: int) -> Ints:
    """Return the documents of a run in rank order."""
    return np.argsort(rankings.rank[run])[rankings.rank.shape[1] - int(rankings.length[run]) :]


def greedy(measure: Measure, rankings: TopicRankings, a: int, b: int, *, stop_early: bool = True) -> SearchResult:
    """Label greedily: return a *lower bound* of the maximum of M(a) - M(b), for AP, SSP or SP.

    Each step labels the document that increases SP(a) - SP(b) most. The best labels on the way are returned. With
    *stop_early*, the search ends when no document increases SP(a) - SP(b), as in the paper (method ``greedy``).
    Otherwise it ends when all documents are labelled (method ``greedy-on``). Neither method is always optimal. If there
    are judged documents, ``greedy`` has no guarantee at all: its bound may be close to 0 although the maximum is not.
    """
    sums = _PrecisionSums.from_rankings(measure, rankings, a, b, "greedy")
    labels = np.zeros(len(sums.free), dtype=bool)
    difference, change = sums.changes(labels)
    best, best_labels = _value_at(sums, difference, labels), labels.copy()
    while not labels.all():
        document = int(np.argmax(np.where(labels, -np.inf, change)))
        if stop_early and change[document] <= ROUNDING:
            break
        labels[document] = True
        difference, change = sums.changes(labels)
        value = _value_at(sums, difference, labels)
        if value > best:
            best, best_labels = value, labels.copy()
    return _build_result(sums, rankings, best, best_labels)


def tabu(
    measure: Measure, rankings: TopicRankings, a: int, b: int, *, rng: int | np.random.Generator = 0
) -> SearchResult:
    """Label by tabu search: return a *lower bound* of the maximum of M(a) - M(b), for AP, SSP or SP.

    The search starts from no labels, from all labels and from some random labelings. Each step flips the label whose
    flip gives the largest value, even if this is lower than the current value. The label is then tabu for a number of
    steps (a quarter of the number of documents, at least 2), unless flipping it gives a new best value. *rng*
    determines the result.
    """
    sums = _PrecisionSums.from_rankings(measure, rankings, a, b, "tabu")
    generator = np.random.default_rng(rng)
    documents = len(sums.free)
    starts = [np.zeros(documents, dtype=bool), np.ones(documents, dtype=bool)]
    starts += [generator.random(documents) < 0.5 for _ in range(RANDOM_STARTS)]
    best, best_labels = -np.inf, starts[0]
    for start in starts:
        value, labels = _tabu_from(sums, start, best)
        if value > best:
            best, best_labels = value, labels
    return _build_result(sums, rankings, best, best_labels)


def _tabu_from(sums: _PrecisionSums, start: Bools, best: float) -> tuple[float, Bools]:
    """Return the best value above *best*, and its labels, on the way from *start*.

    If no value is above *best*, return the value and the labels of *start*.
    """
    documents = len(start)
    labels, best_labels = start.copy(), start.copy()
    tabu_until = np.zeros(documents, dtype=np.int64)
    difference, change = sums.changes(labels)
    value = _value_at(sums, difference, labels)
    best = max(best, value)
    step = idle = 0
    while idle < MAX_IDLE_STEPS and documents:
        step += 1
        flipped = sums.normalise(difference + change, labels.sum() + np.where(labels, -1, 1))
        allowed = (tabu_until < step) | (flipped > best + ROUNDING)
        document = int(np.argmax(np.where(allowed, flipped, -np.inf)))
        labels[document] = not labels[document]
        tabu_until[document] = step + max(2, documents // 4)
        difference, change = sums.changes(labels)
        idle += 1
        if flipped[document] > best + ROUNDING:
            best = value = float(flipped[document])
            best_labels, idle = labels.copy(), 0
    return value, best_labels


def _value_at(sums: _PrecisionSums, difference: float, labels: Bools) -> float:
    """Return M(a) - M(b) for one labeling."""
    return float(sums.normalise(np.array([difference]), np.array([labels.sum()]))[0])


def _build_result(sums: _PrecisionSums, rankings: TopicRankings, value: float, labels: Bools) -> SearchResult:
    grade = float(possible_grades(sums.measure, rankings.levels)[-1])
    return SearchResult(value, label_documents(rankings, sums.free[labels], grade))
