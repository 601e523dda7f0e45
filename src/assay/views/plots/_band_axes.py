"""Axes with one named step per run, topic or measure, and estimates of how much text fits into a number of pixels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import polars as pl

from assay.results.names import shorten_names
from assay.views.plots._altair import alt

CHARACTER_WIDTH = 6.0
"""Average width of a character of a label, in pixels."""
BOLD_CHARACTER_WIDTH = 7.2
"""Average width of a character of a title, in pixels."""

COLUMN_LABEL_WIDTH = 70
"""Maximum length of the label of a column, in pixels."""

_MIN_CHARACTERS = 6
_LAST_NARROW_SCRIPT = "\u2e7f"  # Chinese, Japanese and Korean characters follow
_NARROW = frozenset("iljtfrI.,:;'|!-()[] ")


def thin_names(names: Sequence[str], step: float, size: float = 11) -> list[str]:
    """Return every n-th name, starting with the first, for labels of *size* pixels on steps of *step* pixels.

    >>> thin_names(["a", "b", "c", "d", "e"], 6)
    ['a', 'c', 'e']
    """
    return list(names[:: max(1, math.ceil(size / step))])


def add_short_names(frame: pl.DataFrame, column: str, width: float) -> pl.DataFrame:
    """Add a column ``short_COLUMN`` with unique short forms of the names that fit into *width* pixels."""
    names = frame[column].unique(maintain_order=True).to_list()
    characters = max_characters(width)
    while max(map(text_width, (short := shorten_names(names, characters)).values()), default=0) > width + 12:
        if characters <= _MIN_CHARACTERS:
            break
        characters -= 1
    return frame.with_columns(pl.col(column).replace_strict(short, return_dtype=pl.String).alias(f"short_{column}"))


def row_axis(names: Sequence[str], step: float, width: float, title: str | None = None) -> alt.Axis:
    """Return an axis for named rows; *names* fit into *width* pixels (see :func:`add_short_names`)."""
    visible = thin_names(names, step)
    return alt.Axis(
        title=title,
        # If all labels are visible, they are not listed: rounding may cause Vega to drop the first of listed labels.
        values=visible if len(visible) < len(names) else alt.Undefined,
        labelLimit=width + 30,  # the widest characters exceed the average width that the estimate uses
        labelPadding=4,
        ticks=False,
        domain=False,
    )


def row_label_width(names: Sequence[str], total_width: int, maximum: int = 120) -> int:
    """Return the pixels to reserve for the names of rows in a figure of *total_width* pixels."""
    return min(maximum, total_width // 3, 10 + math.ceil(CHARACTER_WIDTH * max(map(len, names), default=0)))


def snap_step(step: float) -> float:
    """Round a step down to whole pixels, or to half pixels if it is small: cells then adjoin without seams.

    >>> snap_step(9.4), snap_step(1.9), snap_step(0.3)
    (9.0, 1.5, 0.5)
    """
    return float(math.floor(step)) if step >= 4 else max(0.5, math.floor(2 * step) / 2)


def column_axis(names: Sequence[str], step: float, title: str | None = None, *, thin: bool = False) -> alt.Axis:
    """Return an axis for columns whose names fit into ``COLUMN_LABEL_WIDTH`` pixels.

    Labels that do not fit side by side are rotated. If the rotated labels do not fit either, all labels are omitted;
    with *thin*, every n-th label is shown.
    """
    size = min(10.0, max(9.0, step))
    options: dict[str, Any]
    if CHARACTER_WIDTH * max(map(len, names), default=0) + 4 <= step:
        options = {"labelAngle": 0}
    else:
        options = {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle", "labelFontSize": size}
        if step < size - 0.5:
            options["values"] = thin_names(names, step, 9) if thin else []
    limit = COLUMN_LABEL_WIDTH + 30
    return alt.Axis(title=title, labelLimit=limit, labelOverlap=False, ticks=False, domain=False, **options)


def max_characters(width: float, character_width: float = CHARACTER_WIDTH) -> int:
    """Return the number of characters that fit into *width* pixels, at least 6.

    >>> max_characters(120)
    20
    """
    return max(_MIN_CHARACTERS, int(width / character_width))


def text_width(text: str) -> float:
    """Estimate the width of a label in pixels.

    >>> text_width("WM") > text_width("ab") > text_width("il")
    True
    """
    return sum(
        11.0
        if letter > _LAST_NARROW_SCRIPT
        else 3.4
        if letter in _NARROW
        else 7.8
        if letter.isupper()
        else 9.5
        if letter in "mw@%…"
        else 6.0
        for letter in text
    )


def wrap_text(text: str, characters: int) -> list[str]:
    """Break a text into lines of at most *characters*; words are broken only if they are longer than a line.

    >>> wrap_text("one and two", 7), wrap_text("verylongname two", 8)
    (['one and', 'two'], ['verylong', 'name two'])
    """
    return textwrap.wrap(text, characters, break_on_hyphens=False)
