"""What one group of judgments prefers.

A group lists documents in one subgroup or in several. In a subgroup every document of a higher level is preferred to
every document of a lower one. A group of one subgroup is *complete*: its levels say everything. A group of several is
*partial*: it also prefers what follows from its subgroups together (a over b in one, b over c in another: a over c),
and documents that no chain connects are not compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from assay.errors import PolicyError, suggestion
from assay.model.arrays import Bools, Floats, Ints

TIES = ("trec_eval-10", "trec_eval-9")


def check_ties(ties: str) -> None:
    """Refuse a tie policy that is not one of trec_eval."""
    if ties not in TIES:
        raise PolicyError(f"ties {ties!r}: choose one of {', '.join(TIES)}{suggestion(ties, TIES)}")


@dataclass(frozen=True, eq=False)
class Group:
    """The preferences of one group between its *member* documents, which are numbers, ascending.

    Documents are named by their place in *member*; the place after the last stands for any other document, which is
    not compared with anything. *level* has a level for each place, nan for that one: above 0 for relevant documents.
    A partial group has for each place the documents that are worse and better, packed as bits.
    """

    member: Ints
    level: Floats
    worse: NDArray[np.uint8] | None = None
    better: NDArray[np.uint8] | None = None

    @property
    def complete(self) -> bool:
        """Whether levels say everything."""
        return self.worse is None

    def over(self, left: Ints, right: Ints) -> Bools:
        """For each *left* (rows) and each *right* (columns), whether left is preferred to right."""
        if self.worse is None:
            return np.asarray(self.level[left][:, None] > self.level[right])
        return _bits(self.worse, left, right)

    def under(self, left: Ints, right: Ints) -> Bools:
        """For each *left* (rows) and each *right* (columns), whether right is preferred to left."""
        if self.better is None:
            return np.asarray(self.level[left][:, None] < self.level[right])
        return _bits(self.better, left, right)


def complete(document: Ints, level: Floats) -> Group:
    """The group of one subgroup."""
    order = np.argsort(document)
    return Group(document[order], np.append(level[order], np.nan))


def partial(document: Ints, level: Floats, subgroup: Ints) -> Group:
    """The group of several subgroups; rows go by subgroup and then from the highest level to the lowest.

    The level of a document is that of the last subgroup that has it.

    Raises
    ------
    graphlib.CycleError
        When a document is preferred to itself, by way of others; :func:`in_cycle` finds them.
    """
    member, place = np.unique(document, return_inverse=True)
    last = np.full(len(member) + 1, np.nan)
    last[place] = level
    same = (subgroup[1:] == subgroup[:-1]) & (level[1:] == level[:-1])
    classes = np.split(place, np.flatnonzero(~same) + 1)
    first = np.cumsum([0, *map(len, classes)])[:-1]
    follows = np.append(np.diff(subgroup[first]) == 0, False)
    worse = _reached([found.tolist() for found in classes], follows.tolist(), len(member))
    return Group(member, last, worse, _packed(_unpacked(worse).T))


def in_cycle(cycle: Sequence[int], group: Ints) -> tuple[int, int]:
    """Two documents of a cycle that ``partial`` found among the documents of a *group*."""
    member = np.unique(group)
    first, second, *_ = sorted({node for node in cycle if node < len(member)})
    return int(member[first]), int(member[second])


def _reached(classes: list[list[int]], follows: list[bool], size: int) -> NDArray[np.uint8]:
    """For each of *size* documents the documents below it, packed, from classes of which some *follow* on each other.

    Between two classes stands a node for what is below the first, so that there are about as many edges as lines.
    Documents are taken from the bottom to the top, and whole sets of them are joined at a time.
    """
    below: dict[int, list[int]] = {document: [] for document in range(size)}
    for number, follow in enumerate(follows):
        if follow:
            below[size + number] = classes[number + 1]
            for document in classes[number]:
                below[document].append(size + number)
    reached: dict[int, int] = {}
    for node in TopologicalSorter(below).static_order():
        found = 0
        for other in below[node]:
            found |= reached[other] | (1 << other if other < size else 0)
        reached[node] = found
    width = size // 8 + 1
    packed = b"".join(reached[document].to_bytes(width, "little") for document in range(size)) + bytes(width)
    return np.frombuffer(packed, dtype=np.uint8).reshape(size + 1, width)


def _bits(packed: NDArray[np.uint8], rows: Ints, columns: Ints) -> Bools:
    return _unpacked(packed[rows])[:, columns]


def _unpacked(packed: NDArray[np.uint8]) -> Bools:
    return np.unpackbits(packed, axis=1, bitorder="little").view(np.bool_)


def _packed(matrix: Bools) -> NDArray[np.uint8]:
    return np.packbits(matrix, axis=1, bitorder="little")
