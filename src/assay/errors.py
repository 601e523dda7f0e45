"""Every error that a user can cause. Each message says what to write instead.

::

    AssayError (a ValueError)
    ├── InputError        a file, table or argument that cannot be read as what it should be
    │   └── SkippableError    a problem that lenient reading passes over
    ├── MeasureError      a measure that does not exist or has wrong parameters
    ├── PolicyError       a policy (ties, missing, undefined, unjudged) that does not exist
    └── DependencyError   an optional package that is needed here and not installed
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

# Control characters (C0, DEL, C1), marks that reorder text, line separators, and bytes that are not UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_control_characters(text: str) -> str:
    r"""Escape what a terminal would obey instead of showing it: control sequences, line breaks, reordering marks.

    >>> escape_control_characters("bm25\x1b[31m\n")
    'bm25\\x1b[31m\\n'
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escape_surrogates(text: str) -> str:
    r"""Escape what UTF-8 cannot encode: the bytes of a file name that is not UTF-8.

    >>> escape_surrogates("r\udce9sum\udce9.run")
    'r\\udce9sum\\udce9.run'
    """
    return text.encode("utf-8", "backslashreplace").decode()


class AssayError(ValueError):
    """Base of every error that a user can cause: one line that says what is wrong, where, and what to write instead."""

    def __init__(self, message: str = "") -> None:
        super().__init__(escape_control_characters(message))

    exit_code = 2
    """What the command leaves with."""


class InputError(AssayError):
    """A file, table or argument that cannot be read as what it should be."""


class SkippableError(InputError):
    """A problem in an input that lenient reading passes over.

    Tracebacks show the argument to pass; on the command line, the message names the option ``--lenient``.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.add_note("Fix it, or pass lenient=True.")


@contextmanager
def strict_reading() -> Iterator[None]:
    """Raise skippable problems as plain input errors, for interfaces that cannot read leniently."""
    try:
        yield
    except SkippableError as error:
        raise InputError(str(error)) from None


class MeasureError(AssayError):
    """A measure that does not exist, or whose parameters are wrong."""


class PolicyError(AssayError):
    """A policy that does not exist."""


class DependencyError(AssayError):
    """An optional package that is needed here and is not installed."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """``"; did you mean X?"`` for the known name nearest to *word*, or nothing.

    >>> suggestion("ndgc", ["nDCG", "AP"])
    '; did you mean nDCG?'
    """
    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower(), name)
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]}?" if near else ""
