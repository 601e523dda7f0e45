"""Paths that users give, and what can go wrong with the files behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import InputError
from assay.io.problems import shown


def path_text(path: object) -> str:
    """Return a path as text; anything that cannot name a file is refused.

    >>> path_text("bm25.run")
    'bm25.run'
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InputError(f"expected a path, got {shown(path)} ({type(path).__name__}); write it as text")
    if not text:
        raise InputError("an empty file name; is a variable unset?")
    try:
        valid = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        valid = False
    if not valid:
        raise InputError(f"{shown(text)}: no file can have this name")
    return text


@contextmanager
def file_errors(path: object, problem: str = "cannot be read") -> Iterator[None]:
    """Raise an InputError that names *path* in place of the errors of the operating system."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {problem} ({error.strerror or error})") from None
