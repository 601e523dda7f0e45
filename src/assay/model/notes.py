"""Notes on data that was ignored, skipped or assumed; every result carries them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from assay.model.policies import IGNORING_SCORES


class Note(str):
    """A line of text with a kind, a source and the number of items concerned.

    A note is a ``str``; *kind*, *source* and *number* allow notes to be grouped ("12 runs lack topics").

    >>> note = Note("bm25.run: lacks 2 of the 50 topics", kind="missing topics", source="bm25.run", number=2)
    >>> note.kind, note.number, note.startswith("bm25.run")
    ('missing topics', 2, True)
    """

    kind: str
    source: str | None
    number: int | None

    def __new__(cls, text: str, *, kind: str = "", source: str | None = None, number: int | None = None) -> Self:
        """Create a note from a text."""
        note = super().__new__(cls, text)
        note.kind, note.source, note.number = kind, source, number
        return note


TOPIC_KINDS = ("topics without judgments", "missing topics")
"""Kinds of notes on differences between the topics of runs and judgments."""


class TopicCoverage(NamedTuple):
    """Number of topics of a run with judgments and without, and number of documents of the topics without judgments."""

    judged_topic_count: int
    unjudged_topic_count: int
    unjudged_document_count: int


def topic_notes(
    source: str, coverage: TopicCoverage, topic_count: int, unjudged_topics: Iterable[str], exclude_missing: bool
) -> list[Note]:
    """Return notes on the topics of a run without judgments, and on the judged topics that it lacks.

    *topic_count* is the number of topics of the qrels. *unjudged_topics* are the topics without judgments to name in
    the note. *exclude_missing* is True if missing topics are excluded instead of counted as empty rankings.
    """
    notes = []
    if coverage.unjudged_topic_count:
        text = (
            f"{source}: ignored {pluralize(coverage.unjudged_topic_count, 'topic')} without judgments "
            f"({pluralize(coverage.unjudged_document_count, 'document')}): {join_names(sorted(unjudged_topics))}"
        )
        notes.append(Note(text, kind=TOPIC_KINDS[0], source=source, number=coverage.unjudged_topic_count))
    missing_count = topic_count - coverage.judged_topic_count
    if missing_count:
        treatment = "excluded" if exclude_missing else "counted as empty rankings"
        text = f"{source}: lacks {missing_count} of the {pluralize(topic_count, 'topic')} of the qrels; {treatment}"
        notes.append(Note(text, kind=TOPIC_KINDS[1], source=source, number=missing_count))
    return notes


def order_notes(source: str, contradicted_topic_count: int, ties: str) -> list[Note]:
    """Return a note if a tie policy that ignores scores contradicts them in some topics."""
    if not contradicted_topic_count:
        return []
    topics = pluralize(contradicted_topic_count, "topic")
    text = f"{source}: {IGNORING_SCORES[ties]} contradicts the scores in {topics}; ties={ties} ignores the scores"
    return [Note(text, kind="scores ignored", source=source, number=contradicted_topic_count)]


def run_notes(notes: Iterable[str], judgments: Iterable[str]) -> list[str]:
    """Return the notes that concern runs only: neither notes of *judgments* nor notes on topics."""
    excluded = set(judgments)
    return [note for note in notes if note not in excluded and getattr(note, "kind", "") not in TOPIC_KINDS]


def no_shared_topic_message(source: str, run_topics: Iterable[str], qrels_topics: Iterable[str]) -> str:
    """Return the error message for a run that shares no topic with the qrels."""
    in_run, in_qrels = join_names(sorted(run_topics)), join_names(qrels_topics)
    return f"{source}: shares no topic with the qrels (the run has {in_run}; the qrels have {in_qrels})"


def group_notes(notes: Iterable[str], limit: int = 3) -> list[str]:
    """Return the notes without repetitions; more than *limit* notes of one kind become one line.

    >>> lack = [Note(f"r{i}: lacks 2 topics", kind="missing topics", source=f"r{i}", number=2) for i in range(12)]
    >>> group_notes(lack)
    ['missing topics: 12 runs (r0, r1, r2, r3, r4, …); for example, r0: lacks 2 topics']
    """
    all_notes = list(notes)
    by_kind: dict[str, list[Note]] = {}
    for note in all_notes:
        if isinstance(note, Note) and note.kind and note.source is not None:
            by_kind.setdefault(note.kind, []).append(note)
    merged = {kind: _merge_notes(group) for kind, group in by_kind.items() if len(group) > limit}
    # A dict removes repetitions and keeps the order.
    return list(dict.fromkeys(merged.get(getattr(note, "kind", ""), note) for note in all_notes))


def _merge_notes(notes: list[Note]) -> str:
    """Return one line for notes of the same kind: the number and names of their sources, and the first note."""
    sources = list(dict.fromkeys(str(note.source) for note in notes))
    return f"{notes[0].kind}: {pluralize(len(sources), 'run')} ({join_names(sources)}); for example, {notes[0]}"


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    >>> pluralize(1, "topic"), pluralize(3, "run")
    ('1 topic', '3 runs')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def join_names(names: Iterable[str], limit: int = 5) -> str:
    """Join the first *limit* names with commas, and add an ellipsis if there are more.

    >>> join_names("abcdefg")
    'a, b, c, d, e, …'
    """
    all_names = list(names)
    return ", ".join(all_names[:limit]) + (", …" if len(all_names) > limit else "")
