"""Tests of the figure of weights of ranks."""

from __future__ import annotations

import math

import pytest

from assay.errors import AssayError
from assay.measures import measure
from assay.views.plots.rank_weights import MEASURES, data, draw
from chart_parts import marks, texts


def test_weights_by_definition() -> None:
    frame = data(depth=15).frame
    assert frame["measure"].unique(maintain_order=True).to_list() == [str(measure(name)) for name in MEASURES]
    weight = {(name, rank): weight for name, rank, _, weight in frame.iter_rows()}
    for rank in range(1, 16):
        for p in (0.5, 0.8, 0.95):
            # The probability that the user of the RBP paper looks at this rank.
            assert weight[f"RBP(p={p})", rank] == pytest.approx(p ** (rank - 1))
        assert weight["P@10", rank] == (rank <= 10)
        assert weight["AP", rank] == pytest.approx(1 / rank)
        assert weight["DCG(base=2)", rank] == pytest.approx(1 / max(1, math.log2(rank)))


def test_values_agree_with_the_measures() -> None:
    for name in ("ERR", "nDCG", "Twist", "bpref"):
        frame = data(measures=name, depth=4).frame
        values = [measure(name).of([0] * (rank - 1) + [1], judged={1: 1, 0: 4}) for rank in range(1, 5)]
        if name != "Twist":  # Twist also depends on the length of the ranking
            assert frame["value"].to_list() == pytest.approx(values)
        assert frame["weight"][0] == 1


def test_measures_without_a_value_at_rank_1() -> None:
    frame = data(measures=["ESL", "P@1"], depth=3).frame
    assert frame.filter(measure="ESL")["weight"].null_count() == 3
    assert texts(draw(frame)) == ["P@1"]
    assert texts(draw(data(measures="ESL").frame)) == ["no measure has a value"]


def test_line_and_points_per_measure() -> None:
    chart = draw(data().frame)
    assert marks(chart) == ["line", "circle", "text"]
    assert set(texts(chart)) == {str(measure(name)) for name in MEASURES}


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(AssayError, match="depth must be at least 2, got 1"):
        data(depth=1)
    with pytest.raises(AssayError, match="XYZ"):
        data(measures=["XYZ"])
