"""Improving steps between judged rankings of one length: all steps for small topics, random steps for larger ones.

A ranking is encoded as an integer, its *key*. The digits of the key are the indices of the grades in the scale; rank 1
is the most significant digit. A step adds a constant to the key, so that a binary search in the sorted keys finds the
ranking after the step. The arrays contain all steps of all rankings of all topics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged

SWAP, REPLACEMENT = "swap", "replacement"
AXIOMS = (SWAP, REPLACEMENT)
_BITS = 62  # Maximum number of bits of the key of a ranking.


class Moves(NamedTuple):
    """Steps of one kind: the indices of the rankings before and after the step, and the ranks that change.

    *second* is 0 for a replacement, which changes only one rank.
    """

    before: Ints
    after: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Steps:
    """Rankings of one length, and the steps between them for each axiom, smallest first.

    Topics are sorted by the number of relevant documents, then by the number of documents of the highest grades.
    Rankings are sorted by topic, then by their grades from rank 1 on. Steps are sorted by the ranking before the step,
    then by rank.
    """

    judged: Judged
    moves: dict[str, Moves]


def enumerate_topics(grade_count: int, max_relevant: int) -> Ints:
    """Return all topics with 1 to *max_relevant* relevant documents, for *grade_count* grades above 0.

    The result is topics x grades: the number of documents of each grade. It is sorted by the number of documents, then
    by the counts of the highest grades.

    >>> enumerate_topics(2, 2).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    tuples = product(range(max_relevant + 1), repeat=grade_count)
    topics = [counts for counts in tuples if 1 <= sum(counts) <= max_relevant]
    return np.array(sorted(topics, key=lambda counts: (sum(counts), counts[::-1])), dtype=np.int64)


def count_rankings(topics: Ints, length: int) -> int:
    """Return the number of different judged rankings of *length* documents, summed over all topics.

    A ranking can contain any number of non-relevant documents.

    >>> count_rankings(np.array([[1, 0], [1, 1]]), 2)
    10
    """
    # Choose the ranks of the relevant documents, then the order of their grades.
    return sum(
        math.comb(length, relevant) * orders
        for counts in topics.tolist()
        for relevant, orders in enumerate(_count_orders(counts))
        if relevant <= length
    )


def _count_orders(counts: list[int]) -> list[int]:
    """Return the number of different grade sequences that consist of 0, 1, 2, … relevant documents of a topic."""
    orders = [1]
    for count in counts:
        # Insert 0 to *count* documents of the next grade into the sequences of the previous grades.
        orders = [
            sum(
                math.comb(size, inserted) * orders[size - inserted]
                for inserted in range(min(count, size) + 1)
                if size - inserted < len(orders)
            )
            for size in range(len(orders) + count)
        ]
    return orders


def can_enumerate(topics: Ints, length: int, limit: int) -> bool:
    """Return True if there are at most *limit* rankings and their keys fit into 64-bit integers."""
    bits = length * math.log2(topics.shape[1] + 1) + math.log2(len(topics))
    return bits < _BITS and count_rankings(topics, length) <= limit


def enumerate_steps(grades: Floats, topics: Ints, nonrelevant: int | None, length: int) -> Steps:
    """Return all rankings of *length* documents of all topics, and all steps between them.

    Each topic has *nonrelevant* documents of grade 0 (None: enough to fill a ranking).
    """
    counts = _add_nonrelevant(topics, length if nonrelevant is None else nonrelevant)
    topic, grade, remaining = _enumerate_rankings(counts, length)
    base = len(grades)
    weight = np.int64(base) ** np.arange(length - 1, -1, -1)
    key = topic * np.int64(base) ** length + grade @ weight
    swaps = _enumerate_swaps(grade, key, weight)
    replacements = _enumerate_replacements(grade, key, weight, remaining)
    return Steps(_to_judged(grades, counts, topic, grade), {SWAP: swaps, REPLACEMENT: replacements})


