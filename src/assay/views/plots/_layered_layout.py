"""Layout of a layered diagram with few crossing lines, after Sugiyama, Tagawa and Toda (1981).

A line that spans several layers gets a bend in each layer between its ends. Sweeps down and up alternate. A sweep sorts
the nodes and bends of each layer by the mean position of their neighbours in the previous layer. The order with the
fewest crossings is used. Finally, nodes and bends move towards their neighbours without overlapping.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints

SWEEPS = 16
BEND_WIDTH = 0.4
"""Width that a line passing through a layer takes there; a node has width 1."""


class LayeredLayout(NamedTuple):
    """Positions: *x* of each node; *lines* as points (x, layer) from the top down; the total *width*."""

    x: Floats
    lines: list[list[tuple[float, int]]]
    width: float


class _Graph(NamedTuple):
    """Nodes and bends with their layers and widths; edges between adjacent layers; the path of each line."""

    layer: Ints
    width: Floats
    upper: Ints
    lower: Ints
    paths: list[list[int]]


def layout_layers(layer: Ints, edges: Ints) -> LayeredLayout:
    """Lay out nodes; *layer* is the layer of each node, counted from 0 at the top, and *edges* lead downwards."""
    graph = _add_bends(layer, edges)
    order = _order_layers(graph)
    x, width = _assign_positions(graph, order)
    lines = [[(float(x[node]), int(graph.layer[node])) for node in path] for path in graph.paths]
    return LayeredLayout(x[: len(layer)], lines, width)


def _add_bends(layer: Ints, edges: Ints) -> _Graph:
    layers, paths = layer.tolist(), []
    for top, bottom in edges.tolist():
        bend_layers = range(layer[top] + 1, layer[bottom])
        bends = list(range(len(layers), len(layers) + len(bend_layers)))
        layers += bend_layers
        paths.append([top, *bends, bottom])
    steps = [step for path in paths for step in pairwise(path)]
    upper, lower = np.array(steps, dtype=np.int64).reshape(-1, 2).T
    width = np.where(np.arange(len(layers)) < len(layer), 1.0, BEND_WIDTH)
    return _Graph(np.array(layers, dtype=np.int64), width, upper, lower, paths)


def _order_layers(graph: _Graph) -> list[Ints]:
    """Return the nodes and bends of each layer from left to right."""
    count = int(graph.layer.max(initial=-1)) + 1
    order = [np.flatnonzero(graph.layer == layer) for layer in range(count)]
    best, fewest = order, count_crossings(graph.upper, graph.lower, graph.layer, order)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        order = _sweep(graph, order, down=sweep % 2 == 0)
        crossings = count_crossings(graph.upper, graph.lower, graph.layer, order)
        if crossings < fewest:
            best, fewest = order, crossings
    return best


def _sweep(graph: _Graph, order: list[Ints], *, down: bool) -> list[Ints]:
    """Sort the nodes of each layer by the mean position of their neighbours in the previous layer of the sweep."""
    order = list(order)
    position = _relative_positions(order, len(graph.layer))
    ends, neighbours = (graph.lower, graph.upper) if down else (graph.upper, graph.lower)
    for layer in range(1, len(order)) if down else range(len(order) - 2, -1, -1):
        mean = _neighbour_means(ends, position[neighbours], position)
        order[layer] = order[layer][np.argsort(mean[order[layer]], kind="stable")]
        position[order[layer]] = (np.arange(len(order[layer])) + 0.5) / len(order[layer])
    return order


def _relative_positions(order: Sequence[Ints], count: int) -> Floats:
    """Return the position of each of *count* nodes in its layer, between 0 and 1."""
    position = np.zeros(count)
    for nodes in order:
        position[nodes] = (np.arange(len(nodes)) + 0.5) / max(len(nodes), 1)
    return position


def _neighbour_means(ends: Ints, values: Floats, default: Floats) -> Floats:
    """Return for each node the mean value of the edges that end at it, or *default* if there are no such edges."""
    count = np.bincount(ends, minlength=len(default))
    total = np.bincount(ends, weights=values, minlength=len(default))
    return np.where(count > 0, total / np.maximum(count, 1), default)


def count_crossings(upper: Ints, lower: Ints, layer: Ints, order: Sequence[Ints]) -> int:
    """Count the pairs of edges that cross."""
    position = _relative_positions(order, len(layer))
    crossings = 0
    for upper_layer in range(len(order) - 1):
        mask = layer[upper] == upper_layer
        top, bottom = position[upper[mask]], position[lower[mask]]
        crossings += int(((top[:, None] < top) & (bottom[:, None] > bottom)).sum())
    return crossings


def _assign_positions(graph: _Graph, order: list[Ints]) -> tuple[Floats, float]:
    """Return x of all nodes and bends, near their neighbours but not overlapping, and the total width."""
    total_width = max((float(graph.width[nodes].sum()) for nodes in order), default=0.0)
    x = np.zeros(len(graph.layer))
    for nodes in order:
        width = graph.width[nodes]
        x[nodes] = np.cumsum(width) - width / 2 + (total_width - width.sum()) / 2
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        ends, neighbours = (graph.lower, graph.upper) if down else (graph.upper, graph.lower)
        for layer in range(1, len(order)) if down else range(len(order) - 2, -1, -1):
            target = _neighbour_means(ends, x[neighbours], x)[order[layer]]
            x[order[layer]] = space_nodes(target, graph.width[order[layer]], total_width)
    return x, total_width


def space_nodes(target: Floats, width: Floats, total_width: float) -> Floats:
    """Return positions near *target*, in the same order, for nodes of these widths, between 0 and *total_width*.

    >>> space_nodes(np.array([1.0, 1.0, 3.5]), np.ones(3), 4.0).tolist()
    [0.5, 1.5, 3.5]
    """
    # Subtracting the offset of each node turns "no overlap" into "non-decreasing": the least-squares solution is an
    # isotonic regression. Blocks (mean, number of nodes) that violate the order are pooled and move together.
    offset = np.cumsum(width) - width / 2
    blocks: list[tuple[float, int]] = []
    for value in (target - offset).tolist():
        mean, size = value, 1
        while blocks and blocks[-1][0] >= mean:
            previous_mean, previous_size = blocks.pop()
            mean = (previous_mean * previous_size + mean * size) / (previous_size + size)
            size += previous_size
        blocks.append((mean, size))
    fitted = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks]) if blocks else np.zeros(0)
    return np.asarray(np.clip(fitted, 0.0, max(total_width - float(width.sum()), 0.0)) + offset)
