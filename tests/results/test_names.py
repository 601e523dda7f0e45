"""Shortened names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.results.names import shorten, shorten_names

similar_names = st.text(alphabet="ab", max_size=40)


@given(st.text(max_size=60), st.integers(3, 40))
def test_a_shortened_name_fits(name: str, width: int) -> None:
    short = shorten(name, width)
    assert len(short) <= width
    assert short == name or "…" in short


@given(st.lists(similar_names, max_size=12), st.integers(6, 30))
def test_shortened_names_are_distinct_and_fit(names: list[str], width: int) -> None:
    short = shorten_names(names, width)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    assert all(len(short_form) <= width for short_form in short.values())
    assert all(
        short[name] == name for name in names if len(name) <= width and name not in list_short_forms(names, width)
    )


def list_short_forms(names: list[str], width: int) -> set[str]:
    """Return the short forms of long names, which other names must not equal."""
    return {shorten(name, width) for name in names if len(name) > width}


def test_shortened_names_keep_the_part_that_differs() -> None:
    names = [f"{'a' * 30}{n}{'b' * 30}" for n in range(10)]
    assert all(str(n) in short for n, short in enumerate(shorten_names(names, 16).values()))


def test_many_names_of_one_letter_stay_distinct() -> None:
    names = ["a" * length for length in range(30, 150)]
    assert len(set(shorten_names(names, 8).values())) == len(names)


def test_common_words_are_removed_before_the_middle() -> None:
    names = [f"splade-v3-distilled-{kind}" for kind in ("hard", "soft", "cocondenser")]
    assert list(shorten_names(names, 18).values()) == ["…hard", "…soft", "…cocondenser"]
    assert list(shorten_names(names, 40).values()) == names
    assert list(shorten_names(["run-of-seed1-a", "run-of-seed10-a"], 12).values()) == ["…seed1-a", "…seed10-a"]


@given(st.lists(st.text(alphabet="a-b", max_size=30), max_size=10), st.integers(6, 20))
def test_names_with_common_words_stay_distinct_and_fit(names: list[str], width: int) -> None:
    short = shorten_names([f"common-words-{name}" for name in names], width)
    assert len(set(short.values())) == len(set(names))
    assert all(len(short_form) <= width for short_form in short.values())