def _add_nonrelevant(topics: Ints, nonrelevant: int) -> Ints:
    """Prepend the number of documents of grade 0 to the counts of each topic."""
    return np.hstack([np.full((len(topics), 1), nonrelevant), topics])


def _enumerate_rankings(counts: Ints, length: int) -> tuple[Ints, Ints, Ints]:
    """Return all rankings in ascending order of their keys.

    The result is the topic of each ranking, its grades (as indices in the scale, rankings x length), and the number of
    documents of each grade that are not in the ranking (rankings x grades).
    """
    topic = np.arange(len(counts))
    grade = np.zeros((len(counts), 0), dtype=np.int64)
    remaining = counts
    grade_count = counts.shape[1]
    for _ in range(length):
        # Extend every ranking by one document of every grade of which a document remains.
        prefix = np.repeat(np.arange(len(topic)), grade_count)
        last = np.tile(np.arange(grade_count), len(topic))
        possible = remaining[prefix, last] > 0
        prefix, last = prefix[possible], last[possible]
        topic, remaining = topic[prefix], remaining[prefix]
        remaining[np.arange(len(remaining)), last] -= 1
        grade = np.hstack([grade[prefix], last[:, None]])
    return topic, grade, remaining


def _to_judged(grades: Floats, counts: Ints, topic: Ints, grade: Ints) -> Judged:
    return Judged(
        levels=grades,
        counts=counts,
        topic=topic,
        start=np.arange(len(grade) + 1) * grade.shape[1],
        code=(grade + 1).ravel(),
        answered=np.ones(len(grade), dtype=bool),
    )


def _enumerate_swaps(grade: Ints, key: Ints, weight: Ints) -> Moves:
    groups = []
    for first, second in combinations(range(len(weight)), 2):
        before = np.flatnonzero(grade[:, first] < grade[:, second])
        increase = (grade[before, second] - grade[before, first]) * (weight[first] - weight[second])
        groups.append((before, key[before] + increase, first + 1, second + 1))
    return _join_moves(groups, key)


def _enumerate_replacements(grade: Ints, key: Ints, weight: Ints, remaining: Ints) -> Moves:
    groups = []
    for rank, new in product(range(len(weight)), range(1, remaining.shape[1])):
        before = np.flatnonzero((grade[:, rank] < new) & (remaining[:, new] > 0))
        groups.append((before, key[before] + (new - grade[before, rank]) * weight[rank], rank + 1, 0))
    return _join_moves(groups, key)


def _join_moves(groups: list[tuple[Ints, Ints, int, int]], key: Ints) -> Moves:
    """Join groups of steps: rankings before the step, keys of the rankings after it, and the ranks that change.

    The result is sorted by the ranking before the step. A stable sort preserves the order of the ranks.
    """
    empty = (np.zeros(0, dtype=np.int64),)
    before = np.concatenate([*empty, *(group[0] for group in groups)])
    after = np.searchsorted(key, np.concatenate([*empty, *(group[1] for group in groups)]))
    size = [len(group[0]) for group in groups]
    first = np.repeat(np.array([group[2] for group in groups], dtype=np.int64), size)
    second = np.repeat(np.array([group[3] for group in groups], dtype=np.int64), size)
    order = np.argsort(before, kind="stable")
    return Moves(before[order], after[order], first[order], second[order])


# Random steps ----------------------------------------------------------------------------------------------------


