"""The pages: shells that the scripts fill."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from assay._version import VERSION

TEMPLATES = Path(__file__).parent / "templates"


class Page(NamedTuple):
    """A page: its path, its template and its title."""

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


class Pages:
    """Renders pages; what stands in them is escaped."""

    def __init__(self, runtime_tag: str) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=True
        )
        self._always = {
            "version": VERSION,
            "pages": PAGES,
            "vega": f"/static/vega.js?v={runtime_tag}",
        }

    def page(self, page: Page) -> bytes:
        """A page."""
        return self._rendered(page.template, page=page.path, title=page.title)

    def error(self, status: int, message: str) -> bytes:
        """A page that says what is wrong."""
        return self._rendered("error.html", page="", title="Error", status=status, message=message)

    def _rendered(self, template: str, **values: Any) -> bytes:
        return self._environment.get_template(template).render(**self._always, **values).encode()
