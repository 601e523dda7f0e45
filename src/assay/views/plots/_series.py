"""A few lines with their names beside them, and panels in rows: what several figures share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.results.names import shorten_names
from assay.views.plots._style import Style, altair, apart

if TYPE_CHECKING:
    import altair as alt

LINE = 13
"""Pixels from a label to the next."""
LETTERS = 20
"""Maximum length of a name beside a line; longer ones are shortened."""
_NARROW, _WIDE = set(" ,.:;'|!()[]iljtf"), set("mw@%")


def colours(field: str, names: Sequence[str], style: Style) -> alt.Color:
    """Return a colour for each of the names, without a legend; with many names colours are reused."""
    alt = altair()
    shades = list(islice(cycle(style.colours.series), len(names)))
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(names), range=shades), legend=None)  # type: ignore[no-any-return]


class Label(NamedTuple):
    """A label beside the end of a line: its text, the height of the end, and the name that gives the colour."""

    text: str
    value: float
    name: str | None = None


def breadth(labels: Sequence[Label], most: int = LETTERS) -> int:
    """Estimate how many pixels the labels take."""
    short = shorten_names((label.text for label in labels), most).values()
    return 5 + math.ceil(max((sum(map(_pixels, text)) for text in short), default=0))


def _pixels(letter: str) -> float:
    if letter in _NARROW:
        return 3.5
    return 8.0 if letter.isupper() or letter in _WIDE else 6.2


def beside(
    labels: Sequence[Label], domain: tuple[float, float], height: float, colour: alt.Color, most: int = LETTERS
) -> list[Any]:
    """Return labels to the right of a panel, moved apart where lines end close together; muted without a name.

    *domain* is that of the axis, *height* its number of pixels; *colour* comes from ``colours``.
    """
    alt = altair()
    gap = LINE * (domain[1] - domain[0]) / max(height, 1)
    places = apart([label.value for label in labels], gap, *domain)
    field = str(colour.shorthand).removesuffix(":N")
    short = shorten_names((label.text for label in labels), most)
    made = [
        {"label": label.text, "short": short[label.text], "place": place, field: label.name}
        for label, place in zip(labels, places, strict=True)
    ]
    layers = []
    for kind, some in (
        ("label", [one for one in made if one[field]]),
        ("muted", [one for one in made if not one[field]]),
    ):
        chart = alt.Chart(alt.InlineData(values=some)).mark_text(style=kind, align="left", dx=5)
        texts = chart.encode(x=alt.value("width"), y="place:Q", text="short:N", tooltip=["label:N"])
        layers += [texts.encode(color=colour) if kind == "label" else texts] if some else []
    return layers


def columns(many: int, room: float, least: float) -> int:
    """Return the number of panels in a row: as many as have *least* pixels each, with rows of about equal length.

    >>> [columns(4, 700, 160), columns(4, 500, 160), columns(4, 360, 160), columns(3, 100, 160)]
    [4, 2, 2, 1]
    """
    most = max(1, min(many, int(room // least)))
    return math.ceil(many / math.ceil(many / most)) if many else 1
