"""Possible grades of unjudged documents, and their gains."""

from __future__ import annotations

import numpy as np
import pytest

from assay.measures import Measure, measure
from assay.measures._possible_grades import possible_grades, tabulate_gains
from completion_cases import POOLS
from strategies import examples


@pytest.mark.parametrize(
    ("text", "levels", "grades"),
    [
        ("AP", (0, 1), (0, 1)),
        ("AP", (), (0, 1)),
        ("AP", (0,), (0, 1)),
        ("AP", (-2, -1), (0, 1)),
        ("AP", (1,), (0, 1)),
        ("AP", (3,), (0, 3)),
        ("AP", (0, 0.25), (0, 0.25, 1)),
        ("AP(rel=2)", (0, 1), (0, 1, 2)),
        ("AP(rel=2)", (0, 1, 3), (0, 1, 3)),
        ("AP(rel=0.5)", (), (0, 0.5)),
        ("nDCG", (-1, 0, 1, 2), (0, 1, 2)),
        ("nDCG", (0, 0.5), (0, 0.5)),
        ("nDCG", (), (0, 1)),
        ("nDCG(rel=4)", (0, 1), (0, 1, 4)),
        ("nDCG(gains=binary)", (0, 0.5), (0, 0.5, 1)),
        ("ERR(max_rel=4)", (0, 1), (0, 1, 4)),
        ("ERR(max_rel=1)", (0, 0.5), (0, 0.5, 1)),
        ("RBP(p=0.5)", (0, 0.5), (0, 0.5, 1)),
        ("RBP(p=0.5, rel=3)", (0, 1, 2), (0, 1, 2, 3)),
        ("Compat", (0, 2), (0, 2)),
        ("Twist", (), (0, 1)),
        ("nDCG", (0, 1e6), (0, 1e6)),
    ],
)
def test_possible_grades(text: str, levels: tuple[float, ...], grades: tuple[float, ...]) -> None:
    assert possible_grades(measure(text), np.array(levels, dtype=float)).tolist() == list(grades)


@pytest.mark.parametrize("example", examples())
def test_possible_grades_of_every_measure(example: Measure) -> None:
    """The possible grades include 0, every positive grade of the qrels, and a relevant grade."""
    for pool in POOLS:
        grades = possible_grades(example, np.array(sorted(pool), dtype=float))
        assert grades[0] == 0
        assert (np.diff(grades) > 0).all()
        assert {grade for grade in pool if grade > 0} <= set(grades.tolist())
        assert grades[-1] >= (getattr(example, "rel", None) or 0)
        assert grades[-1] > 0


@pytest.mark.parametrize(
    ("text", "levels", "grades", "by_code", "of_grades"),
    [
        ("AP(rel=2)", (0, 1, 3), (0, 1, 3), [0, 0, 0, 1], [0, 0, 1]),
        ("nDCG(gains=exp)", (-1, 1), (0, 1, 2), [0, 0, 1], [0, 1, 3]),
        ("RBP(p=0.5, gains=unit)", (0, 1), (0, 1, 4), [0, 0, 0.25], [0, 0.25, 1]),
        ("DCG(gains=negative)", (0, 2), (0, 2), [-1, -1, 2], [-1, 2]),
        ("Compat", (-1, 2), (0, 2, 5), [0, 0, 2], [0, 2, 5]),
        ("Twist", (), (0, 1), [0], [0, 1]),
    ],
)
def test_gains_are_tabulated_on_the_scale_of_all_grades(
    text: str, levels, grades, by_code: list[float], of_grades: list[float]
) -> None:
    table, gains = tabulate_gains(measure(text), np.array(levels, dtype=float), np.array(grades, dtype=float))
    assert (table.tolist(), gains.tolist()) == (by_code, of_grades)
