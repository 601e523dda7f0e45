"""Notes on the conditions of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.measures import Measure
from assay.model.checks import find_positions
from assay.model.notes import Note, join_names, pluralize
from assay.results.aggregation import GEOMETRIC_FLOOR
from assay.significance._gate.baseline import get_judged_name

if TYPE_CHECKING:
    from assay.significance._gate.report import Gate

LARGER_UNJUDGED_SHARE = 0.05
"""Smallest decrease of Judged@k that is noted."""


def note_gate(gate: Gate) -> tuple[str, ...]:
    """Return the notes of the values, and notes on topics, measures and unjudged documents."""
    notes = [*gate.aligned.results.notes, *_note_topics(gate)]
    measures = dict.fromkeys(row.measure for row in gate.rows)
    for measure in measures:
        notes += _note_measure(gate, measure)
    return (*notes, *(note for measure in measures for note in _note_unjudged_documents(gate, measure)))


def _note_topics(gate: Gate) -> list[str]:
    """Return notes on the topics that were left out, and on baselines without digests of the judgments."""
    coverage = gate.coverage
    groups = (
        (coverage.added, "not in the baseline"),
        (coverage.removed, "that only the baseline has"),
        (coverage.changed, "whose judgments changed since the baseline was written"),
    )
    notes = [
        f"left out {pluralize(len(topics), 'topic')} {text}: {join_names(topics)}" for topics, text in groups if topics
    ]
    if gate.baseline.source is not None and (gate.baseline.judgments is None or gate.values.digests is None):
        notes.append("the judgments of the baseline and of the candidate could not be compared, and are assumed equal")
    return notes


def _note_measure(gate: Gate, measure: Measure) -> list[str]:
    """Return the notes on the comparison by one measure."""
    notes = []
    if measure.aggregate == "geometric":
        notes.append(
            f"{measure}: compared on log(max(value, {GEOMETRIC_FLOOR:g})); difference, bounds, margin and mdd are "
            "differences of logarithms"
        )
    if measure.aggregate == "sum":
        notes.append(f"{measure}: a count, compared by its mean per topic")
    if measure.lower_is_better:
        notes.append(f"{measure}: lower values are better, so a loss is a higher value")
    missing = np.isnan(gate.aligned.results.matrix(measure)).any(axis=0)
    if missing.any():
        names = [topic for topic, excluded in zip(gate.aligned.results.topics, missing, strict=True) if excluded]
        notes.append(
            f"{measure}: {pluralize(len(names), 'topic')} excluded where a run has no value: {join_names(names)}"
        )
    return notes


def _note_unjudged_documents(gate: Gate, measure: Measure) -> list[str]:
    """Return a note for each candidate with clearly fewer judged documents than the baseline."""
    name, used = get_judged_name(measure), gate.coverage.used
    if gate.values.judged is None or name not in gate.baseline.judged:
        return []
    results = gate.values.judged
    topics = find_positions(results.topics, used, "topic")
    before = np.nanmean(gate.baseline.judged[name][find_positions(gate.baseline.topics, used, "topic")])
    notes: list[str] = []
    for candidate in gate.candidates:
        after = np.nanmean(results.matrix(name)[results.runs.index(candidate), topics])
        if before - after >= LARGER_UNJUDGED_SHARE:
            text = (
                f"{candidate}: {name} is {after:.2f} (baseline: {before:.2f}); a loss may be due to missing judgments, "
                "assay uncertainty bounds shows how much"
            )
            notes.append(Note(text, kind=f"lower {name} than the baseline", source=candidate))
    return notes
