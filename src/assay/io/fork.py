"""Refuse to work in a forked process, where polars would wait forever for threads that exist only in the parent."""

from __future__ import annotations

import os

from assay.errors import AssayError

_used = False
_forked = False


def refuse_fork() -> None:
    """Raise an error in a process that was forked after this function was first called in its parent."""
    global _used  # noqa: PLW0603 - state of the process
    if _forked:
        raise AssayError(
            "this process was forked from a process that had already used assay, and polars would hang in it; start "
            "workers with multiprocessing.get_context('spawn'), or fork before the first evaluation"
        )
    _used = True


def _mark_child() -> None:
    global _forked  # noqa: PLW0603
    _forked = _forked or _used


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_mark_child)
