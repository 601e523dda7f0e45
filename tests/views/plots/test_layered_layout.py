"""Places of diagrams in layers."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.views.plots._layered_layout import BEND_WIDTH, count_crossings, layout_layers, space_nodes

NOTHING = np.zeros((0, 2), dtype=np.int64)


def graph(levels: list[int], chosen: list[bool]) -> np.ndarray:
    """Edges from each layer to those further down, as many as are chosen."""
    pairs = [(i, j) for i, j in combinations(range(len(levels)), 2) if levels[i] < levels[j]]
    return np.array([pair for pair, kept in zip(pairs, chosen, strict=False) if kept]).reshape(-1, 2)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=9).map(sorted), st.lists(st.booleans(), min_size=36, max_size=36)
)
def test_nothing_overlaps_and_lines_go_down(levels: list[int], chosen: list[bool]) -> None:
    level, edges = np.array(levels), graph(levels, chosen)
    found = layout_layers(level, edges)
    for layer in set(levels):
        places = sorted(found.x[level == layer].tolist())
        assert all(b - a >= 1 - 1e-9 for a, b in pairwise(places))
        assert places[0] >= 0.5 - 1e-9
        assert places[-1] <= found.width - 0.5 + 1e-9
    for (top, bottom), line in zip(edges.tolist(), found.lines, strict=True):
        assert line[0] == (found.x[top], levels[top])
        assert line[-1] == (found.x[bottom], levels[bottom])
        assert [at for _, at in line] == list(range(levels[top], levels[bottom] + 1)), "a point in each layer"


def test_crossings_are_counted_and_undone() -> None:
    layer = np.array([0, 0, 1, 1])
    upper, lower = np.array([0, 1]), np.array([3, 2])
    assert count_crossings(upper, lower, layer, [np.array([0, 1]), np.array([2, 3])]) == 1
    assert count_crossings(upper, lower, layer, [np.array([0, 1]), np.array([3, 2])]) == 0
    assert count_crossings(upper, np.array([2, 2]), layer, [np.array([0, 1]), np.array([2, 3])]) == 0, "they only meet"
    found = layout_layers(layer, np.array([[0, 3], [1, 2]]))
    assert (found.x[0] - found.x[1]) * (found.x[3] - found.x[2]) > 0


def test_a_ladder_is_straight() -> None:
    found = layout_layers(np.array([0, 1, 2]), np.array([[0, 1], [1, 2]]))
    assert found.x.tolist() == [0.5, 0.5, 0.5]
    assert found.width == 1


def test_a_line_over_a_layer_goes_round_its_node() -> None:
    found = layout_layers(np.array([0, 1, 2]), np.array([[0, 1], [1, 2], [0, 2]]))
    bend = found.lines[2][1][0]
    assert abs(bend - found.x[1]) >= (1 + BEND_WIDTH) / 2 - 1e-9


def test_no_lines_and_no_nodes() -> None:
    assert layout_layers(np.zeros(3, dtype=np.int64), NOTHING).x.tolist() == [0.5, 1.5, 2.5]
    assert layout_layers(np.zeros(0, dtype=np.int64), NOTHING).width == 0


@given(st.lists(st.floats(-5, 15), min_size=1, max_size=7))
def test_spaced(wanted: list[float]) -> None:
    room = np.ones(len(wanted))
    found = space_nodes(np.array(wanted), room, 10.0)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(found.tolist()))
    assert found.min() >= 0.5 - 1e-9
    assert found.max() <= 9.5 + 1e-9
    settled = space_nodes(found, room, 10.0)
    assert settled == pytest.approx(found), "what has its room stays"
