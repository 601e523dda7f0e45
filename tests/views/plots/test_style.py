"""The house style."""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.views.plots._style import PALETTES, THEMES, Style, config, rows, spread_positions


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.2))
def test_labels_are_apart_and_in_order(places: list[float], gap: float) -> None:
    found = spread_positions(places, gap, 0, 1)
    assert len(found) == len(places)
    order = sorted(range(len(places)), key=lambda i: places[i])
    inside = (len(places) - 1) * gap <= 1
    for one, other in pairwise(order):
        assert found[other] - found[one] >= gap - 1e-9
    if inside:
        assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)


def test_labels_that_fit_stay_where_they_are() -> None:
    assert spread_positions([0.9, 0.1, 0.5], 0.1, 0, 1) == [0.9, 0.1, 0.5]


def test_what_is_no_number_is_null() -> None:
    frame = pl.DataFrame({"a": [1.0, math.nan, math.inf, None], "b": ["x", None, "y", "z"], "c": [1, 2, 3, None]})
    values = rows(frame)["values"]
    assert [row["a"] for row in values] == [1.0, None, None, None]
    assert [row["c"] for row in values] == [1, 2, 3, None]


def brightness(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_words_and_marks_can_be_seen(theme: str) -> None:
    paper = THEMES[theme]["paper"]
    assert contrast(THEMES[theme]["ink"], paper) > 10
    assert contrast(THEMES[theme]["muted"], paper) > 4.5
    for palette in PALETTES.values():
        for colour in (palette.right, palette.early, palette.late, *palette.series):
            assert contrast(colour, paper) > 2, colour


def test_a_page_may_shine_through() -> None:
    assert config("dark", background=False)["background"] == "transparent"
    with pytest.raises(InputError, match="theme 'x': choose one of light, dark"):
        config("x")


def test_a_style_that_cannot_be() -> None:
    with pytest.raises(InputError, match="width must be from 200 to 4000 pixels, got 5"):
        Style(width=5)


CAMPAIGN = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_plot_says_what_is_wrong() -> None:
    with pytest.raises(InputError, match="figure leaderboard has no option measur; did you mean measure"):
        assay.plot("leaderboard", CAMPAIGN, measur="AP")
    with pytest.raises(InputError, match="figure leaderboard needs qrels and runs; pass a campaign"):
        assay.plot("leaderboard")
    with pytest.raises(InputError, match="there is no figure piechart"):
        assay.plot("piechart")


def test_a_notebook_shows_it() -> None:
    chart = assay.plot("leaderboard", CAMPAIGN, theme="dark")
    assert chart.to_dict()["config"]["background"] == THEMES["dark"]["paper"]
    assert chart._repr_mimebundle_()
