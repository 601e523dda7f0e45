"""Problems in the input: a strict reader raises an error, a lenient reader counts them and writes notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.errors import InputError, SkippableError


class Place(str):
    """The place of a row as messages show it (``bm25.run:12``); places are compared by their line numbers."""

    line: int

    @classmethod
    def at(cls, text: str, line: int) -> Place:
        """Return the place of a line."""
        place = cls(text)
        place.line = line
        return place


MAX_PLACES = 3
"""Number of places of each kind of problem that are kept as examples."""


class ProblemKind(NamedTuple):
    """Problems of one kind in one source.

    Attributes
    ----------
    action
        The action of a lenient reader, such as "skipped lines that are not JSON".
    occurrences
        Number of lines or rows concerned.
    line, first
        The line and the message of the first problem.
    places
        The places of the first problems, at most ``MAX_PLACES``.
    """

    action: str
    occurrences: int
    line: int
    first: str
    places: tuple[str, ...]

    @property
    def noun(self) -> str:
        """The lines or rows concerned, such as "lines that are not JSON"."""
        return self.action.removeprefix("skipped ").removesuffix(", keeping the first")


class EmptySourceError(InputError):
    """A source without valid rows; *problems* are the problems of its rows."""

    def __init__(self, message: str, problems: tuple[ProblemKind, ...]) -> None:
        super().__init__(message)
        self.problems = problems


class Problems:
    """Problems of one source, or of one chunk of it.

    A strict reader stops at the first problem. A lenient reader continues, and ``notes()`` returns the number of
    problems of each kind and the place of the first. *lenient* is None for sources that can only be read strictly.
    With *defer*, no error is raised before ``finish`` is called. The chunks of a source are merged first, so the
    message does not depend on how the source was split.
    """

    def __init__(self, source: str, lenient: bool | None = None, *, defer: bool = False) -> None:
        self.source = source
        self.lenient = lenient
        self.defer = defer
        self._kinds: dict[str, ProblemKind] = {}

    @property
    def kinds(self) -> tuple[ProblemKind, ...]:
        """The problems by kind."""
        return tuple(self._kinds.values())

    def report(self, place: str, message: str, action: str, count: int = 1, others: Sequence[str] = ()) -> None:
        """Report *message* at *place*; a lenient reader counts the problem under *action*.

        *action* states what a lenient reader does, such as "skipped lines that are not JSON". Problems with the same
        *action* are of one kind. *count* is the number of lines or rows concerned, and *others* are places of further
        problems, as examples.
        """
        if not self.lenient and not self.defer:
            raise self._error(f"{place}: {message}")
        places = (place, *others)[:MAX_PLACES]
        self._add(ProblemKind(action, int(count), getattr(place, "line", 0), f"{place}: {message}", places))

    def _error(self, message: str) -> InputError:
        return (InputError if self.lenient is None else SkippableError)(message)

    def _add(self, kind: ProblemKind) -> None:
        earlier = self._kinds.get(kind.action)
        if earlier is not None:
            first, second = (kind, earlier) if kind.line < earlier.line else (earlier, kind)
            places = (*first.places, *second.places)[:MAX_PLACES]
            kind = first._replace(occurrences=earlier.occurrences + kind.occurrences, places=places)
        self._kinds[kind.action] = kind

    def merge(self, other: Problems) -> None:
        """Add the problems of another chunk of the source."""
        for kind in other.kinds:
            self._add(kind)

    def finish(self, order: Iterable[str] = ()) -> None:
        """Sort the kinds of problems by *order*, a sequence of actions; a strict reader raises the first problem."""
        kinds = self._kinds
        self._kinds = {action: kinds[action] for action in [*(action for action in order if action in kinds), *kinds]}
        if not self.lenient and kinds:
            raise self._error(next(iter(self._kinds.values())).first)

    def refuse_empty(self, noun: str) -> None:
        """Refuse a source without valid rows; the message calls the rows *noun* (results or judgments)."""
        if not self.defer:
            first = next(iter(self._kinds.values()), None)
            problem = "" if first is None else f"; the first problem is {first.first}"
            raise EmptySourceError(f"{self.source}: contains no {noun}{problem}", self.kinds)

    def notes(self) -> tuple[str, ...]:
        """Return one line for each kind of problem that a lenient reader skipped."""
        return tuple(f"{self.source}: {kind.action}: {kind.occurrences} (first: {kind.first})" for kind in self.kinds)


def format_value(value: object, width: int = 60) -> str:
    """Return ``repr(value)`` on one line, cut to at most *width* characters.

    >>> format_value("1e400"), format_value([1] * 1000, 20)
    ("'1e400'", '[1, 1, 1, 1, 1, 1, …')
    """
    try:
        text = repr(value)
    except ValueError:  # Python refuses to convert integers of more than 4300 digits to text
        text = f"{type(value).__name__} with too many digits"
    return shorten(" ".join(text.split()), width)


def shorten(text: str, width: int = 60) -> str:
    """Return *text*, cut to at most *width* characters.

    >>> shorten("9" * 5000, 6)
    '99999…'
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"
