"""Hide what libraries in other languages write to standard error, where the command line asks for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STDERR = 2
_lock = Lock()
_active = 0
_shown: int | None = None  # a copy of standard error; None unless ``separate_stderr`` was called


def separate_stderr() -> None:
    """Give Python a standard error of its own, so that file descriptor 2 can be silenced without losing messages.

    A library must not do this to the process that imports it; only the ``assay`` command does.
    """
    global _shown  # noqa: PLW0603 - a fact about the process
    if _shown is None:
        _shown = os.dup(_STDERR)
        sys.stderr = open(_shown, "w", buffering=1, encoding=sys.stderr.encoding, errors="backslashreplace")  # noqa: SIM115


@contextmanager
def silenced() -> Iterator[None]:
    """Silence file descriptor 2 while polars reads: it writes where it panicked before it raises an exception."""
    _change(1)
    try:
        yield
    finally:
        _change(-1)


def _change(by: int) -> None:
    """Count the threads that are inside ``silenced``; the first silences, the last restores."""
    global _active
    if _shown is None:
        return
    with _lock:
        before, _active = _active, _active + by
        if not before:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, _STDERR)
            os.close(null)
        elif not _active:
            os.dup2(_shown, _STDERR)
