"""Notes: everything that was ignored or assumed, and how to make the report again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from assay._version import VERSION
from assay.model.policies import TIES, TOPICS, UNDEFINED, UNJUDGED
from assay.views.report.figures import Figures
from assay.views.report.markup import Html, joined, said, tag
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import many

NAME, TITLE = "notes", "Notes"


def section(material: Material, _: Figures) -> Section:
    """What the other sections took for granted; this one comes last."""
    notes = named_by_files(material.notes, [one.source for one in material.pools.provenance.inputs])
    brief = (
        said("Nothing was ignored in the inputs.")
        if not notes
        else said("{notes} on what was ignored or assumed.", notes=many(len(notes), "note"))
    )
    listed = [tag("ul", joined((tag("li", note) for note in notes), "\n"), class_="notes")] if notes else []
    return Section(NAME, TITLE, (brief,), (*listed, tag("h3", "Policies"), policies(material)), made())


def named_by_files(notes: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Notes that name files, not where they lay: a report is read by others, elsewhere.

    >>> named_by_files(["/data/runs/a.run: lacks 1 topic"], ["/data/runs/a.run"])
    ['a.run: lacks 1 topic']
    """
    known = {source: PurePath(source).name for source in sources if PurePath(source).name}
    return [_shorter(note, known) for note in notes]


def _shorter(note: str, known: dict[str, str]) -> str:
    source = next((source for source in sorted(known, key=len, reverse=True) if note.startswith(source)), None)
    return note if source is None else known[source] + note.removeprefix(source)


def policies(material: Material) -> Html:
    """The decisions on which evaluation tools disagree, in words."""
    how = material.settings
    said_of = {
        "Ties": f"{how.ties}: {TIES[how.ties]}",
        "Topics": f"{how.topics}: {TOPICS[how.topics]}",
        "Undefined": f"{how.undefined}: {UNDEFINED[how.undefined]}",
        "Unjudged": f"{how.unjudged}: {UNJUDGED[how.unjudged]}",
        "Seed": f"{how.seed}, of everything random",
    }
    return tag("dl", *(joined([tag("dt", word), tag("dd", text)]) for word, text in said_of.items()), class_="facts")


def made() -> Html:
    """The version; a report has no date, so that the same inputs give the same bytes."""
    return said(
        "Made by assay {version}. The report has no date: the same inputs, options and version give the same bytes. "
        "The inputs and their SHA-256 are at the beginning.",
        version=VERSION,
    )
