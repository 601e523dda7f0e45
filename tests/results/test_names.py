"""Short forms of names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.results.names import shorten, shorten_names

alike = st.text(alphabet="ab", max_size=40)


@given(st.text(max_size=60), st.integers(3, 40))
def test_a_short_name_fits(name: str, most: int) -> None:
    short = shorten(name, most)
    assert len(short) <= most
    assert short == name or "…" in short


@given(st.lists(alike, max_size=12), st.integers(6, 30))
def test_short_names_differ_and_fit(names: list[str], most: int) -> None:
    short = shorten_names(names, most)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    assert all(len(form) <= most for form in short.values())
    assert all(short[name] == name for name in names if len(name) <= most and name not in _clashing(names, most))


def _clashing(names: list[str], most: int) -> set[str]:
    """Names that are the short form of another one."""
    return {shorten(name, most) for name in names if len(name) > most}


def test_what_differs_is_kept() -> None:
    names = [f"{'a' * 30}{n}{'b' * 30}" for n in range(10)]
    assert all(str(n) in short for n, short in enumerate(shorten_names(names, 16).values()))


def test_many_names_of_one_letter() -> None:
    names = ["a" * length for length in range(30, 150)]
    assert len(set(shorten_names(names, 8).values())) == len(names)
