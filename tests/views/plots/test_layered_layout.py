"""Tests of the layout of layered diagrams."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.views.plots._layered_layout import BEND_WIDTH, count_crossings, layout_layers, space_nodes

NO_EDGES = np.zeros((0, 2), dtype=np.int64)


def build_edges(levels: list[int], selected: list[bool]) -> np.ndarray:
    """Return the selected edges among all pairs of nodes from a higher to a lower layer."""
    pairs = [(i, j) for i, j in combinations(range(len(levels)), 2) if levels[i] < levels[j]]
    return np.array([pair for pair, is_selected in zip(pairs, selected, strict=False) if is_selected]).reshape(-1, 2)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=9).map(sorted), st.lists(st.booleans(), min_size=36, max_size=36)
)
def test_nodes_do_not_overlap_and_lines_go_down(levels: list[int], selected: list[bool]) -> None:
    level, edges = np.array(levels), build_edges(levels, selected)
    layout = layout_layers(level, edges)
    for layer in set(levels):
        positions = sorted(layout.x[level == layer].tolist())
        assert all(b - a >= 1 - 1e-9 for a, b in pairwise(positions))
        assert positions[0] >= 0.5 - 1e-9
        assert positions[-1] <= layout.width - 0.5 + 1e-9
    for (top, bottom), line in zip(edges.tolist(), layout.lines, strict=True):
        assert line[0] == (layout.x[top], levels[top])
        assert line[-1] == (layout.x[bottom], levels[bottom])
        assert [line_level for _, line_level in line] == list(range(levels[top], levels[bottom] + 1)), (
            "a point in each layer"
        )


def test_crossings_are_counted_and_removed() -> None:
    layer = np.array([0, 0, 1, 1])
    upper, lower = np.array([0, 1]), np.array([3, 2])
    assert count_crossings(upper, lower, layer, [np.array([0, 1]), np.array([2, 3])]) == 1
    assert count_crossings(upper, lower, layer, [np.array([0, 1]), np.array([3, 2])]) == 0
    assert count_crossings(upper, np.array([2, 2]), layer, [np.array([0, 1]), np.array([2, 3])]) == 0, (
        "edges with a common end do not cross"
    )
    layout = layout_layers(layer, np.array([[0, 3], [1, 2]]))
    assert (layout.x[0] - layout.x[1]) * (layout.x[3] - layout.x[2]) > 0


def test_chain_is_straight() -> None:
    layout = layout_layers(np.array([0, 1, 2]), np.array([[0, 1], [1, 2]]))
    assert layout.x.tolist() == [0.5, 0.5, 0.5]
    assert layout.width == 1


def test_line_across_a_layer_avoids_its_node() -> None:
    layout = layout_layers(np.array([0, 1, 2]), np.array([[0, 1], [1, 2], [0, 2]]))
    bend = layout.lines[2][1][0]
    assert abs(bend - layout.x[1]) >= (1 + BEND_WIDTH) / 2 - 1e-9


def test_graphs_without_edges_or_nodes() -> None:
    assert layout_layers(np.zeros(3, dtype=np.int64), NO_EDGES).x.tolist() == [0.5, 1.5, 2.5]
    assert layout_layers(np.zeros(0, dtype=np.int64), NO_EDGES).width == 0


@given(st.lists(st.floats(-5, 15), min_size=1, max_size=7))
def test_spaced_nodes_do_not_overlap(positions: list[float]) -> None:
    widths = np.ones(len(positions))
    spaced = space_nodes(np.array(positions), widths, 10.0)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(spaced.tolist()))
    assert spaced.min() >= 0.5 - 1e-9
    assert spaced.max() <= 9.5 + 1e-9
    spaced_again = space_nodes(spaced, widths, 10.0)
    assert spaced_again == pytest.approx(spaced), "spaced nodes do not move"
