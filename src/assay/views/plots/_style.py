"""Common style of the figures: palettes, themes and a few helpers.

Figures never use grey, black or white directly. Neutral marks take one of the named styles ``label``, ``muted``,
``reference`` and ``soft``, whose colours the theme defines. The same chart can therefore be shown in a light or a dark
theme. Text over points or lines is drawn twice, first with the style ``halo``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.views.plots._altair import alt
from assay.views.plots._selection import check_choice

if TYPE_CHECKING:
    import polars as pl

_FONT_NAME = re.compile(r"[\w][\w .,'-]{0,99}")

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#8a8a3d")
"""Colours of series, after Okabe and Ito; black and yellow are omitted, because a background may hide them."""


@dataclass(frozen=True)
class Palette:
    """Colours by meaning.

    *right*, *early* and *late* are the colours of documents in place, ranked too early and ranked too late; they also
    mean no difference, gain and loss. *series* are the colours of lines or groups. *scale* and *diverging* are names of
    Vega's colour schemes for numbers.
    """

    right: str
    early: str
    late: str
    series: tuple[str, ...] = SERIES
    scale: str = "viridis"
    diverging: str = "blueorange"


GREYS = ("#4a4a4a", "#9a9a9a", "#6a6a6a", "#aaaaaa", "#5a5a5a", "#8a8a8a", "#505050", "#7e7e7e")
"""Greys of series. No two are equal, because the grey of a series also determines its dashes and its shape."""

PALETTES = {
    "safe": Palette(right="#009e73", early="#d55e00", late="#0072b2"),
    "papers": Palette(right="#2ca02c", early="#d62728", late="#3567e8"),
    "grey": Palette(right="#7a7a7a", early="#b0b0b0", late="#4c4c4c", series=GREYS, scale="greys", diverging="greys"),
}
"""``safe`` is suitable for colour-blind readers; ``papers`` has the red, blue and green of the papers; ``grey`` has
greys, dashes and shapes, which readers can also distinguish in print."""

FONT_SIZE = 11
"""Font size for which figures are laid out, in pixels."""
SMALLEST, LARGEST = 200, 4000
"""Limits of the width for which figures are laid out, in pixels."""


@dataclass(frozen=True)
class Style:
    """The appearance of a figure; all sizes are in pixels.

    Parameters
    ----------
    palette
        Name of the palette.
    width, height
        Total width, and height of the plot without axes and title (None: the default of the figure).
    font, font_size
        Font, and size of most texts (None: the default). Text, marks and distances grow with the font size.
    title
        A title, ``""`` for no title, or None for the title of the figure.

    Examples
    --------
    >>> Style(palette="gaudy")
    Traceback (most recent call last):
    ...
    assay.errors.InputError: palette 'gaudy': choose one of safe, papers, grey
    """

    palette: str = "safe"
    width: int | None = None
    height: int | None = None
    font: str | None = None
    font_size: float | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        check_choice("palette", self.palette, PALETTES)
        if self.font_size is not None and not 4 <= self.font_size <= 100:
            raise InputError(f"font_size must be from 4 to 100 pixels, got {self.font_size:g}")
        if self.width is not None and not SMALLEST <= self.width <= LARGEST:
            raise InputError(f"width must be from {SMALLEST} to {LARGEST} pixels, got {self.width}")
        if self.width is not None and self.width < SMALLEST * self.zoom:
            largest = self.width * FONT_SIZE / SMALLEST
            raise InputError(
                f"font_size must be at most {largest:.1f} for a width of {self.width}, got {self.font_size:g}"
            )
        if self.height is not None and not 40 <= self.height <= LARGEST:
            raise InputError(f"height must be from 40 to {LARGEST} pixels, got {self.height}")
        if self.font is not None and not _FONT_NAME.fullmatch(self.font):
            raise InputError(f"font {self.font!r}: expected the name of a font, such as Liberation Serif")

    @property
    def zoom(self) -> float:
        """Factor by which text, marks and distances are larger than in the layout of the figure."""
        return 1.0 if self.font_size is None else self.font_size / FONT_SIZE

    def before_zoom(self) -> Style:
        """Return the style for which the figure is laid out before it is enlarged."""
        width, height = (None if size is None else round(size / self.zoom) for size in (self.width, self.height))
        return replace(self, width=width, height=height, font_size=None)

    def plot_height(self, default: int) -> int:
        """Return the height of the plot in pixels: the requested height, or *default*."""
        return default if self.height is None else self.height

    def row_height(self, rows: int, default: float) -> float:
        """Return the height of each of *rows* rows in pixels."""
        return default if self.height is None else max(1.0, self.height / max(rows, 1))

    @property
    def colours(self) -> Palette:
        """The palette."""
        return PALETTES[self.palette]

    def total_width(self, default: int = 360) -> int:
        """Return the total width in pixels: the requested width, or *default* (360 is the column of a paper)."""
        return default if self.width is None else self.width


_PIXELS = {"px": 1.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72}
_LENGTH = re.compile(rf"(\d+(?:\.\d+)?|\.\d+) ?({'|'.join(_PIXELS)})?")


def read_length(option: str, value: float | str | None) -> float | None:
    """Return a length in pixels; a text may have a unit, such as ``84mm``.

    >>> read_length("width", "1in"), read_length("width", 500), read_length("width", None)
    (96.0, 500.0, None)
    """
    if value is None:
        return None
    match = _LENGTH.fullmatch(str(value).strip())
    if match is None or isinstance(value, bool):
        raise InputError(f"{option} {value!r}: expected pixels, or a length in mm, cm, in or pt, such as 84mm")
    return float(match[1]) * _PIXELS[match[2] or "px"]


def make_style(
    palette: str,
    *,
    width: float | None = None,
    height: float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    title: str | None = None,
) -> Style:
    """Return a style; widths and heights are rounded to whole pixels."""
    rounded_width, rounded_height = (None if size is None else round(size) for size in (width, height))
    return Style(palette, rounded_width, rounded_height, font, font_size, title)


def rows(frame: pl.DataFrame) -> dict[str, Any]:
    """Return the rows of a frame as chart data, with null for NaN and infinity; encodings must state their types.

    The rows are a tuple in a plain dictionary. With a list or ``InlineData`` Altair would copy and check each row many
    times, which takes half a second for 6000 rows.
    """
    return {"values": tuple(replace_nonfinite(frame).to_dicts())}


def replace_nonfinite(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace NaN and infinite numbers by null, because JSON cannot represent them."""
    import polars as pl
    import polars.selectors as cs

    return frame.with_columns(pl.when(cs.float().is_finite()).then(cs.float()).name.keep())


