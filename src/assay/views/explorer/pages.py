"""HTML pages, rendered from templates without data; the scripts of the pages request the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from assay._version import VERSION

TEMPLATES = Path(__file__).parent / "templates"


class Page(NamedTuple):
    """A page: its path, template and title."""

    path: str
    template: str
    title: str


PAGES = (
    Page("/", "overview.html", "Overview"),
    Page("/effort-gain", "effort-gain.html", "Effort and gain"),
    Page("/topic", "topic.html", "Topic"),
    Page("/system", "system.html", "System"),
    Page("/pair", "pair.html", "Pair"),
    Page("/lab", "lab.html", "Measure lab"),
)


class PageRenderer:
    """Render pages from templates; all values are escaped."""

    def __init__(self, vega_tag: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=True
        )
        self._environment.globals.update(version=VERSION, pages=PAGES, vega=f"/static/vega.js?v={vega_tag}")

    def render_page(self, page: Page) -> bytes:
        """Render a page."""
        return self._render(page.template, page=page.path, title=page.title)

    def render_error(self, error: HTTPException) -> bytes:
        """Render a page that explains an error."""
        return self._render("error.html", page="", title="Error", status=error.status_code, message=error.detail)

    def _render(self, template: str, **values: Any) -> bytes:
        return self._environment.get_template(template).render(values).encode()
