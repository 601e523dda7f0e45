"""Hide messages of native libraries on standard error, if the command line requests it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STDERR = 2
_lock = Lock()
_silent_threads = 0
_stderr_copy: int | None = None  # a duplicate of file descriptor 2; None unless ``separate_stderr`` was called


def separate_stderr() -> None:
    """Let Python write to a duplicate of standard error, so that silencing file descriptor 2 loses no messages.

    A library must not change the process that imports it; only the ``assay`` command calls this function.
    """
    global _stderr_copy  # noqa: PLW0603 - state of the process
    if _stderr_copy is None:
        _stderr_copy = os.dup(_STDERR)
        sys.stderr = open(_stderr_copy, "w", buffering=1, encoding=sys.stderr.encoding, errors="backslashreplace")  # noqa: SIM115


@contextmanager
def silence_stderr() -> Iterator[None]:
    """Silence file descriptor 2 while polars reads, because polars prints a message when it panics."""
    _change_count(1)
    try:
        yield
    finally:
        _change_count(-1)


def _change_count(difference: int) -> None:
    """Count the threads inside ``silence_stderr``; the first silences the descriptor, the last restores it."""
    global _silent_threads
    if _stderr_copy is None:
        return
    with _lock:
        previous_count, _silent_threads = _silent_threads, _silent_threads + difference
        if not previous_count:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, _STDERR)
            os.close(null)
        elif not _silent_threads:
            os.dup2(_stderr_copy, _STDERR)
