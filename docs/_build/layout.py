"""Hide the side navigation on pages that belong to no section."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Hide the navigation of a page without a section."""
    if page.parent is None:
        page.meta.setdefault("hide", ["navigation"])
    return markdown
