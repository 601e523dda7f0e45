"""A section of a report: its content and the template that displays it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.views.report import phrasing
from assay.views.report.sections import SECTIONS, STORY_SECTIONS

if TYPE_CHECKING:
    from jinja2 import Environment

    from assay.views.report.context import ReportContext
    from assay.views.report.figures import Figures


Content = dict[str, Any] | str
"""Variables of the template of a section, or the sentence that says why the section has no content."""


@dataclass(frozen=True)
class Section:
    """A section of a report. The template ``{name}.html`` displays *content*, unless *content* is a sentence."""

    name: str
    title: str
    content: Content

    @property
    def absence(self) -> str:
        """Reason why the section has only a headline; empty if the section is complete."""
        return self.content if isinstance(self.content, str) else self.content.get("absence", "")

    def html(self) -> str:
        """Render the whole section; the details of the appendix are folded."""
        return self._render("story.html" if self.name in (*STORY_SECTIONS, "notes") else "section.html")

    def headline(self) -> str:
        """Render the first sentences, which also appear among the main findings of the report."""
        return self._render("headline.html")

    def _render(self, layout: str) -> str:
        name, variables = (layout, {}) if isinstance(self.content, str) else (f"{self.name}.html", self.content)
        variables = {**variables, "section": self, "absence": self.absence, "layout": layout}
        return templates().get_template(name).render(variables)


def compute_section(name: str, context: ReportContext, figures: Figures) -> Section:
    """Compute a section. All templates know the number of runs, the first measure and the confidence level."""
    content = import_module(f"assay.views.report.sections.{name}").compute(context, figures)
    if not isinstance(content, str):
        common = {"runs": len(context.runs), "measure": context.first_measure}
        content = {**common, "level": phrasing.format_level(context.confidence), **content}
    return Section(name, SECTIONS[name], content)


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
        "signed": phrasing.format_difference,
        "percent": phrasing.format_percent,
        "to_name": phrasing.to_name,
    }
    environment.globals |= {
        "count": phrasing.count,
        "count_all": phrasing.count_all,
        "count_those": phrasing.count_those,
    }
    macros = vars(environment.get_template("macros.html").module)
    environment.globals |= {name: macro for name, macro in macros.items() if not name.startswith("_")}
    return environment
