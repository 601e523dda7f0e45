"""What a request asks for: every parameter is checked, and bounded, before any work is done."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from assay.errors import InputError, suggestion
from assay.inputs import some
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._parameters import parameters_of

if TYPE_CHECKING:
    from assay.views.explorer.campaign import Campaign

LONGEST_QUERY = 16_000
MOST_FIELDS = 400
LONGEST_TEXT = 300
LONGEST_NAME = 2_000
MOST_MEASURES = 40
LARGEST_WHOLE = 100_000
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,12}", re.ASCII)


class Query:
    """The parameters of a request. Each kind of value has a method, which refuses what cannot be."""

    def __init__(self, given: bytes, campaign: Campaign) -> None:
        try:
            text = given.decode()
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except UnicodeDecodeError:
            raise InputError("the query is not UTF-8") from None
        except ValueError:
            raise InputError(f"the query has more than {MOST_FIELDS} parameters") from None
        self._campaign = campaign
        self._given: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        for name, value in pairs:
            self._given.setdefault(name, []).append(value)

    def end(self) -> None:
        """Refuse parameters that nobody asked for."""
        for name in self._given:
            if name not in self._taken:
                known = sorted(self._taken)
                hint = _near(name, known) or (f"; there are {', '.join(known)}" if known else "; there are none")
                raise InputError(f"there is no parameter {_shown(name)}{hint}")

    # Texts -------------------------------------------------------------------------------------------------

    def all(self, name: str, most: int = 1, longest: int = LONGEST_TEXT) -> list[str]:
        """Every value of a parameter."""
        self._taken.add(name)
        found = self._given.get(name, [])
        if len(found) > most:
            raise InputError(f"{name} is given {len(found)} times; at most {most} can be")
        for value in found:
            if len(value) > longest:
                raise InputError(f"{name} has {len(value)} characters; at most {longest} can be")
        return found

    def text(self, name: str, default: str = "", longest: int = LONGEST_TEXT) -> str:
        """A text."""
        return next(iter(self.all(name, longest=longest)), default)

    def choice(self, name: str, known: Iterable[str], default: str) -> str:
        """One of a few words."""
        words = list(known)
        given = self.text(name, default)
        if given not in words:
            raise InputError(f"{name} {_shown(given)}: choose one of {', '.join(words)}{_near(given, words)}")
        return given

    def some(self, name: str, known: Collection[str]) -> list[str]:
        """Some of a few words, each once."""
        found = list(dict.fromkeys(self.all(name, len(known))))
        for each in found:
            if each not in known:
                raise InputError(f"{name} {_shown(each)}: choose some of {', '.join(known)}{_near(each, known)}")
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        """Yes or no: ``1`` or ``0``."""
        return self.choice(name, ("0", "1"), "1" if default else "0") == "1"

    # Numbers -----------------------------------------------------------------------------------------------

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number within limits."""
        found = self.maybe_whole(name, low, high)
        return default if found is None else found

    def maybe_whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number within limits, or nothing."""
        text = self.text(name)
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}, got {_shown(text)}")
        return int(text)

    def share(self, name: str, default: float) -> float:
        """A number between 0 and 1, both excluded."""
        text = self.text(name)
        if not text:
            return default
        number = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not 0 < number < 1:
            raise InputError(f"{name} must lie between 0 and 1, such as {default:g}, got {_shown(text)}")
        return number

    # Things of the campaign ----------------------------------------------------------------------------------

    def run(self, name: str = "run") -> str:
        """The name of a run, which must be given."""
        return self._needed(name, self.runs(name, 1))

    def runs(self, name: str = "run", most: int = 100) -> list[str]:
        """Names of runs, each once."""
        return self._names(name, most, "run", self._campaign.run_number)

    def topic(self) -> str:
        """A topic, which must be given."""
        return self._needed("topic", self.topics(1))

    def topics(self, most: int = 100) -> list[str]:
        """Topics, each once."""
        return self._names("topic", most, "topic", self._campaign.topic_number)

    def measure(self, default: str, name: str = "measure") -> Measure:
        """One measure."""
        found = self.measures((default,), 1, name)
        if len(found) > 1:
            raise InputError(f"{name}: these are several measures where one is asked for")
        return found[0]

    def measures(self, default: Iterable[str], most: int = MOST_MEASURES, name: str = "measure") -> tuple[Measure, ...]:
        """Measures, each once."""
        texts = self.all(name, most)
        found = parse_measures(texts or list(default))
        if len(found) > most > 1:
            raise InputError(f"{name}: these are {len(found)} measures; at most {most} can be")
        for measure in found:
            _refuse_large(measure)
        return found

    def _names(self, name: str, most: int, kind: str, known: Collection[str]) -> list[str]:
        found = list(dict.fromkeys(self.all(name, most, LONGEST_NAME)))
        for each in found:
            if each not in known:
                hint = _near(each, known) or f"; there are {some(known)}"
                raise InputError(f"there is no {kind} {_shown(each)}{hint}")
        return found

    def _needed(self, name: str, found: list[str]) -> str:
        if not found:
            raise InputError(f"{name} is missing; write {name}=...")
        return found[0]


def _refuse_large(measure: Measure) -> None:
    for field in parameters_of(measure):
        value = getattr(measure, field.name)
        if isinstance(value, Measure):
            _refuse_large(value)
        elif field.metadata["kind"] == "whole" and value is not None and value > LARGEST_WHOLE:
            raise InputError(f"measure {_shown(str(measure))}: {field.name} can be at most {LARGEST_WHOLE} here")


def _near(word: str, known: Collection[str]) -> str:
    """What may have been meant; not looked for where that would take long."""
    return suggestion(word, known) if len(word) <= 100 and len(known) <= 2_000 else ""


def _shown(text: str) -> str:
    """A text of a user, not too long for a message."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
