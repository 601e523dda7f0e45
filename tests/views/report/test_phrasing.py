"""Tests of the formatting of numbers in tables and sentences."""

from __future__ import annotations

import math

import pytest

from assay.views.report.phrasing import (
    count,
    count_all,
    format_number,
    format_p,
    format_percent,
    format_percent_cell,
    is_finite,
)


@pytest.mark.parametrize(
    "value", [math.nan, None, math.inf, -math.inf, 0.0, -0.0, 1e-9, -1e-9, 0.00049, 12.0, 1e6, -0.5]
)
def test_numbers_have_no_machine_notation(value: float | None) -> None:
    text = format_number(value)
    assert "nan" not in text.lower()
    assert "e-" not in text
    assert "None" not in text
    assert text != "-0"


def test_small_numbers_are_not_shown_as_0() -> None:
    assert format_number(0.0) == "0"
    assert format_number(0.0003) == "0.0003"
    assert format_number(0.000001) == "nearly 0"
    assert format_number(-0.25) == "-0.250"
    assert format_number(10.0) == "10"
    assert format_number(2.5) == "2.500"


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.0, "0 %"), (1e-9, "under 1 %"), (0.5, "50 %"), (1 - 1e-9, "over 99 %")]
)
def test_percentages(fraction: float, text: str) -> None:
    assert format_percent(fraction) == format_percent_cell(fraction) == text


def test_missing_percentage_is_a_dash() -> None:
    assert format_percent_cell(None) == format_percent_cell(math.nan) == "–"


def test_singular_and_plural() -> None:
    assert [count(n, "run") for n in (0, 1, 2, 1000)] == ["no run", "1 run", "2 runs", "1,000 runs"]
    assert [count_all(n, "topic") for n in (1, 2, 3)] == ["the only topic", "both topics", "all 3 topics"]


def test_p_is_never_0() -> None:
    assert format_p(0.0) == "p < 0.001"
    assert format_p(0.0, least=0.01) == "p < 0.01"
    assert format_p(0.2) == "p = 0.200"


def test_is_finite() -> None:
    assert is_finite(0.0)
    assert not is_finite(None)
    assert not is_finite(math.nan)
    assert not is_finite(math.inf)
