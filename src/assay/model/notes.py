"""Notes: remarks on what was ignored, skipped or assumed, kept with every result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from assay.model.policies import IGNORING_SCORES


class Note(str):
    """One line of text that also knows its kind, its source and how many things it concerns.

    It behaves as text everywhere; *kind*, *source* and *number* let a table group notes ("12 runs lack topics").

    >>> note = Note("bm25.run: lacks 2 of the 50 topics", kind="missing topics", source="bm25.run", number=2)
    >>> note.kind, note.number, note.startswith("bm25.run")
    ('missing topics', 2, True)
    """

    kind: str
    source: str | None
    number: int | None

    def __new__(cls, text: str, *, kind: str = "", source: str | None = None, number: int | None = None) -> Self:
        """Make a note of a text."""
        note = super().__new__(cls, text)
        note.kind, note.source, note.number = kind, source, number
        return note


TOPIC_KINDS = ("topics without judgments", "missing topics")
"""The kinds of notes on how the topics of runs and judgments differ."""


class TopicCoverage(NamedTuple):
    """Number of judged topics that a run answers, of its topics without judgments and of their documents."""

    answered: int
    unjudged: int
    unjudged_documents: int


def topic_notes(
    source: str, coverage: TopicCoverage, topics: int, unjudged: Iterable[str], left_out: bool
) -> list[Note]:
    """Note the topics of a run without judgments (*unjudged* are the first of them) and the topics that it lacks."""
    notes = []
    if coverage.unjudged:
        text = (
            f"{source}: {count(coverage.unjudged, 'topic')} without judgments ignored "
            f"({count(coverage.unjudged_documents, 'document')}): {some(sorted(unjudged))}"
        )
        notes.append(Note(text, kind=TOPIC_KINDS[0], source=source, number=coverage.unjudged))
    missing = topics - coverage.answered
    if missing:
        how = "left out" if left_out else "counted as empty rankings"
        text = f"{source}: lacks {missing} of the {count(topics, 'topic')} of the qrels; {how}"
        notes.append(Note(text, kind=TOPIC_KINDS[1], source=source, number=missing))
    return notes


def order_notes(source: str, contradicted: int, ties: str) -> list[Note]:
    """Note that a tie policy that ignores the scores contradicts them in *contradicted* topics."""
    if not contradicted:
        return []
    topics = count(contradicted, "topic")
    text = f"{source}: {IGNORING_SCORES[ties]} contradicts the scores in {topics}; ties={ties} ignores the scores"
    return [Note(text, kind="scores ignored", source=source, number=contradicted)]


def run_notes(notes: Iterable[str], judgments: Iterable[str]) -> list[str]:
    """Return the notes on runs alone: without the notes of the *judgments*, and those on topics."""
    other = set(judgments)
    return [note for note in notes if note not in other and getattr(note, "kind", "") not in TOPIC_KINDS]


def no_shared_topic(source: str, run_topics: Iterable[str], qrels_topics: Iterable[str]) -> str:
    """Build the message for a run that has no topic of the qrels."""
    runs = some(sorted(run_topics))
    return f"{source}: shares no topic with the qrels (the run has {runs}; the qrels have {some(qrels_topics)})"


def group_notes(notes: Iterable[str], most: int = 3) -> list[str]:
    """Return notes with those of one kind joined to one line if they are more than *most*.

    >>> lack = [Note(f"r{i}: lacks 2 topics", kind="missing topics", source=f"r{i}", number=2) for i in range(12)]
    >>> group_notes(lack)
    ['missing topics: 12 runs (r0, r1, r2, r3, r4, …), such as r0: lacks 2 topics']
    """
    listed = list(notes)
    kinds: dict[str, list[Note]] = {}
    for note in listed:
        if isinstance(note, Note) and note.kind and note.source is not None:
            kinds.setdefault(note.kind, []).append(note)
    many = {kind: own for kind, own in kinds.items() if len(own) > most}
    lines: dict[str, None] = {}
    for note in listed:
        own = many.get(getattr(note, "kind", ""), [])
        sources = list(dict.fromkeys(str(one.source) for one in own))
        joined = f"{own[0].kind}: {count(len(sources), 'run')} ({some(sources)}), such as {own[0]}" if own else note
        lines[joined] = None
    return list(lines)


def count(number: int, thing: str) -> str:
    """Write a number of things.

    >>> count(1, "topic"), count(3, "run")
    ('1 topic', '3 runs')
    """
    return f"{number} {thing}{'s' * (number != 1)}"


def some(names: Iterable[str], most: int = 5) -> str:
    """List the first of many names.

    >>> some("abcdefg")
    'a, b, c, d, e, …'
    """
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")
