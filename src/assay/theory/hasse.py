"""The order on the runs of one topic as a diagram: equal runs together, and only the steps that no others make up.

A run covers another if it is above it and no third run is between them; all that the order says follows from these
steps. The level of a run is how many runs a chain from the very top down to it has before it, at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Bools, Ints
from assay.theory._order import EQUAL, GREATER, INCOMPARABLE, LESS, OrderReport


@dataclass(frozen=True, eq=False)
class Diagram:
    """The order of some runs.

    Attributes
    ----------
    runs
        The numbers of the runs.
    node
        For each of them the number of its node: runs whose judged rankings are equal share one. Nodes are numbered in
        the order in which their first runs stand in *runs*.
    above
        Nodes x nodes: whether the one of the row is above that of the column.
    edges
        Edges x 2: the nodes that cover another, and those that they cover.
    level
        For each node how many nodes the longest chain above it has.
    comparable
        The share of pairs of runs that are not incomparable.
    """

    runs: Ints
    node: Ints
    above: Bools
    edges: Ints
    level: Ints
    comparable: float


def diagram(report: OrderReport, topic: int, runs: Sequence[int]) -> Diagram:
    """The order of *runs* on one topic, both by their numbers; runs that do not count for the topic are left out.

    Examples
    --------
    >>> import assay
    >>> scores = {"best": {"a": 2.0, "b": 1.0}, "good": {"b": 2.0, "a": 1.0}, "bad": {"b": 2.0, "c": 1.0}}
    >>> runs = {name: {"q": ranking} for name, ranking in scores.items()}
    >>> found = diagram(assay.theory.order(assay.read({"q": {"a": 1}}, runs), "AP"), 0, [2, 1, 0])
    >>> found.edges.tolist(), found.level.tolist()
    ([[1, 0], [2, 1]], [2, 1, 0])
    """
    outcome = _table(report, topic)
    chosen = np.array([run for run in runs if outcome[run, run] == EQUAL], dtype=np.int64)
    outcome = outcome[np.ix_(chosen, chosen)]
    first = (outcome == EQUAL).argmax(axis=1) if len(chosen) else np.zeros(0, dtype=np.int64)
    heads, node = np.unique(first, return_inverse=True)
    above = outcome[np.ix_(heads, heads)] == GREATER
    others = len(chosen) * (len(chosen) - 1)
    return Diagram(
        runs=chosen,
        node=node.astype(np.int64),
        above=above,
        edges=np.argwhere(covers(above)),
        level=levels(above),
        comparable=1 - int((outcome == INCOMPARABLE).sum()) / max(others, 1),
    )


def _table(report: OrderReport, topic: int) -> Ints:
    """Runs x runs: the outcome; -1 in the rows and columns of runs that do not count for the topic."""
    many = len(report.results.runs)
    found = np.full((many, many), -1, dtype=np.int64)
    first, second = report.pairs.T
    outcome = report.outcomes[:, topic]
    found[first, second] = outcome
    found[second, first] = np.array([GREATER, LESS, EQUAL, INCOMPARABLE, -1])[outcome]
    counts = (found >= 0).any(axis=1) | _answered(report, topic)
    found[np.diag_indices(many)] = np.where(counts, EQUAL, -1)
    return found


def _answered(report: OrderReport, topic: int) -> Bools:
    return report.campaign.judged.answered.reshape(report.campaign.shape)[:, topic]


def covers(above: Bools) -> Bools:
    """The transitive reduction of a strict order: which steps have nothing between them."""
    way = above.astype(np.float64)  # products of floats are fast, and exact for so small counts
    return np.asarray(above & (way @ way == 0))


def levels(above: Bools) -> Ints:
    """For each row of a strict order the length of the longest chain above it."""
    found = np.zeros(len(above), dtype=np.int64)
    # Whatever is above one row has fewer rows above it: in this order a row comes after all that are above it.
    for row in np.argsort(above.sum(axis=0), kind="stable"):
        found[row] = (found[above[:, row]] + 1).max(initial=0)
    return found


def shares(report: OrderReport, runs: Sequence[int]) -> tuple[np.ndarray, Ints]:
    """For each topic the share of comparable pairs among *runs*, and how many of these pairs are not equal."""
    inside = np.isin(report.pairs, list(runs)).all(axis=1)
    outcomes = report.outcomes[inside]
    counted = np.maximum((outcomes >= 0).sum(axis=0), 1)
    ordered = ((outcomes == LESS) | (outcomes == GREATER)).sum(axis=0)
    return (ordered + (outcomes == EQUAL).sum(axis=0)) / counted, ordered
