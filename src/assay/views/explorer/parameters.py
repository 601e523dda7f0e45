"""Parameters of a request, checked and limited before any computation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._parameters import parameters_of
from assay.model.notes import join_names

if TYPE_CHECKING:
    from assay.views.explorer.state import ExplorerState

LONGEST_QUERY = 16_000
MOST_FIELDS = 400
LONGEST_TEXT = 300
LONGEST_NAME = 2_000
MOST_MEASURES = 40
LARGEST_WHOLE = 100_000
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,12}", re.ASCII)


class Query:
    """Parameters of a request; each method reads one kind of value and rejects invalid ones."""

    def __init__(self, query: bytes, state: ExplorerState) -> None:
        try:
            text = query.decode()
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except UnicodeDecodeError:
            raise InputError("the query is not UTF-8") from None
        except ValueError:
            raise InputError(f"the query has more than {MOST_FIELDS} parameters") from None
        self._state = state
        self._values: dict[str, list[str]] = {}
        self._used: set[str] = set()
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def end(self) -> None:
        """Reject parameters that have not been read."""
        for name in self._values:
            if name not in self._used:
                known = sorted(self._used)
                hint = _suggest(name, known) or f"; choose from {', '.join(known)}" if known else ""
                raise InputError(f"there is no parameter {_quote(name)}{hint}")

    # Texts -------------------------------------------------------------------------------------------------

    def all(self, name: str, most: int = 1, longest: int = LONGEST_TEXT) -> list[str]:
        """Return all values of a parameter."""
        self._used.add(name)
        values = self._values.get(name, [])
        if len(values) > most:
            raise InputError(f"{name} is given {len(values)} times; the maximum is {most}")
        for value in values:
            if len(value) > longest:
                raise InputError(f"{name} has {len(value)} characters; the maximum is {longest}")
        return values

    def text(self, name: str, default: str = "", longest: int = LONGEST_TEXT) -> str:
        """Return a text."""
        return next(iter(self.all(name, longest=longest)), default)

    def choice(self, name: str, known: Iterable[str], default: str) -> str:
        """Return one of the known words."""
        words = list(known)
        word = self.text(name, default)
        if word not in words:
            raise InputError(f"{name} {_quote(word)}: choose one of {', '.join(words)}{_suggest(word, words)}")
        return word

    def some(self, name: str, known: Collection[str]) -> list[str]:
        """Return some of the known words, without duplicates."""
        words = list(dict.fromkeys(self.all(name, len(known))))
        for word in words:
            if word not in known:
                raise InputError(f"{name} {_quote(word)}: choose some of {', '.join(known)}{_suggest(word, known)}")
        return words

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a flag, written ``1`` or ``0``."""
        return self.choice(name, ("0", "1"), "1" if default else "0") == "1"

    # Numbers -----------------------------------------------------------------------------------------------

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return an integer within limits."""
        number = self.maybe_whole(name, low, high)
        return default if number is None else number

    def maybe_whole(self, name: str, low: int, high: int) -> int | None:
        """Return an integer within limits, or None if it is missing."""
        text = self.text(name)
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}, got {_quote(text)}")
        return int(text)

    def share(self, name: str, default: float) -> float:
        """Return a number between 0 and 1, both excluded."""
        text = self.text(name)
        if not text:
            return default
        number = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not 0 < number < 1:
            raise InputError(f"{name} must lie between 0 and 1, such as {default:g}, got {_quote(text)}")
        return number

    # Runs, topics and measures --------------------------------------------------------------------------------

    def run(self, name: str = "run") -> str:
        """Return the name of a run, which is required."""
        return self._require(name, self.runs(name, 1))

    def runs(self, name: str = "run", most: int = 100) -> list[str]:
        """Return names of runs, without duplicates."""
        return self._names(name, most, "run", self._state.run_number)

    def topic(self) -> str:
        """Return a topic, which is required."""
        return self._require("topic", self.topics(1))

    def topics(self, most: int = 100) -> list[str]:
        """Return topics, without duplicates."""
        return self._names("topic", most, "topic", self._state.topic_number)

    def measure(self, default: str, name: str = "measure") -> Measure:
        """Return one measure."""
        measures = self.measures((default,), 1, name)
        if len(measures) > 1:
            raise InputError(f"{name}: expected one measure, got {len(measures)}")
        return measures[0]

    def measures(self, default: Iterable[str], most: int = MOST_MEASURES, name: str = "measure") -> tuple[Measure, ...]:
        """Return measures, without duplicates."""
        measures = parse_measures(self.all(name, most) or list(default))
        if len(measures) > most > 1:
            raise InputError(f"{name}: got {len(measures)} measures; the maximum is {most}")
        for measure in measures:
            _reject_large(measure)
        return measures

    def _names(self, name: str, most: int, kind: str, known: Collection[str]) -> list[str]:
        names = list(dict.fromkeys(self.all(name, most, LONGEST_NAME)))
        for item in names:
            if item not in known:
                hint = _suggest(item, known) or f"; there are {join_names(known)}"
                raise InputError(f"there is no {kind} {_quote(item)}{hint}")
        return names

    def _require(self, name: str, values: list[str]) -> str:
        if not values:
            raise InputError(f"{name} is missing; write {name}=...")
        return values[0]


def _reject_large(measure: Measure) -> None:
    for field in parameters_of(measure):
        value = getattr(measure, field.name)
        if isinstance(value, Measure):
            _reject_large(value)
        elif field.metadata["kind"] == "whole" and value is not None and value > LARGEST_WHOLE:
            raise InputError(f"measure {_quote(str(measure))}: {field.name} can be at most {LARGEST_WHOLE} here")


def _suggest(word: str, known: Collection[str]) -> str:
    """Suggest the most similar known word, unless the search would take long."""
    return suggestion(word, known) if len(word) <= 100 and len(known) <= 2_000 else ""


def _quote(text: str) -> str:
    """Quote a text of the user for a message, shortened if it is long."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
