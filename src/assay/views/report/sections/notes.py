"""Notes on ignored input and assumptions, and the policies of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from assay._version import VERSION
from assay.model.policies import MISSING, TIES, UNDEFINED, UNJUDGED
from assay.model.provenance import Provenance
from assay.results.external.missing import POLICIES as MISSING_VALUES
from assay.views.report.context import ReportContext
from assay.views.report.figures import Figures
from assay.views.report.section import Content


def compute(context: ReportContext, _: Figures) -> Content:
    """List the notes of all other sections; therefore this section comes last."""
    seed = {"Seed": f"{context.settings.seed}, for all random numbers"}
    return {
        "notes": name_files(context.notes, [entry.source for entry in context.source.provenance.inputs]),
        "policies": {**describe_policies(context.source.provenance), **seed},
        "version": VERSION,
    }


def describe_policies(provenance: Provenance) -> dict[str, str]:
    """Return the policies; values that another tool computed have only a policy on missing values."""
    if provenance.only_values:
        missing = provenance.settings["missing"]
        return {"Missing values": f"{missing}: {MISSING_VALUES[missing]}"}
    policies = provenance.policies
    return {
        "Ties": f"{policies.ties}: {TIES[policies.ties]}",
        "Missing topics": f"{policies.missing}: {MISSING[policies.missing]}",
        "Undefined": f"{policies.undefined}: {UNDEFINED[policies.undefined]}",
        "Unjudged": f"{policies.unjudged}: {UNJUDGED[policies.unjudged]}",
    }


def name_files(notes: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Remove directories from the file names in notes; readers of a report need not see them.

    >>> name_files(["/data/runs/a.run: lacks 1 topic"], ["/data/runs/a.run"])
    ['a.run: lacks 1 topic']
    """
    longest_first = sorted((source for source in sources if PurePath(source).name), key=len, reverse=True)
    prefixes = [next(filter(note.startswith, longest_first), "") for note in notes]
    return [PurePath(source).name + note.removeprefix(source) for note, source in zip(notes, prefixes, strict=True)]
