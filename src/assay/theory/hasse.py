"""Hasse diagram of the order on the runs of one topic.

Equal runs share a node. A node covers another node if it is above that node and no third node is between the two. The
diagram has an edge for each such pair, and the entire order follows from these edges. The level of a node is the number
of nodes in the longest chain above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.model.arrays import Bools, Ints
from assay.theory._order import OrderReport
from assay.theory.ranking_order import EQUAL, GREATER, INCOMPARABLE, LESS


@dataclass(frozen=True, eq=False)
class Diagram:
    """Hasse diagram of runs.

    Attributes
    ----------
    runs
        The indices of the runs.
    node
        The node of each run in *runs*; runs with equal judged rankings share a node. Nodes are numbered in the order of
        their first runs in *runs*.
    above
        Nodes x nodes: True if the node of the row is above the node of the column.
    edges
        Edges x 2: the covering node and the covered node.
    level
        The number of nodes in the longest chain above each node.
    comparable
        The fraction of pairs of runs that are not incomparable.
    """

    runs: Ints
    node: Ints
    above: Bools
    edges: Ints
    level: Ints
    comparable: float


def build_diagram(report: OrderReport, topic: int, runs: Sequence[int]) -> Diagram:
    """Return the Hasse diagram of *runs* on a topic; runs and topic are given by index.

    A run is omitted if it has no documents for the topic and the policy ``missing`` is ``exclude``.

    Examples
    --------
    >>> import assay
    >>> scores = {"best": {"a": 2.0, "b": 1.0}, "good": {"b": 2.0, "a": 1.0}, "bad": {"b": 2.0, "c": 1.0}}
    >>> runs = {name: {"q": ranking} for name, ranking in scores.items()}
    >>> diagram = build_diagram(assay.theory.order(assay.read({"q": {"a": 1}}, runs), "AP"), 0, [2, 1, 0])
    >>> diagram.edges.tolist(), diagram.level.tolist()
    ([[1, 0], [2, 1]], [2, 1, 0])
    """
    outcome = _build_outcome_matrix(report, topic)
    selected = np.array([run for run in runs if outcome[run, run] == EQUAL], dtype=np.int64)
    outcome = outcome[np.ix_(selected, selected)]
    # Each node is represented by its first run.
    first = (outcome == EQUAL).argmax(axis=1) if len(selected) else np.zeros(0, dtype=np.int64)
    representatives, node = np.unique(first, return_inverse=True)
    above = outcome[np.ix_(representatives, representatives)] == GREATER
    ordered_pairs = len(selected) * (len(selected) - 1)
    return Diagram(
        runs=selected,
        node=node.astype(np.int64),
        above=above,
        edges=np.argwhere(find_covers(above)),
        level=compute_levels(above),
        comparable=1 - int((outcome == INCOMPARABLE).sum()) / max(ordered_pairs, 1),
    )


def _build_outcome_matrix(report: OrderReport, topic: int) -> Ints:
    """Return the outcomes, runs x runs; -1 in the rows and columns of runs that are excluded on the topic."""
    run_count = len(report.results.runs)
    matrix = np.full((run_count, run_count), -1, dtype=np.int64)
    first, second = report.pairs.T
    outcome = report.outcomes[:, topic]
    matrix[first, second] = outcome
    # From the point of view of the second run, LESS and GREATER are exchanged. Index -1 selects the last entry, -1.
    matrix[second, first] = np.array([GREATER, LESS, EQUAL, INCOMPARABLE, -1])[outcome]
    answered = report.campaign.judged.answered.reshape(report.campaign.shape)[:, topic]
    included = (matrix >= 0).any(axis=1) | answered
    matrix[np.diag_indices(run_count)] = np.where(included, EQUAL, -1)
    return matrix


def find_covers(above: Bools) -> Bools:
    """Return the transitive reduction of a strict order: True for pairs without a node between them."""
    # The matrix product counts the nodes between two nodes. With floats it is fast, and exact for such small counts.
    relation = above.astype(np.float64)
    return np.asarray(above & (relation @ relation == 0))


def compute_levels(above: Bools) -> Ints:
    """Return the number of nodes in the longest chain above each node of a strict order."""
    level = np.zeros(len(above), dtype=np.int64)
    # Sorted by the number of nodes above it, every node comes after all nodes above it.
    for node in np.argsort(above.sum(axis=0), kind="stable"):
        level[node] = (level[above[:, node]] + 1).max(initial=0)
    return level


def comparable_fractions(report: OrderReport, runs: Sequence[int]) -> tuple[np.ndarray, Ints]:
    """Return the fraction of comparable pairs among *runs* and the number of strictly ordered pairs, for each topic."""
    is_selected = np.isin(report.pairs, list(runs)).all(axis=1)
    outcomes = report.outcomes[is_selected]
    total = np.maximum((outcomes >= 0).sum(axis=0), 1)
    ordered = ((outcomes == LESS) | (outcomes == GREATER)).sum(axis=0)
    return (ordered + (outcomes == EQUAL).sum(axis=0)) / total, ordered
