"""Notes: everything that was ignored or assumed, and the policies of evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from assay._version import VERSION
from assay.model.policies import TIES, TOPICS, UNDEFINED, UNJUDGED
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import count
from assay.views.report.section import Section

TITLE = "Notes"


def compute(material: Material, _: Figures) -> Section:
    """List the notes of all other sections; therefore this one comes last."""
    notes = name_files(material.notes, [one.source for one in material.pools.provenance.inputs])
    amount = f"{count(len(notes), 'note')} on what was ignored or assumed."
    headline = amount if notes else "Nothing was ignored in the inputs."
    content = {"notes": notes, "policies": describe_policies(material), "version": VERSION}
    return Section("notes", TITLE, (headline,), content)


def name_files(notes: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Remove the directories of files from notes: a report is read by others, elsewhere.

    >>> name_files(["/data/runs/a.run: lacks 1 topic"], ["/data/runs/a.run"])
    ['a.run: lacks 1 topic']
    """
    names = {source: PurePath(source).name for source in sources if PurePath(source).name}
    longest_first = sorted(names, key=len, reverse=True)
    return [_name_file(note, next(filter(note.startswith, longest_first), None), names) for note in notes]


def _name_file(note: str, source: str | None, names: dict[str, str]) -> str:
    return note if source is None else names[source] + note.removeprefix(source)


def describe_policies(material: Material) -> dict[str, str]:
    """Explain the decisions on which evaluation tools disagree."""
    settings = material.settings
    return {
        "Ties": f"{settings.ties}: {TIES[settings.ties]}",
        "Topics": f"{settings.topics}: {TOPICS[settings.topics]}",
        "Undefined": f"{settings.undefined}: {UNDEFINED[settings.undefined]}",
        "Unjudged": f"{settings.unjudged}: {UNJUDGED[settings.unjudged]}",
        "Seed": f"{settings.seed}, of everything random",
    }
