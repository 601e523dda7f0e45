"""Some rows of a file, with their places, and the problems that are met in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import SkippableError
from assay.io.problems import Problems

if TYPE_CHECKING:
    import polars as pl

# The checks of ``io.checks`` in their order: what a lenient reader says that it did.
CHECKS = (
    "rows without a topic skipped",
    "rows without a document skipped",
    "rows whose score is not a finite number skipped",
    "duplicate documents, first kept",
)


class Place(str):
    """Where a row stands, as messages say it; *at* is the number of its line."""

    at: int

    @classmethod
    def of(cls, text: str, at: int) -> Place:
        """Make a place."""
        place = cls(text)
        place.at = at
        return place


@dataclass(frozen=True)
class Chunk:
    """Rows ``topic, doc, value`` and perhaps ``rank`` and ``run``, in the order of the file.

    *numbers* gives the number of the line (or row) of each, from which *place* makes the words for messages.
    *problems* are what a lenient reader met. Rows that a reader has checked are *complete*.
    """

    frame: pl.DataFrame
    numbers: Callable[[], np.ndarray]
    place: Callable[[int], str]
    problems: Deferred
    complete: bool = False
    blank: bool = False

    def where(self, row: int) -> Place:
        """The place of a row of the frame."""
        at = int(self.numbers()[row])
        return Place.of(self.place(at), at)


@dataclass
class Deferred(Problems):
    """Problems that are looked at when everything has been read: what is first in the file is first then, too.

    *met* has for each kind how often it was met, and the line and message of the first.
    """

    source: str
    lenient: bool = True
    met: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def meet(self, where: str, message: str, done: str, count: int = 1) -> None:
        """Remember a problem."""
        self._add(done, count, getattr(where, "at", -1), f"{where}: {message}")

    def _add(self, done: str, count: int, at: int, message: str) -> None:
        before = self.met.get(done)
        if before is not None:
            count += before[0]
            at, message = min((at, message), before[1:])
        self.met[done] = (int(count), at, message)

    def include(self, other: Deferred) -> None:
        """Take the problems of another part of the file over."""
        for done, found in other.met.items():
            self._add(done, *found)

    def refuse_empty(self, what: str) -> None:
        """Accept a chunk without rows: another one may have some."""

    def settle(self, order: Iterable[str] = CHECKS) -> None:
        """A strict reader refuses the file for the first kind of problem that was met."""
        self.met = {done: self.met[done] for done in [*(d for d in order if d in self.met), *self.met]}
        if not self.lenient:
            for _, _, message in self.met.values():
                raise SkippableError(message)

    def notes(self) -> tuple[str, ...]:
        """One line for each kind of problem."""
        return tuple(f"{self.source}: {done}: {count} (first: {first})" for done, (count, _, first) in self.met.items())
