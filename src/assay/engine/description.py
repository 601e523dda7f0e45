"""Unique run names, provenance and notes of the judgments and runs read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import escape_surrogates
from assay.model.joined import JoinedRun
from assay.model.notes import Note
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.model.run import assign_run_names


def describe(
    qrels: Qrels | None, runs: Sequence[JoinedRun], policies: Policies, notes: Iterable[str] = ()
) -> tuple[tuple[str, ...], Provenance, tuple[str, ...]]:
    """Return unique names of the runs, provenance, and the notes of judgments and runs without repetitions."""
    names, naming_notes = assign_run_names(
        [(escape_surrogates(run.name), escape_surrogates(run.source)) for run in runs]
    )
    all_notes = [
        *(() if qrels is None else qrels.notes),
        *notes,
        *(note for run, naming in zip(runs, naming_notes, strict=True) for note in (*run.notes, *naming)),
    ]
    # The notes of a file with several runs occur in each of its runs.
    unique = {escape_surrogates(note): note for note in all_notes}
    unique_notes = tuple(
        note if text == note and isinstance(note, Note) else Note(text) for text, note in unique.items()
    )
    return tuple(names), Provenance.of(qrels, runs, names, policies), unique_notes
