"""The house style: colours, themes and the few pieces that figures share.

Figures name no grey, black or white: what is neutral takes one of the named styles ``label``, ``muted``, ``reference``
and ``soft``, which a theme fills in. So one chart can be shown light or dark without being drawn again. A text that
stands on points or lines is drawn twice, first with the style ``halo``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError, InputError, suggestion

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#8a8a3d")
"""Colours for a few series: those of Okabe and Ito without black and yellow, which a background may swallow."""


@dataclass(frozen=True)
class Palette:
    """What colours stand for.

    *right*, *early* and *late*: a document where it belongs, above and below its place; also no difference, a gain and
    a loss. *series*: for a few lines or groups. *scale* and *diverging*: names of Vega's schemes for amounts.
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
"""``safe`` can be told apart by colour-blind readers; ``papers`` has the red, blue and green of the papers."""


@dataclass(frozen=True)
class Style:
    """How a figure is drawn: the name of its palette and how wide it is in all, in pixels (None: as it likes).

    >>> Style(palette="gaudy")
    Traceback (most recent call last):
    ...
    assay.errors.InputError: palette 'gaudy': choose one of safe, papers
    """

    palette: str = "safe"
    width: int | None = None

    def __post_init__(self) -> None:
        if self.palette not in PALETTES:
            hint = suggestion(self.palette, PALETTES)
            raise InputError(f"palette {self.palette!r}: choose one of {', '.join(PALETTES)}{hint}")
        if self.width is not None and not 200 <= self.width <= 4000:
            raise InputError(f"width must be from 200 to 4000 pixels, got {self.width}")

    @property
    def colours(self) -> Palette:
        """The palette."""
        return PALETTES[self.palette]

    def room(self, default: int = 360) -> int:
        """How wide the figure may be in all: the column of a paper (360 pixels) unless a figure needs more."""
        return default if self.width is None else self.width


def altair() -> Any:
    """The package that draws; it is not needed for anything else."""
    try:
        import altair
    except ImportError:
        raise DependencyError("figures need altair and vl-convert-python; pip install 'assay-ir[plots]'") from None
    return altair


def rows(frame: pl.DataFrame) -> dict[str, Any]:
    """The rows of a frame as the data of a chart; what is no number is null. Encodings must say their types.

    They are no list and no InlineData: Altair would copy and check each row many times, which takes half a second for
    6000 rows.
    """
    return {"values": tuple(finite(frame).to_dicts())}


def finite(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with null where a number is not finite, as JSON has it."""
    import polars as pl
    import polars.selectors as cs

    return frame.with_columns(pl.when(cs.float().is_finite()).then(cs.float()).name.keep())


def one_line(frame: pl.DataFrame) -> pl.DataFrame:
    """Names without the two separators of lines that Vega's expressions cannot hold, even in quotes."""
    import polars as pl

    return frame.with_columns(pl.col(pl.String).str.replace_all("[\u2028\u2029]", " "))


def nothing(message: str, style: Style = Style()) -> alt.Chart:
    """What stands in place of a figure that has nothing to show."""
    alt = altair()
    data = alt.InlineData(values=[{"text": message}])
    chart = alt.Chart(data, width=style.room() - 20, height=120).mark_text(style="muted", fontSize=13)
    return chart.encode(text="text:N")  # type: ignore[no-any-return]


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels beside *places*: at least *gap* apart, in the same order, inside *low* and *high* if they fit.

    >>> apart([0.5, 0.5, 0.9], 0.1, 0, 1)
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[tuple[float, int]] = []  # centre and how many labels
    for i in order:
        centre, many = min(max(places[i], low), high), 1
        while groups and centre - (many - 1) * gap / 2 < groups[-1][0] + (groups[-1][1] - 1) * gap / 2 + gap:
            before, others = groups.pop()
            centre, many = (before * others + centre * many) / (others + many), others + many
            half = (many - 1) * gap / 2
            centre = max(min(centre, high - half), low + half)
        groups.append((centre, many))
    found = [centre + (k - (many - 1) / 2) * gap for centre, many in groups for k in range(many)]
    return [place for _, place in sorted(zip(order, found, strict=True))]


# Themes --------------------------------------------------------------------------------------------------------

THEMES = {
    "light": {"paper": "#ffffff", "ink": "#1c1f23", "muted": "#5c636b", "line": "#8d949c", "soft": "#e4e7ea"},
    "dark": {"paper": "#15181c", "ink": "#e6e8eb", "muted": "#a0a7af", "line": "#6b737c", "soft": "#2b3036"},
}


def config(theme: str = "light", background: bool = True) -> dict[str, Any]:
    """What a theme gives to Vega-Lite; without *background* what is behind the figure shines through."""
    if theme not in THEMES:
        raise InputError(f"theme {theme!r}: choose one of {', '.join(THEMES)}{suggestion(theme, THEMES)}")
    of = THEMES[theme]
    words = {"labelFont": FONT, "titleFont": FONT, "labelColor": of["ink"], "titleColor": of["ink"]}
    sizes = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 170}
    return {
        "background": of["paper"] if background else "transparent",
        "font": FONT,
        "padding": 6,
        "view": {"stroke": None},
        "axis": {
            **words,
            **sizes,
            "titlePadding": 6,
            "grid": False,
            "domainColor": of["line"],
            "tickColor": of["line"],
            "gridColor": of["soft"],
            "tickSize": 4,
        },
        "header": {**words, **sizes, "labelPadding": 4},
        "legend": {**words, **sizes, "titleLimit": 220, "symbolStrokeWidth": 2},
        "title": {
            "color": of["ink"],
            "subtitleColor": of["muted"],
            "anchor": "start",
            "frame": "group",
            "fontSize": 12,
            "subtitleFontSize": 11,
            "fontWeight": 600,
            "offset": 8,
        },
        "range": {"category": list(SERIES)},
        "text": {"color": of["ink"], "fontSize": 11},
        "rule": {"color": of["line"]},
        "style": {
            # "color", not "fill" or "stroke": these would lose against the colours that Vega-Lite gives to marks.
            "label": {"color": of["ink"], "fontSize": 11},
            "muted": {"color": of["muted"], "fontSize": 11},
            "reference": {"color": of["line"], "strokeWidth": 1, "strokeDash": [3, 3]},
            "soft": {"color": of["soft"], "strokeWidth": 0},
            "halo": {"fill": of["paper"], "stroke": of["paper"], "strokeWidth": 3, "fontSize": 11},
        },
    }
