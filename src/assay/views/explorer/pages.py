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

    @property
    def file_name(self) -> str:
        """Name of the page in a copy of the explorer as files."""
        return f"{self.path.removeprefix('/') or 'index'}.html"


PAGES = (
    Page("/", "overview.html", "Overview"),
    Page("/effort-gain", "effort-gain.html", "Effort and gain"),
    Page("/topic", "topic.html", "Topic"),
    Page("/what-if", "what-if.html", "What if"),
    Page("/system", "system.html", "System"),
    Page("/pair", "pair.html", "Pair"),
    Page("/lab", "lab.html", "Measure lab"),
)
COPY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"
"""Content security policy of a copy of the explorer as files, whose pages cannot set headers."""
ERROR_PAGE = Page("", "error.html", "Error")


def load_templates(vega_tag: str, copied: tuple[Page, ...] = ()) -> Environment:
    """Return the environment of the templates; it escapes every value.

    *copied* are the pages of a copy of the explorer as files; their addresses are relative. Empty for the server.
    """
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    root = "" if copied else "/"
    environment.globals.update(
        version=VERSION,
        pages=copied or PAGES,
        copied=[page.path for page in copied],
        root=root,
        vega=f"{root}static/vega.js?v={vega_tag}",
        policy=COPY_POLICY,
    )
    return environment
