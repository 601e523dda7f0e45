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
    if not style.title.strip():
        return chart.properties(title=alt.Undefined)
    current = chart._get("title")
    title = current.copy() if isinstance(current, alt.TitleParams) else alt.TitleParams()
    title.text = wrap_text(style.title, max_characters(style.total_width() - 20, BOLD_CHARACTER_WIDTH))
    return chart.properties(title=title)
