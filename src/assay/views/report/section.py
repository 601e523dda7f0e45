"""A section of a report: its content and the template that displays it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.views.report import phrasing
from assay.views.report.names import to_name

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Section:
    """A section of a report. The template ``{name}.html`` displays *content*.

    *absence* is the reason why the section has only a headline. Without *content*, this reason is the headline.
    """

    name: str
    title: str
    content: Mapping[str, Any]
    absence: str = ""

    def html(self) -> str:
        """Render the whole section."""
        return self._render("section.html")

    def headline(self) -> str:
        """Render the first sentences, which also appear among the main findings of the report."""
        return self._render("headline.html")

    def _render(self, layout: str) -> str:
        template = templates().get_template(f"{self.name}.html" if self.content else layout)
        return template.render(self.content, section=self, absence=self.absence, layout=layout)


@cache
def templates() -> Environment:
    """Return the environment of the templates; it escapes every value."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "interval": phrasing.format_interval,
        "number": phrasing.format_number,
        "ordinal": phrasing.ordinal,
        "percent": phrasing.format_percent,
        "to_name": to_name,
    }
    environment.globals |= {
        "count": phrasing.count,
        "count_all": phrasing.count_all,
        "count_those": phrasing.count_those,
    }
    macros = vars(environment.get_template("macros.html").module)
    environment.globals |= {name: macro for name, macro in macros.items() if not name.startswith("_")}
    return environment
