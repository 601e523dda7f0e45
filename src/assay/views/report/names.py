"""Names of runs, topics and measures for templates, which highlight and link them."""

from __future__ import annotations

from dataclasses import dataclass

from assay.results.names import shorten
from assay.views.report.context import ReportContext

MAX_LENGTH = 40  # Characters of a name in a sentence.


@dataclass(frozen=True)
class Name:
    """A name: the text *shown*, an optional *link*, and the *full* name for a tooltip if the text is shortened."""

    shown: str
    full: str | None = None
    link: str | None = None

    def __str__(self) -> str:
        return self.shown


def to_name(value: object) -> Name:
    """Return the name of a topic or a measure, shortened if it is long; a ``Name`` is returned unchanged."""
    if isinstance(value, Name):
        return value
    full = str(value)
    shown = shorten(full, MAX_LENGTH)
    return Name(shown, full if shown != full else None)


def run_name(context: ReportContext, run: int) -> Name:
    """Return the name of a run; it links to the section on systems if that section describes the run."""
    full, shown = context.runs[run], context.short_names[run]
    has_details = "systems" not in context.settings.without and run in context.order[: context.settings.most]
    return Name(shown, full if shown != full else None, f"#system-{run}" if has_details else None)
