"""Themes: the configuration of Vega-Lite for light and dark figures."""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.views.plots._altair import alt
from assay.views.plots._selection import check_choice
from assay.views.plots._style import FONT, SERIES, Style
from assay.views.plots._zoom import zoom_config

THEMES = {
    "light": {"paper": "#ffffff", "ink": "#1c1f23", "muted": "#5c636b", "line": "#8d949c", "soft": "#e4e7ea"},
    "dark": {"paper": "#15181c", "ink": "#e6e8eb", "muted": "#a0a7af", "line": "#6b737c", "soft": "#2b3036"},
}


def config(theme: str = "light", background: bool = True, style: Style = Style()) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme; without *background* the figure is transparent."""
    check_choice("theme", theme, THEMES)
    colours = THEMES[theme]
    font = FONT if style.font is None else f"{style.font}, {FONT}"
    configuration = _configure(colours, font, colours["paper"] if background else "transparent")
    return configuration if style.zoom == 1 else zoom_config(configuration, style.zoom)


def _configure(colours: dict[str, str], font: str, background: str) -> dict[str, Any]:
    fonts = {"labelFont": font, "titleFont": font, "labelColor": colours["ink"], "titleColor": colours["ink"]}
    sizes = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 170}
    return {
        "background": background,
        "font": font,
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


@cache
def _theme_class() -> Any:
    class Theme(alt.Config):  # type: ignore[misc,unused-ignore]
        """A configuration whose parts are changed, not replaced, by ``chart.configure_axis(...)`` and the like."""

        def __setitem__(self, item: str, value: Any) -> None:
            current, new = (_as_dict(part) for part in (self._kwds.get(item), value))
            super().__setitem__(item, {**current, **new} if current and new else value)

    return Theme


def _as_dict(part: Any) -> dict[str, Any]:
    """Return the options of a part of a configuration that are set."""
    if isinstance(part, dict):
        return part
    options = part._kwds if isinstance(part, alt.SchemaBase) else {}
    return {name: value for name, value in options.items() if value is not alt.Undefined}


def theme_of(theme: str, style: Style) -> Any:
    """Return a theme as the configuration of a chart that a user may change."""
    return _theme_class()(**config(theme, style=style))
