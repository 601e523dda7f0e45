"""Replace or remove the title of a chart."""

from __future__ import annotations

from typing import Any

from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._style import Style


def set_title(chart: Any, style: Style) -> Any:
    """Return the chart with the title of *style*, in lines that fit; titles of panels remain."""
    if style.title is None:
        return chart
    copy = chart.copy(deep=False)
    copy.title = alt.Undefined if not style.title.strip() else _make_title(chart._get("title"), style)
    return copy


def _make_title(current: Any, style: Style) -> Any:
    """Return a title with the text of *style* and the options of the current title, including its subtitle."""
    title = current.copy() if isinstance(current, alt.TitleParams) else alt.TitleParams()
    title.text = wrap_text(style.title or "", max_characters(style.total_width() - 20, BOLD_CHARACTER_WIDTH))
    return title
