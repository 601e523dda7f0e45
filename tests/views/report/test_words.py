"""Numbers and names in sentences."""

from __future__ import annotations

import math

import pytest

from assay.views.report.markup import plain
from assay.views.report.words import LONGEST, chance, every, known, listed, many, name, number, percent, share


@pytest.mark.parametrize(
    "value", [math.nan, None, math.inf, -math.inf, 0.0, -0.0, 1e-9, -1e-9, 0.00049, 12.0, 1e6, -0.5]
)
def test_no_number_reads_like_a_machine(value: float | None) -> None:
    text = number(value)
    assert "nan" not in text.lower()
    assert "e-" not in text
    assert "None" not in text
    assert text != "-0"


def test_small_numbers_are_not_said_to_be_nothing() -> None:
    assert number(0.0) == "0"
    assert number(0.0003) == "0.0003"
    assert number(0.000001) == "nearly 0"
    assert number(-0.25) == "-0.250"
    assert number(10.0) == "10"
    assert number(2.5) == "2.500"


@pytest.mark.parametrize(("part", "text"), [(0.0, "0 %"), (1e-9, "under 1 %"), (0.5, "50 %"), (1 - 1e-9, "over 99 %")])
def test_shares(part: float, text: str) -> None:
    assert percent(part) == share(part) == text


def test_a_share_that_is_not_there() -> None:
    assert share(None) == share(math.nan) == "–"


def test_singular_and_plural() -> None:
    assert [many(n, "run") for n in (0, 1, 2, 1000)] == ["no run", "1 run", "2 runs", "1,000 runs"]
    assert [every(n, "topic") for n in (1, 2, 3)] == ["the only topic", "both topics", "all 3 topics"]


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b and 2 others")],
)
def test_lists_of_names(names: list[str], text: str) -> None:
    assert listed(names, 3) == text


def test_a_long_name_is_cut_and_kept_as_a_title() -> None:
    long = "x" * 100 + "<y>"
    made = name(long)
    assert len(plain(made)) == LONGEST
    assert f'title="{"x" * 100}&lt;y&gt;"' in made
    assert "title" not in name("short")


def test_p_is_never_0() -> None:
    assert chance(0.0) == "p < 0.001"
    assert chance(0.0, least=0.01) == "p < 0.01"
    assert chance(0.2) == "p = 0.200"


def test_what_is_known() -> None:
    assert known(0.0)
    assert not known(None)
    assert not known(math.nan)
    assert not known(math.inf)
