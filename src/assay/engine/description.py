"""Names, provenance and notes of the judgments and runs that were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import encodable
from assay.model.joined import JoinedRun
from assay.model.notes import Note
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.model.run import distinct_names


def describe(
    qrels: Qrels | None, runs: Sequence[JoinedRun], policies: Policies, notes: Iterable[str] = ()
) -> tuple[tuple[str, ...], Provenance, tuple[str, ...]]:
    """Return names that tell runs apart, provenance, and the notes of judgments and runs, each once."""
    names, renamed = distinct_names([(encodable(run.name), encodable(run.source)) for run in runs])
    every = [
        *(() if qrels is None else qrels.notes),
        *notes,
        *(note for run, extra in zip(runs, renamed, strict=True) for note in (*run.notes, *extra)),
    ]
    # A file with several runs has its notes in each of them.
    once = {encodable(note): note for note in every}
    kept = tuple(note if text == note and isinstance(note, Note) else Note(text) for text, note in once.items())
    return tuple(names), Provenance.of(qrels, runs, names, policies), kept
