"""Single steps up between judged rankings of one length: all of them for small topics, random ones for larger ones.

A ranking is a number whose digits are the places of its grades in the scale, the first rank counting most. A step then
adds to the number, and where it leads is found by that number: all steps of all rankings of all topics at once.
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
_BITS = 62  # what fits into a number of a ranking


class Moves(NamedTuple):
    """Steps of one kind: the rankings before and after, and the ranks that change (the second 0 if there is none)."""

    before: Ints
    after: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Steps:
    """Rankings of one length, and the steps between them, by axiom; the smaller comes first.

    Topics are ordered by their relevant documents, then by those of the highest grade; rankings by topic, then by their
    grades from the first rank on; steps by the ranking before, then by rank.
    """

    judged: Judged
    moves: dict[str, Moves]


def topics(degrees: int, most: int) -> Ints:
    """Every topic with 1 to *most* relevant documents: how many it has of each grade above 0, fewest and lowest first.

    >>> topics(2, 2).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    every = [counts for counts in product(range(most + 1), repeat=degrees) if 1 <= sum(counts) <= most]
    return np.array(sorted(every, key=lambda counts: (sum(counts), counts[::-1])), dtype=np.int64)


def rankings(relevant: Ints, length: int) -> int:
    """How many judged rankings of *length* documents the topics allow; any number of documents may be not relevant.

    >>> rankings(np.array([[1, 0], [1, 1]]), 2)
    10
    """
    return sum(
        math.comb(length, found) * ways
        for counts in relevant.tolist()
        for found, ways in enumerate(_words(counts))
        if found <= length
    )


def _words(counts: list[int]) -> list[int]:
    """How many orders of 0, 1, 2, … relevant documents there are that differ in their grades."""
    ways = [1]
    for count in counts:
        ways = [
            sum(
                math.comb(size, more) * ways[size - more]
                for more in range(min(count, size) + 1)
                if size - more < len(ways)
            )
            for size in range(len(ways) + count)
        ]
    return ways


def fits(relevant: Ints, length: int, limit: int) -> bool:
    """Whether all rankings can be gone through, and be told apart by their numbers."""
    bits = length * math.log2(relevant.shape[1] + 1) + math.log2(len(relevant))
    return bits < _BITS and rankings(relevant, length) <= limit


def every(grades: Floats, relevant: Ints, others: int | None, length: int) -> Steps:
    """All rankings of *length* documents of all topics, and all steps between them."""
    counts = _with_others(relevant, length if others is None else others)
    topic, place, left = _runs(counts, length)
    base = len(grades)
    weight = np.int64(base) ** np.arange(length - 1, -1, -1)
    number = topic * np.int64(base) ** length + place @ weight
    judged = _judged(grades, counts, topic, place)
    return Steps(judged, {SWAP: _swaps(place, number, weight), REPLACEMENT: _replacements(place, number, weight, left)})


def _with_others(relevant: Ints, others: int) -> Ints:
    return np.hstack([np.full((len(relevant), 1), others), relevant])


def _runs(counts: Ints, length: int) -> tuple[Ints, Ints, Ints]:
    """The topic, the grades (as places in the scale) and what is left of the topic, of every ranking, in order."""
    topic = np.arange(len(counts))
    place = np.zeros((len(counts), 0), dtype=np.int64)
    left = counts
    degrees = counts.shape[1]
    for _ in range(length):
        again = np.repeat(np.arange(len(topic)), degrees)
        last = np.tile(np.arange(degrees), len(topic))
        possible = left[again, last] > 0
        again, last = again[possible], last[possible]
        topic, left = topic[again], left[again]
        left[np.arange(len(left)), last] -= 1
        place = np.hstack([place[again], last[:, None]])
    return topic, place, left


def _judged(grades: Floats, counts: Ints, topic: Ints, place: Ints) -> Judged:
    return Judged(
        levels=grades,
        counts=counts,
        topic=topic,
        start=np.arange(len(place) + 1) * place.shape[1],
        code=(place + 1).ravel(),
        answered=np.ones(len(place), dtype=bool),
    )


def _swaps(place: Ints, number: Ints, weight: Ints) -> Moves:
    found = []
    for first, second in combinations(range(len(weight)), 2):
        before = np.flatnonzero(place[:, first] < place[:, second])
        more = (place[before, second] - place[before, first]) * (weight[first] - weight[second])
        found.append((before, number[before] + more, first + 1, second + 1))
    return _moves(found, number)


