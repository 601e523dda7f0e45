"""Check paths that users give, and report errors of the operating system in one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import InputError
from assay.io.problems import format_value

IRDS = "irds:"
"""The prefix of the id of a dataset of ir_datasets, in place of a path."""


def path_text(path: object) -> str:
    """Return a path as text; refuse values that cannot name a file.

    >>> path_text("bm25.run")
    'bm25.run'
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InputError(f"expected a path, got {format_value(path)} ({type(path).__name__}); write it as text")
    if not text:
        raise InputError("an empty file name; is a variable unset?")
    try:
        valid = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        valid = False
    if not valid:
        raise InputError(f"{format_value(text)}: no file can have this name")
    return text


@contextmanager
def file_errors(path: object, problem: str = "cannot be read") -> Iterator[None]:
    """Replace errors of the operating system by an InputError that names *path*."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {problem} ({error.strerror or error})") from None
