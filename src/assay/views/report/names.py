"""Names of runs, topics and measures, which templates set apart, shorten and link."""

from __future__ import annotations

from dataclasses import dataclass

from assay.results.names import shorten
from assay.views.report.context import ReportContext

LONGEST = 40  # characters of a name in a sentence


@dataclass(frozen=True)
class Name:
    """A name as it is shown; *full* is its title, such as the whole name of one that was shortened."""

    shown: str
    full: str | None = None
    link: str | None = None

    def __str__(self) -> str:
        return self.shown


def to_name(thing: object) -> Name:
    """Return the name of a topic or a measure, shortened if it is long; a ``Name`` stays as it is."""
    if isinstance(thing, Name):
        return thing
    full = str(thing)
    shown = shorten(full, LONGEST)
    return Name(shown, full if shown != full else None)


def run_name(context: ReportContext, run: int) -> Name:
    """Return the name of a run; it links to the section on systems if that section describes the run."""
    full, shown = context.runs[run], context.short_names[run]
    described = "systems" not in context.settings.without and run in context.order[: context.settings.most]
    return Name(shown, full if shown != full else None, f"#system-{run}" if described else None)
