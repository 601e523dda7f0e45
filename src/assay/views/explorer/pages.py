"""HTML pages, rendered from templates without data; the scripts of the pages request the data."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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
    Page("/what-if", "what-if.html", "What if"),
    Page("/system", "system.html", "System"),
    Page("/pair", "pair.html", "Pair"),
    Page("/lab", "lab.html", "Measure lab"),
)
ERROR_PAGE = Page("", "error.html", "Error")


def load_templates(vega_tag: str) -> Environment:
    """Return the environment of the templates; it escapes every value."""
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    environment.globals.update(version=VERSION, pages=PAGES, vega=f"/static/vega.js?v={vega_tag}")
    return environment