def remove_line_separators(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace U+2028 and U+2029 in names by spaces: Vega's expressions do not accept them, even in quotes."""
    import polars as pl

    return frame.with_columns(pl.col(pl.String).str.replace_all("[\u2028\u2029]", " "))


def empty_chart(message: str, style: Style = Style()) -> alt.Chart:
    """Return a chart with a message, for a figure without data."""
    chart = alt.Chart({"values": ({"text": message},)}, width=style.total_width() - 20, height=120)
    return chart.mark_text(style="muted", fontSize=13).encode(alt.Text("text:N"))  # type: ignore[no-any-return]


def tooltip(*fields: str | alt.Tooltip) -> list[alt.Tooltip]:
    """Return the channels of a tooltip; fields may be shorthands such as ``run:N``.

    All figures pass channels to ``encode``, because Altair takes milliseconds to convert a shorthand into a channel.
    """
    return [alt.Tooltip(field) if isinstance(field, str) else field for field in fields]


def decimals(*names: str, **titles: str) -> list[alt.Tooltip]:
    """Return the channels of numbers in a tooltip, with four decimals; *titles* are names of numbers with titles."""
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]
    return numbers + [alt.Tooltip(f"{name}:Q", format=".4f", title=title) for name, title in titles.items()]


def pixel_axes(x: str, y: str, width: float, height: float) -> tuple[alt.X, alt.Y]:
    """Return channels for positions in pixels from the left and from the top, in a chart of this size."""
    x_scale, y_scale = alt.Scale(domain=[0, width], nice=False), alt.Scale(domain=[height, 0], nice=False)
    return alt.X(f"{x}:Q", axis=None, scale=x_scale), alt.Y(f"{y}:Q", axis=None, scale=y_scale)


def spread_positions(targets: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return label positions near *targets*: at least *gap* apart, in the same order, within *low* and *high*.

    If the labels do not all fit between *low* and *high*, they extend beyond one end.

    >>> spread_positions([0.5, 0.5, 0.9], 0.1, 0, 1)
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(targets)), key=lambda i: targets[i])
    # Labels that would overlap form a group, which is spaced evenly around the mean of its targets.
    groups: list[tuple[float, int]] = []  # centre and number of labels
    for i in order:
        centre, size = min(max(targets[i], low), high), 1
        while groups and centre - (size - 1) * gap / 2 < groups[-1][0] + (groups[-1][1] - 1) * gap / 2 + gap:
            previous_centre, previous_size = groups.pop()
            centre = (previous_centre * previous_size + centre * size) / (previous_size + size)
            size += previous_size
            half = (size - 1) * gap / 2
            centre = max(min(centre, high - half), low + half)
        groups.append((centre, size))
    positions = [centre + (k - (size - 1) / 2) * gap for centre, size in groups for k in range(size)]
    return [position for _, position in sorted(zip(order, positions, strict=True))]
