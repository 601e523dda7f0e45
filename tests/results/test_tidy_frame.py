"""Tidy frames of arrays."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.measures import measures
from assay.results.run_pairs import name_pairs
from assay.results.tidy_frame import tidy_frame


def test_a_row_for_each_cell_in_the_order_of_the_axes():
    values = np.array([[0.5, np.nan, 0.25], [1.0, 0.0, 0.75]])
    frame = tidy_frame({"measure": measures(["AP", "RR"]), "topic": ["1", "2", "3"]}, {"value": values})
    expected = [(m, t, values[i, j]) for i, m in enumerate(("AP", "RR")) for j, t in enumerate("123")]
    expected[1] = ("AP", "2", None)  # NaN becomes null.
    assert frame.rows() == expected


def test_values_are_broadcast_to_the_axes():
    by_run = np.array([[7], [8]])
    frame = tidy_frame({"run": ["a", "b"], "depth": [10, None]}, {"test": "t", "size": by_run, "pool": [1, 2]})
    assert frame.rows() == [("a", 10, "t", 7, 1), ("a", None, "t", 7, 2), ("b", 10, "t", 8, 1), ("b", None, "t", 8, 2)]


def test_the_labels_of_an_axis_may_have_several_columns():
    pairs = name_pairs(["a", "b", "c"], np.array([[0, 1], [0, 2]]))
    frame = tidy_frame({"level": [0.05], "pair": pairs}, {"p": [[0.5, 0.01]]})
    assert frame.rows() == [(0.05, "a", "b", 0.5), (0.05, "a", "c", 0.01)]


def test_empty_axes_keep_their_types():
    frame = tidy_frame({"run": [], "topic": ["1"]}, {"value": np.zeros((0, 1))})
    assert frame.schema == {"run": pl.String, "topic": pl.String, "value": pl.Float64}
