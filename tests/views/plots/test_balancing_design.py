"""Tests of the figure of the design of the simulated runs."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.views.plots._export import specification
from assay.views.plots.balancing_design import data, draw
from chart_parts import mark_rows, marks


def test_the_design_of_the_paper() -> None:
    """Figure 2: 20, 70 and 10 % for one run, and 20, 30 and 70 % for the other, with ends at rnk, 20 and 1000."""
    assert data().frame.rows() == [
        ("first run", 1, 1, 8, 20.0),
        ("first run", 2, 9, 20, 70.0),
        ("first run", 3, 21, 1000, 10.0),
        ("second run", 1, 1, 8, 20.0),
        ("second run", 2, 9, 20, 30.0),
        ("second run", 3, 21, 1000, 70.0),
    ]
    assert data().provenance.settings["top"] == 20


@pytest.mark.parametrize(("rank", "parts"), [(0, [2, 3]), (1, [1, 2, 3]), (5, [1, 3])])
def test_parts_without_ranks_are_omitted(rank: int, parts: list[int]) -> None:
    frame = data(rank=rank, top=5, n=9).frame
    assert frame["part"].to_list() == parts * 2
    [axis] = [
        layer["encoding"]["x"]["axis"]
        for layer in specification(draw(frame))["layer"]
        if layer["mark"]["type"] == "rect"
    ]
    assert axis["values"] == list(range(len(parts) + 1))


def test_a_box_and_its_percentage_for_each_part() -> None:
    chart = draw(data(first=(60.5, 20), second=(20, 60), same=0).frame)
    assert marks(chart) == ["rect", "text"]
    assert [row["percent"] for row in mark_rows(chart, "rect")] == [0, 60.5, 20, 0, 20, 60]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank": 21}, "rank must be from 0 to top=20, got 21"),
        ({"rank": -1}, "rank must be from 0 to top=20, got -1"),
        ({"n": 20}, "n must be from 21 to"),
        ({"first": (70,)}, "first must be two percentages"),
        ({"same": 101}, "same must be a percentage"),
    ],
)
def test_invalid_designs_raise(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        data(**options)
