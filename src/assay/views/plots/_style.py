"""Common style of the figures: palettes, themes and a few helpers.

Figures never use grey, black or white directly. Neutral marks take one of the named styles ``label``, ``muted``,
``reference`` and ``soft``, whose colours the theme defines. The same chart can therefore be shown in a light or a dark
theme. Text over points or lines is drawn twice, first with the style ``halo``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.views.plots._altair import alt
from assay.views.plots._selection import check_choice

if TYPE_CHECKING:
    import polars as pl

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


PALETTES = {
    "safe": Palette(right="#009e73", early="#d55e00", late="#0072b2"),
    "papers": Palette(right="#2ca02c", early="#d62728", late="#3567e8"),
}
"""``safe`` is suitable for colour-blind readers; ``papers`` has the red, blue and green of the papers."""


@dataclass(frozen=True)
class Style:
    """The palette of a figure and its total width in pixels (None: the default of the figure).

    >>> Style(palette="gaudy")
    Traceback (most recent call last):
    ...
    assay.errors.InputError: palette 'gaudy': choose one of safe, papers
    """

    palette: str = "safe"
    width: int | None = None

    def __post_init__(self) -> None:
        check_choice("palette", self.palette, PALETTES)
        if self.width is not None and not 200 <= self.width <= 4000:
            raise InputError(f"width must be from 200 to 4000 pixels, got {self.width}")

    @property
    def colours(self) -> Palette:
        """The palette."""
        return PALETTES[self.palette]

    def total_width(self, default: int = 360) -> int:
        """Return the total width in pixels: the requested width, or *default* (360 is the column of a paper)."""
        return default if self.width is None else self.width


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


# Themes --------------------------------------------------------------------------------------------------------

THEMES = {
    "light": {"paper": "#ffffff", "ink": "#1c1f23", "muted": "#5c636b", "line": "#8d949c", "soft": "#e4e7ea"},
    "dark": {"paper": "#15181c", "ink": "#e6e8eb", "muted": "#a0a7af", "line": "#6b737c", "soft": "#2b3036"},
}


def config(theme: str = "light", background: bool = True) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme; without *background* the figure is transparent."""
    check_choice("theme", theme, THEMES)
    colours = THEMES[theme]
    fonts = {"labelFont": FONT, "titleFont": FONT, "labelColor": colours["ink"], "titleColor": colours["ink"]}
    sizes = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 170}
    return {
        "background": colours["paper"] if background else "transparent",
        "font": FONT,
        "padding": 6,
        "view": {"stroke": None},
        "axis": {
            **fonts,
            **sizes,
            "titlePadding": 6,
            "grid": False,
            "domainColor": colours["line"],
            "tickColor": colours["line"],
            "gridColor": colours["soft"],
            "tickSize": 4,
        },
        "header": {**fonts, **sizes, "labelPadding": 4},
        "legend": {**fonts, **sizes, "titleLimit": 220, "symbolStrokeWidth": 2},
        "title": {
            "color": colours["ink"],
            "subtitleColor": colours["muted"],
            "anchor": "start",
            "frame": "group",
            "fontSize": 12,
            "subtitleFontSize": 11,
            "fontWeight": 600,
            "offset": 8,
        },
        "range": {"category": list(SERIES)},
        "text": {"color": colours["ink"], "fontSize": 11},
        "rule": {"color": colours["line"]},
        "style": {
            # These styles set "color", because Vega-Lite's default colours of marks would override "fill" or "stroke".
            "label": {"color": colours["ink"], "fontSize": 11},
            "muted": {"color": colours["muted"], "fontSize": 11},
            "reference": {"color": colours["line"], "strokeWidth": 1, "strokeDash": [3, 3]},
            "soft": {"color": colours["soft"], "strokeWidth": 0},
            "halo": {"fill": colours["paper"], "stroke": colours["paper"], "strokeWidth": 3, "fontSize": 11},
        },
    }
