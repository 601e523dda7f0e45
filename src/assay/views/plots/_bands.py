"""Axes with many names: a step for each, and as many labels as can be read."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.views.plots._style import altair

if TYPE_CHECKING:
    import altair as alt

LETTER = 6.0
"""Pixels of a letter of a label."""
BOLD = 7.2
"""The same of a title."""

_NARROW = frozenset("iljtfrI.,:;'|!-()[] ")


def thinned(names: Sequence[str], step: float, size: float = 11) -> list[str]:
    """Every so manieth of the names, from the first on, such that labels of *size* pixels fit into steps of *step*.

    >>> thinned(["a", "b", "c", "d", "e"], 6)
    ['a', 'c', 'e']
    """
    return list(names[:: max(1, math.ceil(size / step))])


def beside(names: Sequence[str], step: float, room: float, title: str | None = None) -> alt.Axis:
    """An axis for rows; labels take *room* pixels at most, and of long ones the middle is left out."""
    most = letters(room)
    head, tail = most - 1 - (most - 1) // 2, (most - 1) // 2
    short = f"slice(datum.label, 0, {head}) + '…' + slice(datum.label, -{tail})"
    return altair().Axis(  # type: ignore[no-any-return]
        title=title,
        **_some(names, step),
        labelExpr=f"length(datum.label) > {most} ? {short} : datum.label",
        labelLimit=room + 10,
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
    """An axis for columns; its labels are turned if they must be, and if not even that fits left out, or *thin*."""
    options = {"title": title, "labelLimit": 70, "labelOverlap": False, "ticks": False, "domain": False}
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
    """A text in lines of at most so many letters.

    >>> wrapped("one and two", 7)
    ['one and', 'two']
    """
    return textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False)
