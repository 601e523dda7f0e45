"""Places for a diagram in layers: which node stands beside which, and how far apart, so that few lines cross.

After Sugiyama, Tagawa and Toda (1981): lines over several layers get a place in each, layers are ordered by the means
of the places of their neighbours, down and up, and the best order seen is kept; then places move towards neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints

SWEEPS = 16
BEND = 0.4
"""The room that a line which only passes through takes in a layer; a node takes 1."""


class LayeredLayout(NamedTuple):
    """Positions: *x* of each node; the points of each line, as x and layer, from the top down; all the room."""

    x: Floats
    lines: list[list[tuple[float, int]]]
    width: float


class _Graph(NamedTuple):
    """Nodes and bends with the layer of each, the room that it takes, and lines between neighbouring layers."""

    layer: Ints
    room: Floats
    upper: Ints
    lower: Ints
    paths: list[list[int]]


def layered(level: Ints, edges: Ints) -> LayeredLayout:
    """Lay out nodes in the layers *level*, from 0; *edges* lead from a layer to one further down."""
    graph = _with_bends(level, edges)
    order = _ordered(graph)
    x, width = _placed(graph, order)
    lines = [[(float(x[at]), int(graph.layer[at])) for at in path] for path in graph.paths]
    return LayeredLayout(x[: len(level)], lines, width)


def _with_bends(level: Ints, edges: Ints) -> _Graph:
    layers, paths = level.tolist(), []
    for top, bottom in edges.tolist():
        between = range(level[top] + 1, level[bottom])
        bends = list(range(len(layers), len(layers) + len(between)))
        layers += between
        paths.append([top, *bends, bottom])
    steps = [step for path in paths for step in pairwise(path)]
    upper, lower = np.array(steps, dtype=np.int64).reshape(-1, 2).T
    room = np.where(np.arange(len(layers)) < len(level), 1.0, BEND)
    return _Graph(np.array(layers, dtype=np.int64), room, upper, lower, paths)


def _ordered(graph: _Graph) -> list[Ints]:
    """The nodes and bends of each layer from left to right."""
    count = int(graph.layer.max(initial=-1)) + 1
    order = [np.flatnonzero(graph.layer == at) for at in range(count)]
    best, fewest = order, crossings(graph.upper, graph.lower, graph.layer, order)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        order = _swept(graph, order, down=sweep % 2 == 0)
        crossed = crossings(graph.upper, graph.lower, graph.layer, order)
        if crossed < fewest:
            best, fewest = order, crossed
    return best


def _swept(graph: _Graph, order: list[Ints], *, down: bool) -> list[Ints]:
    """Layer by layer ordered by the mean place of neighbours in the layer before."""
    order = list(order)
    place = _place(order, len(graph.layer))
    ends, neighbours = (graph.lower, graph.upper) if down else (graph.upper, graph.lower)
    for at in range(1, len(order)) if down else range(len(order) - 2, -1, -1):
        mean = _means(ends, place[neighbours], place)
        order[at] = order[at][np.argsort(mean[order[at]], kind="stable")]
        place[order[at]] = (np.arange(len(order[at])) + 0.5) / len(order[at])
    return order


def _place(order: Sequence[Ints], many: int) -> Floats:
    place = np.zeros(many)
    for nodes in order:
        place[nodes] = (np.arange(len(nodes)) + 0.5) / max(len(nodes), 1)
    return place


def _means(ends: Ints, values: Floats, otherwise: Floats) -> Floats:
    """The mean of the values at each end; *otherwise* where none ends."""
    many = np.bincount(ends, minlength=len(otherwise))
    total = np.bincount(ends, weights=values, minlength=len(otherwise))
    return np.where(many > 0, total / np.maximum(many, 1), otherwise)


def crossings(upper: Ints, lower: Ints, layer: Ints, order: Sequence[Ints]) -> int:
    """Count the pairs of lines that cross."""
    place = _place(order, len(layer))
    found = 0
    for at in range(len(order) - 1):
        inside = layer[upper] == at
        top, bottom = place[upper[inside]], place[lower[inside]]
        found += int(((top[:, None] < top) & (bottom[:, None] > bottom)).sum())
    return found


def _placed(graph: _Graph, order: list[Ints]) -> tuple[Floats, float]:
    """Place everything from left to right: near its neighbours, and as far apart as it must be."""
    width = max((float(graph.room[nodes].sum()) for nodes in order), default=0.0)
    x = np.zeros(len(graph.layer))
    for nodes in order:
        room = graph.room[nodes]
        x[nodes] = np.cumsum(room) - room / 2 + (width - room.sum()) / 2
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        ends, neighbours = (graph.lower, graph.upper) if down else (graph.upper, graph.lower)
        for at in range(1, len(order)) if down else range(len(order) - 2, -1, -1):
            wanted = _means(ends, x[neighbours], x)[order[at]]
            x[order[at]] = spaced(wanted, graph.room[order[at]], width)
    return x, width


def spaced(wanted: Floats, room: Floats, width: float) -> Floats:
    """Places near those *wanted*, in the order given, each with its room, between 0 and *width*.

    >>> spaced(np.array([1.0, 1.0, 3.5]), np.ones(3), 4.0).tolist()
    [0.5, 1.5, 3.5]
    """
    offset = np.cumsum(room) - room / 2
    blocks: list[tuple[float, int]] = []  # mean and how many: neighbours that push each other move together
    for value in (wanted - offset).tolist():
        mean, many = value, 1
        while blocks and blocks[-1][0] >= mean:
            before, others = blocks.pop()
            mean, many = (before * others + mean * many) / (others + many), others + many
        blocks.append((mean, many))
    free = np.repeat([mean for mean, _ in blocks], [many for _, many in blocks]) if blocks else np.zeros(0)
    return np.asarray(np.clip(free, 0.0, max(width - float(room.sum()), 0.0)) + offset)
