"""Parameters of a request, checked and limited before any computation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from urllib.parse import parse_qsl

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._parameters import parameters_of
from assay.model.notes import join_names
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState

MAX_QUERY_LENGTH = 16_000
MAX_PARAMETERS = 400
MAX_TEXT_LENGTH = 300
MAX_NAME_LENGTH = 2_000
MAX_MEASURES = 40
MAX_INTEGER = 100_000
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,12}", re.ASCII)


class Query:
    """Parameters of a request; each method reads one kind of parameter and rejects invalid values."""

    def __init__(self, query: bytes, state: ExplorerState) -> None:
        try:
            text = query.decode()
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_PARAMETERS, errors="strict")
        except UnicodeDecodeError:
            raise InputError("the query is not UTF-8") from None
        except ValueError:
            raise InputError(f"the query has more than {MAX_PARAMETERS} parameters") from None
        self._state = state
        self._values: dict[str, list[str]] = {}
        self._used: set[str] = set()
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def reject_unknown_parameters(self) -> None:
        """Raise an error for a parameter that no method has read; call this after reading all parameters."""
        for name in self._values:
            if name not in self._used:
                known = sorted(self._used)
                hint = _suggest(name, known) or f"; choose from {', '.join(known)}" if known else ""
                raise InputError(f"there is no parameter {_quote(name)}{hint}")

    # Texts -------------------------------------------------------------------------------------------------

    def texts(self, name: str, most: int = 1, max_length: int = MAX_TEXT_LENGTH) -> list[str]:
        """Return all values of a parameter as texts."""
        self._used.add(name)
        values = self._values.get(name, [])
        if len(values) > most:
            raise InputError(f"{name} is given {len(values)} times; the maximum is {most}")
        for value in values:
            if len(value) > max_length:
                raise InputError(f"{name} has {len(value)} characters; the maximum is {max_length}")
        return values

    def text(self, name: str, default: str = "") -> str:
        """Return a text, or the default if it is missing."""
        return next(iter(self.texts(name)), default)

    def choice(self, name: str, known: Iterable[str], default: str) -> str:
        """Return a word, which must be one of the known words."""
        words = list(known)
        word = self.text(name, default)
        if word not in words:
            raise InputError(f"{name} {_quote(word)}: choose one of {', '.join(words)}{_suggest(word, words)}")
        return word

    def choices(self, name: str, known: Collection[str]) -> list[str]:
        """Return several words without duplicates, each of which must be one of the known words."""
        words = list(dict.fromkeys(self.texts(name, len(known))))
        for word in words:
            if word not in known:
                raise InputError(f"{name} {_quote(word)}: choose some of {', '.join(known)}{_suggest(word, known)}")
        return words

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a flag, written ``1`` or ``0``."""
        return self.choice(name, ("0", "1"), "1" if default else "0") == "1"

    # Numbers -----------------------------------------------------------------------------------------------

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """Return an integer from *low* to *high*, or the default if it is missing."""
        number = self.optional_integer(name, low, high)
        return default if number is None else number

    def optional_integer(self, name: str, low: int, high: int) -> int | None:
        """Return an integer from *low* to *high*, or None if it is missing."""
        text = self.text(name)
        if not text:
            return None
        if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}, got {_quote(text)}")
        return int(text)

    def depth(self) -> int | None:
        """Return the number of ranks to use; None for complete rankings."""
        return self.optional_integer("depth", 1, MAX_INTEGER)

    def fraction(self, name: str, default: float) -> float:
        """Return a number above 0 and below 1, or the default if it is missing."""
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
        return self._names(name, most, "run", self._state.run_index)

    def pair(self) -> tuple[str, str]:
        """Return the runs *a* and *b*, which are required and must differ."""
        a, b = self.run("a"), self.run("b")
        if a == b:
            raise InputError(f"a and b are both {a!r}; choose two different runs")
        return a, b

    def topic(self) -> str:
        """Return a topic, which is required."""
        return self._require("topic", self.topics(1))

    def optional_topic(self) -> str | None:
        """Return a topic, or None if it is missing."""
        return next(iter(self.topics(1)), None)

    def topics(self, most: int = 100) -> list[str]:
        """Return the topics named in the query, without duplicates; *most* is the largest number of topics."""
        return self._names("topic", most, "topic", self._state.topic_index)

    def measure(self, default: str = DEFAULT_MEASURES[0], name: str = "measure") -> Measure:
        """Return one measure."""
        measures = self.measures((default,), 1, name)
        if len(measures) > 1:
            raise InputError(f"{name}: expected one measure, got {len(measures)}")
        return measures[0]

    def measures(self, default: Iterable[str], most: int = MAX_MEASURES, name: str = "measure") -> tuple[Measure, ...]:
        """Return measures, without duplicates."""
        measures = parse_measures(self.texts(name, most) or list(default))
        if len(measures) > most > 1:
            raise InputError(f"{name}: got {len(measures)} measures; the maximum is {most}")
        for measure in measures:
            _reject_large_parameters(measure)
        return measures

    def _names(self, name: str, most: int, kind: str, known: Collection[str]) -> list[str]:
        names = list(dict.fromkeys(self.texts(name, most, MAX_NAME_LENGTH)))
        for item in names:
            if item not in known:
                hint = _suggest(item, known) or f"; there are {join_names(known)}"
                raise InputError(f"there is no {kind} {_quote(item)}{hint}")
        return names

    def _require(self, name: str, values: list[str]) -> str:
        if not values:
            raise InputError(f"{name} is missing; write {name}=...")
        return values[0]


def _reject_large_parameters(measure: Measure) -> None:
    for field in parameters_of(measure):
        value = getattr(measure, field.name)
        if isinstance(value, Measure):
            _reject_large_parameters(value)
        elif field.metadata["kind"] == "whole" and value is not None and value > MAX_INTEGER:
            raise InputError(f"measure {_quote(str(measure))}: {field.name} can be at most {MAX_INTEGER} here")


def _suggest(word: str, known: Collection[str]) -> str:
    """Suggest the most similar known word, unless the search would take long."""
    return suggestion(word, known) if len(word) <= 100 and len(known) <= 2_000 else ""


def _quote(text: str) -> str:
    """Quote a text from a request for a message; a long text is shortened."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