def sample_steps(
    grades: Floats,
    single_topic: Ints | None,
    nonrelevant: int | None,
    length: int,
    *,
    samples: int,
    rng: np.random.Generator,
) -> Steps:
    """Return random rankings, sorted by the number of relevant documents, each with one random step of each kind.

    Topics are random unless *single_topic* (1 x grades) is given. There are three blocks of *samples* rankings: the
    original rankings, the rankings after the swap, and the rankings after the replacement.
    """
    document_grade = _sample_documents(len(grades) - 1, single_topic, length, samples, rng)
    counts = np.stack([(document_grade == grade).sum(axis=1) for grade in range(1, len(grades))], axis=1)
    counts = _add_nonrelevant(counts, length if nonrelevant is None else nonrelevant)
    rank = np.argsort(rng.random((samples, length)), axis=1)  # The rank of each document if it is retrieved.
    # A document is retrieved with a probability that is drawn once for each ranking.
    retrieved = (document_grade > 0) & (rng.random(document_grade.shape) < rng.random((samples, 1)))
    retrieved[:, length:] = False
    grade = np.zeros((samples, length), dtype=np.int64)
    ranking, index = np.nonzero(retrieved)
    grade[ranking, rank[ranking, index]] = document_grade[ranking, index]
    swapped, swaps = _sample_swaps(grade, rank, retrieved, rng)
    replaced, replacements = _sample_replacements(grade, document_grade, retrieved, rng)
    judged = _to_judged(grades, counts, np.tile(np.arange(samples), 3), np.concatenate([grade, swapped, replaced]))
    return Steps(judged, {SWAP: swaps, REPLACEMENT: replacements})


def _sample_documents(
    grade_count: int, single_topic: Ints | None, length: int, samples: int, rng: np.random.Generator
) -> Ints:
    """Return the grades of the relevant documents, samples x documents, padded with 0; smallest topics first."""
    if single_topic is not None:
        documents = np.repeat(np.arange(1, grade_count + 1), single_topic[0])
        return rng.permuted(np.tile(documents, (samples, 1)), axis=1)
    max_relevant = max(1, length // 2)
    relevant_count = np.sort(rng.integers(1, max_relevant + 1, samples))
    documents = rng.integers(1, grade_count + 1, (samples, max_relevant))
    return np.where(np.arange(max_relevant) < relevant_count[:, None], documents, 0)


def _sample_swaps(grade: Ints, rank: Ints, retrieved: Bools, rng: np.random.Generator) -> tuple[Ints, Moves]:
    """Swap a relevant document of each ranking with the document at a random rank.

    Return the rankings after the swap, and the steps from the lower ranking to the higher ranking. Swaps of equal
    grades are dropped.
    """
    samples, length = grade.shape
    row = np.arange(samples)
    one = rank[row, np.argmax(retrieved, axis=1)]
    other = rng.integers(0, length, size=len(row))
    swapped = grade.copy()
    swapped[row, one], swapped[row, other] = grade[row, other], grade[row, one]
    first, second = np.minimum(one, other), np.maximum(one, other)
    # The swap improves the ranking if the better document was at the lower rank; otherwise, the reverse swap does.
    improves = grade[row, first] < grade[row, second]
    worsens = grade[row, first] > grade[row, second]
    low, high = np.where(improves, row, row + samples), np.where(improves, row + samples, row)
    keep = improves | worsens
    return swapped, Moves(low[keep], high[keep], first[keep] + 1, second[keep] + 1)


def _sample_replacements(grade: Ints, document: Ints, retrieved: Bools, rng: np.random.Generator) -> tuple[Ints, Moves]:
    """Replace the document at a random rank of each ranking by a random relevant document that was not retrieved.

    Return the rankings after the replacement, and the steps. Steps that do not raise the grade are dropped.
    """
    samples, length = grade.shape
    row = np.arange(samples)
    available = (document > 0) & ~retrieved
    selected = np.argmax(np.where(available, rng.random(document.shape), 0.0), axis=1)
    new = np.where(available[row, selected], document[row, selected], 0)
    rank = rng.integers(0, length, size=len(row))
    replaced = grade.copy()
    replaced[row, rank] = np.maximum(new, grade[row, rank])
    keep = np.asarray(new > grade[row, rank])
    no_rank = np.zeros(np.count_nonzero(keep), dtype=np.int64)
    return replaced, Moves(row[keep], row[keep] + 2 * samples, rank[keep] + 1, no_rank)
