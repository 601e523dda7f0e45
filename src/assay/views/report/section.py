"""What a section of a report is."""

from __future__ import annotations

from dataclasses import dataclass

from assay.views.report.markup import Html, paragraph, tag


@dataclass(frozen=True)
class Section:
    """A section: what it is called, what it says first, what it shows, and how its numbers were made.

    *brief* are sentences that also stand at the beginning of the report.
    """

    name: str
    title: str
    brief: tuple[Html, ...]
    content: tuple[Html, ...] = ()
    how: str | Html = ""

    def html(self) -> Html:
        """The section as a piece of the page."""
        made = tag("p", tag("b", "How these numbers were made. "), self.how, class_="how") if self.how else ""
        return tag(
            "section",
            tag("h2", self.title),
            paragraph(*self.brief, class_="brief"),
            *self.content,
            made,
            id=self.name,
        )
