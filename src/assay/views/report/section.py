"""A section of a report: what it computed, and the template that displays it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.views.report.prose import Phrase

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Section:
    """A section, displayed by the template of its name.

    *headline* are the sentences that also appear among the main findings of the report; None is left out. *content*
    are the variables of the template; without any there is nothing to show but the headline.
    """

    name: str
    title: str
    headline: tuple[Phrase | None, ...]
    content: dict[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """Render the section."""
        template = f"{self.name}.html" if self.content else "section.html"
        return templates().get_template(template).render(self.content, section=self)


@cache
def templates() -> Environment:
    """Return the templates of the page, which escape every value."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
