"""Improving steps between judged rankings: all steps for small topics, random steps for larger ones.

Swaps and replacements lead to a ranking of the same length. An extension appends a relevant document; padding appends a
non-relevant document, and truncation removes it. It is an open question which ranking is better after padding, so there
is a step in each direction.

A ranking is encoded as an integer, its *key*. The digits of the key are the indices of the grades in the scale; rank 1
is the most significant digit. A step adds a constant to the key, so that a binary search in the sorted keys finds the
ranking after the step. The arrays contain all steps of all rankings of all topics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged

SWAP, REPLACEMENT = "swap", "replacement"
AXIOMS = (SWAP, REPLACEMENT)
"""The axioms on rankings of equal length."""
EXTENSION, PADDING, TRUNCATION = "extension", "padding", "truncation"
APPENDING = (EXTENSION, PADDING, TRUNCATION)
"""The axioms on the length of rankings."""
_BITS = 62  # Maximum number of bits of the key of a ranking.


class Moves(NamedTuple):
    """Steps of one kind: the indices of the rankings before and after the step, and the ranks that change.

    *second* is 0 unless the step is a swap; the other steps change only one rank.
    """

    before: Ints
    after: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Steps:
    """Rankings of one length, then shorter rankings, and the steps between them for each axiom, smallest first.

    The shorter rankings have one document less; there are no empty rankings. Topics are sorted by the number of
    relevant documents, then by the number of documents of the highest grades. Rankings of equal length are sorted by
    topic, then by their grades from rank 1 on. Steps are sorted by the ranking before the step, then by rank.
    """

    judged: Judged
    moves: dict[str, Moves]


def check_grades(grades: Sequence[float]) -> Floats:
    """Return the grades of a relevance scale as an array; raise an error unless they begin with 0 and ascend."""
    scale = np.asarray(grades, dtype=np.float64)
    if len(scale) < 2 or scale[0] != 0 or not np.isfinite(scale).all() or (np.diff(scale) <= 0).any():
        values = ", ".join(f"{grade:g}" for grade in scale.tolist())
        raise InputError(f"grades must begin with 0 and ascend, such as 0, 1, 2; got {values}")
    return scale


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
    """Return all rankings of *length* documents and of one document less, and all steps between them.

    Each topic has *nonrelevant* documents of grade 0 (None: enough to fill a ranking).
    """
    counts = _add_nonrelevant(topics, length if nonrelevant is None else nonrelevant)
    shorter = _enumerate_rankings(counts, length - 1)
    topic, grade, remaining = _extend_rankings(*shorter)
    base = len(grades)
    weight = np.int64(base) ** np.arange(length - 1, -1, -1)
    key = topic * np.int64(base) ** length + grade @ weight
    moves = {
        SWAP: _enumerate_swaps(grade, key, weight),
        REPLACEMENT: _enumerate_replacements(grade, key, weight, remaining),
    }
    if length == 1:
        return Steps(_to_judged(grades, counts, topic, [grade]), moves)
    # The keys of the shorter rankings after a document of grade 0, the last digit, is appended.
    padded_key = shorter[0] * np.int64(base) ** length + shorter[1] @ weight[:-1]
    moves |= _enumerate_appends(padded_key, shorter[2], key, length)
    return Steps(_to_judged(grades, counts, np.concatenate([topic, shorter[0]]), [grade, shorter[1]]), moves)


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
    for _ in range(length):
        topic, grade, remaining = _extend_rankings(topic, grade, remaining)
    return topic, grade, remaining


def _extend_rankings(topic: Ints, grade: Ints, remaining: Ints) -> tuple[Ints, Ints, Ints]:
    """Extend every ranking by one document of every grade of which a document remains; see ``_enumerate_rankings``."""
    grade_count = remaining.shape[1]
    prefix = np.repeat(np.arange(len(topic)), grade_count)
    last = np.tile(np.arange(grade_count), len(topic))
    possible = remaining[prefix, last] > 0
    prefix, last = prefix[possible], last[possible]
    topic, remaining = topic[prefix], remaining[prefix]
    remaining[np.arange(len(remaining)), last] -= 1
    return topic, np.hstack([grade[prefix], last[:, None]]), remaining


def _to_judged(grades: Floats, counts: Ints, topic: Ints, blocks: Sequence[Ints]) -> Judged:
    """Return judged rankings from blocks of rankings of equal length, rankings x length."""
    length = np.concatenate([np.full(len(block), block.shape[1]) for block in blocks])
    return Judged(
        levels=grades,
        counts=counts,
        topic=topic,
        start=np.concatenate([[0], np.cumsum(length)]),
        code=np.concatenate([(block + 1).ravel() for block in blocks]),
        answered=np.ones(len(length), dtype=bool),
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


def _enumerate_appends(padded_key: Ints, remaining: Ints, key: Ints, length: int) -> dict[str, Moves]:
    """Return the steps that append a document to the shorter rankings, and those that remove a non-relevant document.

    *padded_key* contains the keys of the shorter rankings after padding, *remaining* their documents that are not in
    the ranking, and *key* the keys of the rankings of *length* documents, which precede the shorter rankings.
    """
    groups = []
    for new in range(1, remaining.shape[1]):
        before = np.flatnonzero(remaining[:, new] > 0)
        groups.append((before, padded_key[before] + new, length, 0))
    extension = _join_moves(groups, key)
    shorter = np.arange(len(padded_key))
    padding = _join_moves([(shorter, padded_key, length, 0)], key)
    padding = padding._replace(before=padding.before + len(key))
    return {
        EXTENSION: extension._replace(before=extension.before + len(key)),
        PADDING: padding,
        TRUNCATION: padding._replace(before=padding.after, after=padding.before),
    }


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

    Topics are random unless *single_topic* (1 x grades) is given. There are blocks of *samples* rankings: the original
    rankings, the rankings after the swap, and the rankings after the replacement. The other blocks are the original
    rankings without their last document, and these rankings after padding and after the extension.
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
    blocks, moves = [grade, swapped, replaced], {SWAP: swaps, REPLACEMENT: replacements}
    if length > 1:
        appended, appends = _sample_appends(grade[:, :-1], document_grade, retrieved, len(blocks), rng)
        blocks, moves = blocks + appended, moves | appends
    return Steps(_to_judged(grades, counts, np.tile(np.arange(samples), len(blocks)), blocks), moves)


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
    new = _sample_new(document, retrieved, rng)
    rank = rng.integers(0, length, size=len(row))
    replaced = grade.copy()
    replaced[row, rank] = np.maximum(new, grade[row, rank])
    keep = np.asarray(new > grade[row, rank])
    no_rank = np.zeros(np.count_nonzero(keep), dtype=np.int64)
    return replaced, Moves(row[keep], row[keep] + 2 * samples, rank[keep] + 1, no_rank)


def _sample_new(document: Ints, retrieved: Bools, rng: np.random.Generator) -> Ints:
    """Return the grade of a random relevant document of each topic that was not retrieved; 0 if there is none."""
    row = np.arange(len(document))
    available = (document > 0) & ~retrieved
    selected = np.argmax(np.where(available, rng.random(document.shape), 0.0), axis=1)
    return np.where(available[row, selected], document[row, selected], 0)


def _sample_appends(
    shorter: Ints, document: Ints, retrieved: Bools, preceding: int, rng: np.random.Generator
) -> tuple[list[Ints], dict[str, Moves]]:
    """Append a non-relevant document and a random relevant document to each ranking.

    Return three blocks of rankings (the shorter rankings, after padding, after the extension), which follow *preceding*
    other blocks, and the steps.
    """
    samples, length = len(shorter), shorter.shape[1] + 1
    new = _sample_new(document, retrieved, rng)
    padded = np.hstack([shorter, np.zeros((samples, 1), dtype=np.int64)])
    extended = np.hstack([shorter, new[:, None]])
    row = np.arange(samples) + preceding * samples
    rank, no_rank = np.full(samples, length), np.zeros(samples, dtype=np.int64)
    keep = new > 0
    moves = {
        EXTENSION: Moves(row[keep], row[keep] + 2 * samples, rank[keep], no_rank[keep]),
        PADDING: Moves(row, row + samples, rank, no_rank),
        TRUNCATION: Moves(row + samples, row, rank, no_rank),
    }
    return [shorter, padded, extended], moves
