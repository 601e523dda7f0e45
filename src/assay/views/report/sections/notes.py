"""Notes: everything that was ignored or assumed, and the policies of evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from assay._version import VERSION
from assay.model.policies import TIES, TOPICS, UNDEFINED, UNJUDGED
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.section import Section

TITLE = "Notes"


def compute(material: Material, _: Figures) -> Section:
    """List the notes of all other sections; therefore this one comes last."""
    settings = material.settings
    content = {
        "notes": name_files(material.notes, [one.source for one in material.pools.provenance.inputs]),
        "policies": {
            "Ties": f"{settings.ties}: {TIES[settings.ties]}",
            "Topics": f"{settings.topics}: {TOPICS[settings.topics]}",
            "Undefined": f"{settings.undefined}: {UNDEFINED[settings.undefined]}",
            "Unjudged": f"{settings.unjudged}: {UNJUDGED[settings.unjudged]}",
            "Seed": f"{settings.seed}, of everything random",
        },
        "version": VERSION,
    }
    return Section("notes", TITLE, content)


def name_files(notes: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Remove the directories of files from notes: a report is read by others, elsewhere.

    >>> name_files(["/data/runs/a.run: lacks 1 topic"], ["/data/runs/a.run"])
    ['a.run: lacks 1 topic']
    """
    longest_first = sorted((source for source in sources if PurePath(source).name), key=len, reverse=True)
    prefixes = [next(filter(note.startswith, longest_first), "") for note in notes]
    return [PurePath(source).name + note.removeprefix(source) for note, source in zip(notes, prefixes, strict=True)]
