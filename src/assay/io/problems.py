"""What a reader met that it should not have met: an error when strict, a count when lenient."""

from __future__ import annotations

from collections import Counter

from assay.errors import InputError, SkippableError


class Problems:
    """Collects the problems of one source.

    Strict readers stop at the first problem with its place; lenient ones go on, and ``notes()`` says
    how many of each kind were met and where the first one stands. *lenient* is None for sources that
    can only be read strictly.
    """

    def __init__(self, source: str, lenient: bool | None = None) -> None:
        self.source = source
        self.lenient = lenient
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def meet(self, where: str, message: str, done: str, count: int = 1) -> None:
        """Report *message* at *where*; a lenient reader counts it under *done*, what it did about it."""
        if not self.lenient:
            raise (InputError if self.lenient is None else SkippableError)(f"{where}: {message}")
        self._counts[done] += count
        self._first.setdefault(done, f"{where}: {message}")

    def refuse_empty(self, what: str) -> None:
        """Refuse a source without *what* (results or judgments), whether none was there or all had problems."""
        skipped = "".join(f"; the first problem is {first}" for first in list(self._first.values())[:1])
        raise InputError(f"{self.source}: no {what} in it{skipped}")

    def notes(self) -> tuple[str, ...]:
        """One line for each kind of problem that a lenient reader passed over."""
        return tuple(
            f"{self.source}: {done}: {count} (first: {self._first[done]})" for done, count in self._counts.items()
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
