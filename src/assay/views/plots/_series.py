"""Colours and labels of a few lines, and panels arranged in rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any, NamedTuple

from assay.results.names import shorten_names
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import max_characters, wrap_text
from assay.views.plots._style import Style, spread_positions, tooltip

LINE_HEIGHT = 13
"""Distance between adjacent labels, in pixels."""
MAX_CHARACTERS = 20
"""Maximum length of a label beside a line; longer ones are shortened."""
_NARROW, _WIDE = set(" ,.:;'|!()[]iljtf"), set("mw@%")


def series_colours(field: str, names: Sequence[str], style: Style) -> alt.Color:
    """Return a colour channel with one colour per name and no legend; colours repeat if there are many names."""
    shades = list(islice(cycle(style.colours.series), len(names)))
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(names), range=shades), legend=None)


class Label(NamedTuple):
    """A label beside the end of a line: its text, the value at the end, and the series that determines its colour."""

    text: str
    value: float
    name: str | None = None


def labels_width(labels: Sequence[Label], characters: int = MAX_CHARACTERS) -> int:
    """Estimate the width of the longest label in pixels."""
    short = shorten_names((label.text for label in labels), characters).values()
    return 5 + math.ceil(max((sum(map(_pixels, text)) for text in short), default=0))


def _pixels(letter: str) -> float:
    if letter in _NARROW:
        return 3.5
    return 8.0 if letter.isupper() or letter in _WIDE else 6.2


def label_layers(
    labels: Sequence[Label],
    domain: tuple[float, float],
    height: float,
    colour: alt.Color,
    characters: int = MAX_CHARACTERS,
) -> list[Any]:
    """Return layers with labels to the right of a panel; labels of lines that end close together are moved apart.

    *domain* is the domain of the y axis and *height* its length in pixels; *colour* comes from ``series_colours``.
    Labels without a series name are muted.
    """
    gap = LINE_HEIGHT * (domain[1] - domain[0]) / max(height, 1)
    positions = spread_positions([label.value for label in labels], gap, *domain)
    field = str(colour.shorthand).removesuffix(":N")
    short = shorten_names((label.text for label in labels), characters)
    entries = [
        {"label": label.text, "short": short[label.text], "place": position, field: label.name}
        for label, position in zip(labels, positions, strict=True)
    ]
    channels = [alt.Y("place:Q"), alt.Text("short:N"), tooltip("label:N")]
    layers = []
    for kind, extra in (("label", [colour]), ("muted", [])):
        group = tuple(entry for entry in entries if bool(entry[field]) == (kind == "label"))
        chart = alt.Chart({"values": group}).mark_text(style=kind, align="left", dx=5)
        layers += [chart.encode(*channels, *extra, x=alt.value("width"))] if group else []
    return layers


def names_above(names: Sequence[str], width: float, shades: Sequence[str], *, points: bool = False) -> list[Any]:
    """Return layers with names above a panel of *width* pixels, each beside a line, or a point, in its colour.

    Several names are shortened. A single name is broken into lines, because runs that are not shown may be similar.
    """
    characters = max_characters(width - 24)
    if len(names) == 1:
        lines = wrap_text(names[0], characters)
        tops = [(names[0], line, 14 * (number - len(lines)) - 4) for number, line in enumerate(lines)]
    else:
        short = shorten_names(names, characters)
        tops = [(name, short[name], 14 * (number - len(names)) - 4) for number, name in enumerate(names)]
    layers: list[Any] = []
    for name, line, top in tops:
        shade = shades[names.index(name)]
        chart = alt.Chart({"values": ({"name": name, "text": line},)}).encode(tooltip("name:N"))
        if not layers or len(names) > 1:
            symbol = chart.mark_circle(color=shade, opacity=1, size=40) if points else chart.mark_rule(color=shade)
            start, end = (9, {}) if points else (0, {"x2": alt.value(18), "strokeWidth": alt.value(2)})
            layers.append(symbol.encode(x=alt.value(start), y=alt.value(top + 5), **end))
        text = chart.mark_text(style="label", align="left", baseline="top").encode(alt.Text("text:N"))
        layers.append(text.encode(x=alt.value(24), y=alt.value(top), color=alt.value(shade)))
    return layers


def panels_per_row(panels: int, width: float, min_width: float) -> int:
    """Return the number of panels in a row: at least *min_width* pixels each, and rows of about equal length.

    >>> [panels_per_row(4, width, 160) for width in (700, 500, 360)], panels_per_row(3, 100, 160)
    ([4, 2, 2], 1)
    """
    limit = max(1, min(panels, int(width // min_width)))
    return math.ceil(panels / math.ceil(panels / limit)) if panels else 1
