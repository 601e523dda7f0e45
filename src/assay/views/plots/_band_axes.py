"""Axes with many names: a step for each, and as many labels as can be read."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay.results.names import shorten_names
from assay.views.plots._style import altair

if TYPE_CHECKING:
    import altair as alt

LETTER = 6.0
"""Pixels of a letter of a label."""
BOLD = 7.2
"""The same of a title."""

BENEATH = 70
"""Pixels of a name of a column."""

_NARROW = frozenset("iljtfrI.,:;'|!-()[] ")


def thinned(names: Sequence[str], step: float, size: float = 11) -> list[str]:
    """Every so manieth of the names, from the first on, such that labels of *size* pixels fit into steps of *step*.

    >>> thinned(["a", "b", "c", "d", "e"], 6)
    ['a', 'c', 'e']
    """
    return list(names[:: max(1, math.ceil(size / step))])


def add_short_names(frame: pl.DataFrame, column: str, room: float) -> pl.DataFrame:
    """Add ``short_COLUMN``: forms of the names that fit into *room* pixels and differ where the names do."""
    short = shorten_names(frame[column].unique(maintain_order=True).to_list(), letters(room))
    return frame.with_columns(pl.col(column).replace_strict(short, return_dtype=pl.String).alias(f"short_{column}"))


def beside(names: Sequence[str], step: float, room: float, title: str | None = None) -> alt.Axis:
    """Return an axis for rows; *names* fit into *room* pixels, such as those of :func:`add_short_names`."""
    return altair().Axis(  # type: ignore[no-any-return]
        title=title,
        **_some(names, step),
        labelLimit=room + 30,  # the widest letters are wider than those that the room is counted in
        labelPadding=4,
        ticks=False,
        domain=False,
    )


def _some(names: Sequence[str], step: float) -> dict[str, list[str]]:
    """Which labels are shown; not said if all are, since Vega may lose the first one to rounding."""
    shown = thinned(names, step)
    return {"values": shown} if len(shown) < len(names) else {}


def names_room(names: Sequence[str], room: int, most: int = 120) -> int:
    """How many pixels the names of rows get of a figure with *room* pixels."""
    return min(most, room // 3, 10 + math.ceil(LETTER * max(map(len, names), default=0)))


def even(step: float) -> float:
    """A step that cells fill without seams: whole pixels, or halves if it is small.

    >>> even(9.4), even(1.9), even(0.3)
    (9.0, 1.5, 0.5)
    """
    return float(math.floor(step)) if step >= 4 else max(0.5, math.floor(2 * step) / 2)


def beneath(names: Sequence[str], step: float, title: str | None = None, *, thin: bool = False) -> alt.Axis:
    """Return an axis for columns whose names fit into ``BENEATH`` pixels.

    Labels are turned if they must be; if not even that fits they are left out, or with *thin* some of them.
    """
    options = {"title": title, "labelLimit": BENEATH + 30, "labelOverlap": False, "ticks": False, "domain": False}
    if LETTER * max(map(len, names), default=0) + 4 <= step:
        return altair().Axis(labelAngle=0, **options)  # type: ignore[no-any-return]
    size = min(10.0, max(8.0, step))
    fits = step >= size - 0.5
    some = {} if fits else {"values": thinned(names, step, 9) if thin else []}
    turned = {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle", "labelFontSize": size}
    return altair().Axis(**turned, **some, **options)  # type: ignore[no-any-return]


def letters(room: float, each: float = LETTER) -> int:
    """How many letters have room.

    >>> letters(120)
    20
    """
    return max(6, int(room / each))


def breadth(text: str) -> float:
    """About how many pixels a label takes.

    >>> breadth("WM") > breadth("ab") > breadth("il")
    True
    """
    return sum(
        3.4 if letter in _NARROW else 7.8 if letter.isupper() else 9.5 if letter in "mw@%…" else 6.0 for letter in text
    )


def wrapped(text: str, most: int) -> list[str]:
    """Break a text into lines of at most *most* letters; only words that are longer are broken.

    >>> wrapped("one and two", 7), wrapped("verylongname two", 8)
    (['one and', 'two'], ['verylong', 'name two'])
    """
    return textwrap.wrap(text, most, break_on_hyphens=False)
