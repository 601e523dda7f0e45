"""Judging depths: values of the paper, exact powers and invalid arguments."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from assay import uncertainty
from assay.errors import InputError
from assay.results.formats import render
from assay.uncertainty._depth import rbp_accuracy, rbp_depth, rbp_persistence
from oracles import residual as oracle
from report_contract import check_report
from strategies import many_examples

VECTORS = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    if vector["inputs"].get("op") in ("rbp_depth", "rbp_depth_approx", "rbp_max_p")
]
OPS: dict[str, Any] = {
    "rbp_depth": rbp_depth,
    "rbp_depth_approx": oracle.rbp_depth_approx,
    "rbp_max_p": lambda accuracy, d: rbp_persistence(d, accuracy),
}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vectors_of_the_paper(vector: dict[str, Any]) -> None:
    inputs = dict(vector["inputs"])
    value = OPS[inputs.pop("op")](**inputs)
    assert value == pytest.approx(vector["expected"], abs=vector["tolerance"])
    assert value == pytest.approx(vector["computed"], rel=1e-12)


def test_all_vectors_are_present() -> None:
    assert len(VECTORS) == 5


@pytest.mark.parametrize(
    ("p", "accuracy", "expected"),
    [
        (0.5, 0.5**14, 15),
        (0.5, 0.5**14 * 1.0000001, 14),
        (0.7, 0.49, 3),  # As a float, 0.7 ** 2 is less than 0.49.
        (0.9, 0.81, 3),
        (0.1, 1e-4, 5),
        (0.1, 1e-300, 301),
        (0, 0.5, 1),
        (0.5, 0.999, 1),
        (0.2, 0.2, 2),
        (1e-300, 1e-4, 1),
    ],
)
def test_depth_for_exact_powers(p: float, accuracy: float, expected: int) -> None:
    assert rbp_depth(p, accuracy) == expected == oracle.rbp_depth(p, accuracy)


def test_persistence_close_to_one() -> None:
    p = 1 - 1e-9
    depth = rbp_depth(p, 1e-4)
    assert depth == pytest.approx(math.log(1e-4) / math.log1p(-1e-9), rel=1e-6)
    assert rbp_depth(0.9999999999999999, 1e-4) == 92103403719761823  # ln(10^-4) / ln(1 - 10^-16)


@many_examples(
    max_examples=300,
    p=st.one_of(st.integers(0, 97).map(lambda i: i / 100), st.floats(0, 0.97)),
    accuracy=st.one_of(
        st.sampled_from([0.5, 0.1, 0.01, 0.001, 1e-4]),
        st.floats(1e-5, 0.99),
        st.integers(1, 999).map(lambda i: i / 1000),
    ),
    power=st.integers(0, 5),
)
def test_depth_is_minimal(p: float, accuracy: float, power: int) -> None:
    for target in (accuracy, round(p**power, 12)):
        if 1e-9 < target < 1:
            depth = rbp_depth(p, target)
            assert depth == oracle.rbp_depth(p, target)
            assert rbp_accuracy(p, depth) <= target * (1 + 1e-12)


@many_examples(depth=st.integers(1, 5000), accuracy=st.floats(1e-12, 0.99))
def test_persistence_is_maximal(depth: int, accuracy: float) -> None:
    limit = rbp_persistence(depth, accuracy)
    below, above = limit * (1 - 1e-9), min(limit * (1 + 1e-9), 1 - 1e-16)
    assert rbp_depth(below, accuracy) <= depth
    assert rbp_depth(above, accuracy) > depth or above < limit * (1 + 1e-9)


def test_each_quantity_follows_from_the_other_two() -> None:
    assert uncertainty.depth(p=[0.5, 0.8], accuracy=[1e-2, 1e-4]).frame().rows() == [
        (0.5, 1e-2, 7, 2.0),
        (0.5, 1e-4, 14, 2.0),
        (0.8, 1e-2, 21, pytest.approx(5)),
        (0.8, 1e-4, 42, pytest.approx(5)),
    ]
    [row] = uncertainty.depth(p=[0.8], depth=[20]).rows
    assert row.accuracy == pytest.approx(0.0115, abs=1e-4)
    plans = uncertainty.depth(accuracy=[1e-4], depth=[np.int64(100)])
    assert plans.frame()["p"].to_list() == pytest.approx([0.9120108])
    assert plans.notes == ("persistences must be below the computed p",)
    assert plans.provenance.as_dict()["settings"] == {"sought": "p", "accuracy": [1e-4], "depth": [100]}
    assert uncertainty.depth(accuracy=[1 - 1e-16], depth=[10**9]).rows[0].documents == math.inf


def test_defaults() -> None:
    assert uncertainty.depth().frame()["depth"].to_list() == [14, 42, 180]
    assert uncertainty.depth(0.8).frame()["depth"].to_list() == [42]
    assert uncertainty.depth(depth=100).sought == "p"
    assert uncertainty.depth(0.8, depth=20).sought == "accuracy"


def test_rendered_tables() -> None:
    lines = render(uncertainty.depth(p=[0.99995, 0.5], accuracy=[1e-6])).decode().splitlines()
    assert [line.split() for line in lines[2:4]] == [
        ["0.99995", "1e-06", "276304", "20000.0"],
        ["0.5", "1e-06", "20", "2.0"],
    ]
    lines = render(uncertainty.depth(depth=[100], accuracy=[1 / 3])).decode().splitlines()
    assert lines[2].split() == ["0.9891", "0.3333", "100", "91.5"]
    table = check_report(uncertainty.depth(p=[0.5], depth=[3]))
    assert table.compact.columns == ["p", "accuracy", "depth", "documents seen"]


def test_summary() -> None:
    assert uncertainty.depth(0.8, 0.001).summary() == (
        "Judging the first 31 documents of each ranking determines RBP(p=0.8) to within 0.001."
    )
    assert "first 14 documents" in uncertainty.depth().summary()
    assert "first 180 documents" in uncertainty.depth().summary()
    assert uncertainty.depth(0.8, depth=20).summary().endswith("uncertain by at most 0.01153.")
    assert uncertainty.depth(depth=1, accuracy=0.1).summary() == (
        "Judging the first 1 document of each ranking determines RBP to within 0.1 for persistences below 0.1."
    )


@pytest.mark.parametrize("p", [-0.1, 1, 1.5, math.nan, math.inf, True, "0.5", None, 10**400])
def test_invalid_persistence_raises(p: Any) -> None:
    with pytest.raises(InputError, match="p must be a persistence of at least 0 and below 1, got"):
        rbp_depth(p, 0.1)


@pytest.mark.parametrize("accuracy", [0, 1, -1, math.nan, "x"])
def test_invalid_accuracy_raises(accuracy: Any) -> None:
    with pytest.raises(InputError, match="the accuracy must be above 0 and below 1, such as"):
        rbp_persistence(3, accuracy)


@pytest.mark.parametrize("depth", [0, -1, 1.5, 10**10, True, None])
def test_invalid_depth_raises(depth: Any) -> None:
    with pytest.raises(InputError, match="the depth must be a whole number from 1 to 1000000000, got"):
        rbp_accuracy(0.5, depth)


def test_all_three_quantities_raise() -> None:
    with pytest.raises(InputError, match="p, accuracy and depth: give at most two of the three; the third is computed"):
        uncertainty.depth(p=[0.5], accuracy=[0.1], depth=[3])
