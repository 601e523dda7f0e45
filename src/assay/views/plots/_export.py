"""Charts as files: pictures, a page that needs no network, the specification, the data."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, suggestion
from assay.views.plots._renderer import VEGA_LITE, render
from assay.views.plots._style import altair, config

if TYPE_CHECKING:
    from assay.model.provenance import Provenance
    from assay.views.plots._figures import Data

FORMATS = ("png", "svg", "pdf", "html", "json", "csv")


def specification(chart: Any, provenance: Provenance | None = None, *, checked: bool = True) -> dict[str, Any]:
    """The chart in the language of Vega-Lite, without a theme; what is behind it is told as ``usermeta``.

    Unless it is *checked*, Altair does not look at every part of it, which takes half of the time.
    """
    spec: dict[str, Any] = chart.to_dict(format="vega-lite", validate=checked)
    spec.pop("config", None)
    spec["datasets"] = {name: list(values) for name, values in spec.get("datasets", {}).items()}
    known = provenance is not None and (provenance.inputs or provenance.settings)
    return {**spec, "usermeta": provenance.as_dict()} if provenance is not None and known else spec


def saved(chart: Any, data: Data, form: str, *, theme: str = "light", scale: float = 2, title: str = "") -> bytes:
    """A figure in one of ``FORMATS``.

    Parameters
    ----------
    chart, data
        What ``draw`` and ``data`` made.
    theme
        ``light`` or ``dark``; a page follows the reader's choice if it is ``auto``.
    scale
        How many pixels a PNG has for each of the figure.
    title
        The title of a page.
    """
    if form not in FORMATS:
        raise InputError(f"format {form!r}: choose one of {', '.join(FORMATS)}{suggestion(form, FORMATS)}")
    if form == "csv":
        return data.frame.write_csv(null_value="").encode()
    spec = specification(chart, data.provenance)
    if form == "html":
        return page(spec, title, theme).encode()
    spec["config"] = config("light" if theme == "auto" else theme)
    if form == "json":
        return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()
    return _picture(spec, form, scale)


def _picture(spec: dict[str, Any], form: str, scale: float) -> bytes:
    altair()  # says what to install if it is missing; the other package comes with it
    scaled = {"scale": scale} if form == "png" else {}
    return render(form=form, vl_spec=spec, vl_version=VEGA_LITE, allowed_base_urls=[], **scaled)


@cache
def runtime() -> str:
    """Vega, Vega-Lite and vega-embed as one script, from the package that draws: nothing is fetched."""
    altair()
    return render(form="bundle", vl_version=VEGA_LITE).decode()


def embedded(value: Any) -> str:
    """JSON that can stand inside a script element, whatever names it holds."""
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


def page(spec: dict[str, Any], title: str, theme: str = "auto") -> str:
    """A page with one figure; it holds all that it needs."""
    return _PAGE.format(
        title=escape(title or "assay"),
        scheme="light dark" if theme == "auto" else theme,
        runtime=runtime(),
        spec=embedded(spec),
        themes=embedded([config("light"), config("dark")]),
        dark="matchMedia('(prefers-color-scheme: dark)').matches" if theme == "auto" else str(theme == "dark").lower(),
    )