def _replacements(place: Ints, number: Ints, weight: Ints, left: Ints) -> Moves:
    found = []
    for rank, grade in product(range(len(weight)), range(1, left.shape[1])):
        before = np.flatnonzero((place[:, rank] < grade) & (left[:, grade] > 0))
        found.append((before, number[before] + (grade - place[before, rank]) * weight[rank], rank + 1, 0))
    return _moves(found, number)


def _moves(found: list[tuple[Ints, Ints, int, int]], number: Ints) -> Moves:
    """Steps put together, by the ranking before; their ranks are in order already."""
    nothing = (np.zeros(0, dtype=np.int64),)
    before = np.concatenate([*nothing, *(one[0] for one in found)])
    after = np.searchsorted(number, np.concatenate([*nothing, *(one[1] for one in found)]))
    size = [len(one[0]) for one in found]
    first = np.repeat(np.array([one[2] for one in found], dtype=np.int64), size)
    second = np.repeat(np.array([one[3] for one in found], dtype=np.int64), size)
    order = np.argsort(before, kind="stable")
    return Moves(before[order], after[order], first[order], second[order])


# Random steps ----------------------------------------------------------------------------------------------------


def drawn(
    grades: Floats, relevant: Ints | None, others: int | None, length: int, *, samples: int, rng: np.random.Generator
) -> Steps:
    """Random topics (or the one given) with a random ranking and a random step of each kind; fewest relevant first."""
    document = _documents(len(grades) - 1, relevant, length, samples, rng)
    counts = _with_others(_counted(document, len(grades) - 1), length if others is None else others)
    rank = np.argsort(rng.random((samples, length)), axis=1)  # where the documents of a topic stand, if they do
    taken = (document > 0) & (rng.random(document.shape) < rng.random((samples, 1)))
    taken[:, length:] = False
    place = np.zeros((samples, length), dtype=np.int64)
    number, nth = np.nonzero(taken)
    place[number, rank[number, nth]] = document[number, nth]
    swapped, swaps = _random_swaps(place, rank, taken, rng)
    replaced, replacements = _random_replacements(place, document, taken, rng)
    all_places = np.concatenate([place, swapped, replaced])
    judged = _judged(grades, counts, np.tile(np.arange(samples), 3), all_places)
    return Steps(judged, {SWAP: swaps, REPLACEMENT: replacements})


def _documents(degrees: int, relevant: Ints | None, length: int, samples: int, rng: np.random.Generator) -> Ints:
    """The grades of the relevant documents of each topic, 0 for none; topics with fewest first."""
    if relevant is not None:
        own = np.repeat(np.arange(1, degrees + 1), relevant[0])
        return rng.permuted(np.tile(own, (samples, 1)), axis=1)
    most = max(1, length // 2)
    many = np.sort(rng.integers(1, most + 1, samples))
    return np.where(np.arange(most) < many[:, None], rng.integers(1, degrees + 1, (samples, most)), 0)


def _counted(document: Ints, degrees: int) -> Ints:
    return np.stack([(document == grade).sum(axis=1) for grade in range(1, degrees + 1)], axis=1)


def _random_swaps(place: Ints, rank: Ints, taken: Bools, rng: np.random.Generator) -> tuple[Ints, Moves]:
    """Each ranking with a relevant document at another rank, and what was there at its own."""
    samples, length = place.shape
    own = np.arange(samples)
    one = rank[own, np.argmax(taken, axis=1)]
    other = rng.integers(0, length, size=len(own))
    changed = place.copy()
    changed[own, one], changed[own, other] = place[own, other], place[own, one]
    first, second = np.minimum(one, other), np.maximum(one, other)
    up = place[own, first] < place[own, second]
    down = place[own, first] > place[own, second]
    low, high = np.where(up, own, own + samples), np.where(up, own + samples, own)
    keep = up | down
    return changed, Moves(low[keep], high[keep], first[keep] + 1, second[keep] + 1)


def _random_replacements(place: Ints, document: Ints, taken: Bools, rng: np.random.Generator) -> tuple[Ints, Moves]:
    """Each ranking with a better document, not yet retrieved, at some rank."""
    samples, length = place.shape
    own = np.arange(samples)
    spare = (document > 0) & ~taken
    chosen = np.argmax(np.where(spare, rng.random(document.shape), 0.0), axis=1)
    grade = np.where(spare[own, chosen], document[own, chosen], 0)
    rank = rng.integers(0, length, size=len(own))
    changed = place.copy()
    changed[own, rank] = np.maximum(grade, place[own, rank])
    keep = np.asarray(grade > place[own, rank])
    none = np.zeros(np.count_nonzero(keep), dtype=np.int64)
    return changed, Moves(own[keep], own[keep] + 2 * samples, rank[keep] + 1, none)
