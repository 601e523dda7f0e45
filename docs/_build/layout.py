"""A page that is no part of a section has no neighbours to show beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Hide the navigation of a section where there is none."""
    if page.parent is None:
        page.meta.setdefault("hide", ["navigation"])
    return markdown
