"""Problems in the input: errors for a strict reader, counted and noted by a lenient one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from assay.errors import InputError, SkippableError


class Place(str):
    """The place of a row as messages show it (``bm25.run:12``), and its line number for comparing places."""

    line: int

    @classmethod
    def at(cls, text: str, line: int) -> Place:
        """Return the place of a line."""
        place = cls(text)
        place.line = line
        return place


class _Kind(NamedTuple):
    """Number of problems of one kind, and the line and message of the first."""

    number: int
    line: int
    first: str


class Problems:
    """Problems of one source, or of one chunk of it.

    A strict reader stops at the first problem with its place. A lenient one continues, and ``notes()`` gives the number
    of problems of each kind and the place of the first. *lenient* is None for sources that can only be read strictly.
    With *defer*, a problem stops nobody until ``settle`` is called: the chunks of a source are merged first, so that
    the message is the same however the source was divided.
    """

    def __init__(self, source: str, lenient: bool | None = None, *, defer: bool = False) -> None:
        self.source = source
        self.lenient = lenient
        self.defer = defer
        self._kinds: dict[str, _Kind] = {}

    def meet(self, where: str, message: str, done: str, count: int = 1) -> None:
        """Report *message* at *where*; a lenient reader counts it under *done*, the action it took."""
        if not self.lenient and not self.defer:
            raise self._error(f"{where}: {message}")
        self._add(done, _Kind(int(count), getattr(where, "line", 0), f"{where}: {message}"))

    def _error(self, message: str) -> InputError:
        return (InputError if self.lenient is None else SkippableError)(message)

    def _add(self, done: str, kind: _Kind) -> None:
        before = self._kinds.get(done)
        if before is not None:
            first = kind if kind.line < before.line else before
            kind = first._replace(number=before.number + kind.number)
        self._kinds[done] = kind

    def include(self, other: Problems) -> None:
        """Add the problems of another chunk of the source."""
        for done, kind in other._kinds.items():
            self._add(done, kind)

    def settle(self, order: Iterable[str] = ()) -> None:
        """Put the kinds of problems into *order*; a strict reader refuses the source for the first."""
        kinds = self._kinds
        self._kinds = {done: kinds[done] for done in [*(done for done in order if done in kinds), *kinds]}
        if not self.lenient and kinds:
            raise self._error(next(iter(self._kinds.values())).first)

    def refuse_empty(self, what: str) -> None:
        """Refuse a source without *what* (results or judgments), whether none was there or all had problems."""
        if not self.defer:
            skipped = "".join(f"; the first problem is {first}" for first in self.firsts()[:1])
            raise InputError(f"{self.source}: no {what} in it{skipped}")

    def firsts(self) -> list[str]:
        """Return the message of the first problem of each kind."""
        return [kind.first for kind in self._kinds.values()]

    def notes(self) -> tuple[str, ...]:
        """Return one line for each kind of problem that a lenient reader skipped."""
        return tuple(
            f"{self.source}: {done}: {kind.number} (first: {kind.first})" for done, kind in self._kinds.items()
        )


def shown(value: object, width: int = 60) -> str:
    """Write *value* as Python does, but always on one line and never long.

    >>> shown("1e400"), shown([1] * 1000, 20)
    ("'1e400'", '[1, 1, 1, 1, 1, 1, …')
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not write whole numbers of more than 4300 digits
        text = f"{type(value).__name__} with too many digits"
    return short(" ".join(text.split()), width)


def short(text: str, width: int = 60) -> str:
    """Cut a text that is longer than *width*.

    >>> short("9" * 5000, 6)
    '99999…'
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"
