"""Sentences as data: text with the names of runs, topics and measures in it, which templates set apart and link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import Formatter

from assay.measures import Measure
from assay.views.names import shorten
from assay.views.report.phrasing import format_number

LONGEST = 40  # characters of a name in a sentence


@dataclass(frozen=True)
class Name:
    """The name of a run, a topic or a measure as it is shown; *full* is the whole name of one that was shortened."""

    shown: str
    full: str | None = None
    link: str | None = None

    @classmethod
    def of(cls, thing: object) -> Name:
        """Return the name of a topic or a measure, shortened if it is long."""
        full = str(thing)
        shown = shorten(full, LONGEST)
        return cls(shown, full if shown != full else None)

    def __str__(self) -> str:
        return self.shown


@dataclass(frozen=True)
class Sentence:
    """Text and names in their order; as a ``str``, the text that a reader sees."""

    parts: tuple[str | Name, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


Phrase = str | Name | Sentence


def sentence(template: str, **values: object) -> Sentence:
    """Fill in a sentence; names stay names, measures become names, and floats are rounded.

    >>> str(sentence("{run} leads with {value}.", run=Name("bm25"), value=0.35714))
    'bm25 leads with 0.357.'
    """
    parts: list[str | Name] = []
    for text, key, _, _ in Formatter().parse(template):
        parts.append(text)
        if key is not None:
            parts += _parts(values[key])
    return Sentence(tuple(parts))


def _parts(value: object) -> tuple[str | Name, ...]:
    if isinstance(value, Sentence):
        return value.parts
    if isinstance(value, Name):
        return (value,)
    if isinstance(value, Measure):
        return (Name.of(value),)
    return (format_number(value) if isinstance(value, float) else str(value),)


def join(phrases: Iterable[Phrase], separator: str = ", ") -> Sentence:
    """Put phrases one after the other."""
    parts: list[str | Name] = []
    for phrase in phrases:
        parts += [*([separator] if parts else []), *_parts(phrase)]
    return Sentence(tuple(parts))


def enumerate_names(names: Iterable[Phrase], most: int = 5) -> Sentence:
    """List names; of more than *most*, the first ones and the number of the others.

    >>> [str(enumerate_names(names, 3)) for names in ("ab", "abcd", "abcdef")]
    ['a and b', 'a, b and 2 others', 'a, b and 4 others']
    """
    shown = list(names)
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} others"]
    return join([join(shown[:-1]), shown[-1]], " and ") if len(shown) > 1 else join(shown)
