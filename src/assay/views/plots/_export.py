"""Export charts: pictures, a self-contained HTML page, the Vega-Lite specification, or the data as CSV."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from assay.views.plots._altair import altair, skip_validation
from assay.views.plots._renderer import VEGA_LITE, render
from assay.views.plots._selection import check_choice
from assay.views.plots._style import Style
from assay.views.plots._theme import config

if TYPE_CHECKING:
    from assay.model.provenance import Provenance
    from assay.views.plots._figures import Data

FORMATS = ("png", "svg", "pdf", "html", "json", "csv")
_POINTS_PER_PIXEL = 0.75
"""A pixel is 1/96 inch, as in SVG; PDF measures in points, which are 1/72 inch."""


def specification(chart: Any, provenance: Provenance | None = None, *, checked: bool = True) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, without a theme; ``usermeta`` holds the provenance.

    If *checked*, Altair validates the specification against the schema of Vega-Lite; this doubles the time.
    """
    with skip_validation():
        spec: dict[str, Any] = chart.to_dict(format="vega-lite", validate=checked)
    spec.pop("config", None)
    spec["datasets"] = {name: list(values) for name, values in spec.get("datasets", {}).items()}
    if provenance is None or not (provenance.inputs or provenance.settings):
        return spec
    return {**spec, "usermeta": provenance.as_dict()}


def export_chart(
    chart: Any,
    data: Data,
    form: str,
    *,
    theme: str = "light",
    scale: float = 2,
    title: str = "",
    style: Style = Style(),
) -> bytes:
    """Return a figure in one of ``FORMATS``.

    Parameters
    ----------
    chart, data
        The chart from ``draw`` and the table from ``data``.
    theme
        ``light``, ``dark``, or ``auto``: an HTML page then follows the browser's setting, other formats are light.
    scale
        Resolution of a PNG: pixels of the picture for each pixel of the figure.
    title
        Title of an HTML page.
    style
        Style with which the chart was drawn, for its font and font size.
    """
    check_choice("format", form, FORMATS)
    if form == "csv":
        return data.frame.write_csv(null_value="").encode()
    spec = specification(chart, data.provenance)
    if form == "html":
        return html_page(spec, title, theme, style).encode()
    spec["config"] = config("light" if theme == "auto" else theme, style=style)
    if form == "json":
        return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()
    options = {"png": {"scale": scale}, "pdf": {"scale": _POINTS_PER_PIXEL}}.get(form, {})
    return render(form=form, vl_spec=spec, vl_version=VEGA_LITE, allowed_base_urls=[], **options)


@cache
def runtime() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, bundled by vl-convert without network access."""
    altair()
    return render(form="bundle", vl_version=VEGA_LITE).decode()


def embed_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, even if its strings contain markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: {scheme}; }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 24px; background: Canvas; color: CanvasText; }}
#figure {{ overflow-x: auto; }}
</style>
<h1 style="font-size: 18px">{title}</h1>
<div id="figure"></div>
<script>{runtime}</script>
<script id="spec" type="application/json">{spec}</script>
<script id="themes" type="application/json">{themes}</script>
<script>
const read = id => JSON.parse(document.getElementById(id).textContent);
const dark = {dark};
const config = read("themes")[dark ? 1 : 0];
vegaEmbed("#figure", read("spec"), {{ config, actions: {{ source: false, editor: false }} }});
</script>
</html>
"""


def html_page(spec: dict[str, Any], title: str, theme: str = "auto", style: Style = Style()) -> str:
    """Return a self-contained HTML page with one figure."""
    return _PAGE.format(
        title=escape(title or "assay"),
        scheme="light dark" if theme == "auto" else theme,
        runtime=runtime(),
        spec=embed_json(spec),
        themes=embed_json([config(name, style=style) for name in ("light", "dark")]),
        dark="matchMedia('(prefers-color-scheme: dark)').matches" if theme == "auto" else str(theme == "dark").lower(),
    )
