"""Errors that users can cause. A message states the problem and the remedy.

::

    AssayError (a ValueError)
    ├── InputError        an invalid file, table or argument
    │   └── SkippableError    a problem that lenient reading skips
    ├── MeasureError      an unknown measure, or one with invalid parameters
    ├── PolicyError       an unknown policy (ties, missing, undefined, unjudged)
    └── DependencyError   a missing optional package
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

# Control characters (C0, DEL, C1), marks that reorder text, line separators, and surrogates (bytes that are not UTF-8).
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_control_characters(text: str) -> str:
    r"""Escape characters that a terminal would interpret: control sequences, line breaks, reordering marks.

    >>> escape_control_characters("bm25\x1b[31m\n")
    'bm25\\x1b[31m\\n'
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escape_surrogates(text: str) -> str:
    r"""Escape surrogates, which represent the bytes of a file name that is not UTF-8.

    >>> escape_surrogates("r\udce9sum\udce9.run")
    'r\\udce9sum\\udce9.run'
    """
    return text.encode("utf-8", "backslashreplace").decode()


class AssayError(ValueError):
    """Base class of errors that users can cause; the message is one line with the place, the problem and the remedy."""

    def __init__(self, message: str = "") -> None:
        super().__init__(escape_control_characters(message))

    exit_code = 2
    """Exit code of the command."""


class InputError(AssayError):
    """An invalid file, table or argument."""


class SkippableError(InputError):
    """A problem that lenient reading skips.

    Tracebacks name the argument ``lenient``; on the command line, the message names the option ``--lenient``.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.add_note("Fix it, or pass lenient=True.")


@contextmanager
def strict_reading() -> Iterator[None]:
    """Turn skippable errors into plain input errors, for interfaces without lenient reading."""
    try:
        yield
    except SkippableError as error:
        raise InputError(str(error)) from None


class MeasureError(AssayError):
    """An unknown measure, or one with invalid parameters."""


class PolicyError(AssayError):
    """An unknown policy."""


class DependencyError(AssayError):
    """A missing optional package."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean X?"`` with the known name closest to *word*, or an empty text if none is close.

    >>> suggestion("ndgc", ["nDCG", "AP"])
    '; did you mean nDCG?'
    """
    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower(), name)
    closest = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[closest[0]]}?" if closest else ""


def check_choice(label: str, choice: str, choices: Collection[str]) -> None:
    """Raise an InputError if *choice* is not one of *choices*; the message begins with *label*.

    >>> check_choice("keep 'run'", "run", ("grades", "runs"))
    Traceback (most recent call last):
    ...
    assay.errors.InputError: keep 'run': choose one of grades, runs; did you mean runs?
    """
    if choice not in choices:
        raise InputError(f"{label}: choose one of {', '.join(choices)}{suggestion(choice, choices)}")
