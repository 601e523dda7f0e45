"""Tests of the style of figures."""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.views.plots._style import PALETTES, Style, rows, spread_positions
from assay.views.plots._theme import THEMES, config


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.2))
def test_spread_labels_keep_gap_and_order(positions: list[float], gap: float) -> None:
    spread = spread_positions(positions, gap, 0, 1)
    assert len(spread) == len(positions)
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    fits = (len(positions) - 1) * gap <= 1
    for lower, upper in pairwise(order):
        assert spread[upper] - spread[lower] >= gap - 1e-9
    if fits:
        assert all(-1e-9 <= position <= 1 + 1e-9 for position in spread)


def test_labels_with_enough_space_do_not_move() -> None:
    assert spread_positions([0.9, 0.1, 0.5], 0.1, 0, 1) == [0.9, 0.1, 0.5]


def test_nan_and_infinity_become_null() -> None:
    frame = pl.DataFrame({"a": [1.0, math.nan, math.inf, None], "b": ["x", None, "y", "z"], "c": [1, 2, 3, None]})
    values = rows(frame)["values"]
    assert [row["a"] for row in values] == [1.0, None, None, None]
    assert [row["c"] for row in values] == [1, 2, 3, None]


def relative_luminance(colour: str) -> float:
    """Return the relative luminance as defined by WCAG."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast_ratio(colour: str, other_colour: str) -> float:
    light, dark = sorted((relative_luminance(colour), relative_luminance(other_colour)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_and_marks_have_enough_contrast(theme: str) -> None:
    background = THEMES[theme]["paper"]
    assert contrast_ratio(THEMES[theme]["ink"], background) > 10
    assert contrast_ratio(THEMES[theme]["muted"], background) > 4.5
    for palette in PALETTES.values():
        for colour in (palette.right, palette.early, palette.late, *palette.series):
            assert contrast_ratio(colour, background) > 2, colour


def test_background_can_be_transparent() -> None:
    assert config("dark", background=False)["background"] == "transparent"
    with pytest.raises(InputError, match="theme 'x': choose one of light, dark"):
        config("x")


def test_invalid_width_is_rejected() -> None:
    with pytest.raises(InputError, match="width must be from 200 to 4000 pixels, got 5"):
        Style(width=5)


CAMPAIGN = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_plot_rejects_invalid_arguments() -> None:
    with pytest.raises(InputError, match="figure leaderboard has no option measur; did you mean measure"):
        assay.plot("leaderboard", CAMPAIGN, measur="AP")
    with pytest.raises(InputError, match="figure leaderboard needs qrels and runs; pass a campaign"):
        assay.plot("leaderboard")
    with pytest.raises(InputError, match="there is no figure piechart"):
        assay.plot("piechart")


def test_chart_is_displayed_in_notebooks() -> None:
    chart = assay.plot("leaderboard", CAMPAIGN, theme="dark")
    assert chart.to_dict()["config"]["background"] == THEMES["dark"]["paper"]
    assert chart._repr_mimebundle_()
