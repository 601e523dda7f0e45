"""Refuse to work in a forked process, where polars would wait for ever for threads that exist only in its parent."""

from __future__ import annotations

import os

from assay.errors import AssayError

_worked = False
_forked = False


def refuse_fork() -> None:
    """Raise an error in a process that was forked after this function was first called in its parent."""
    global _worked  # noqa: PLW0603 - a fact about the process
    if _forked:
        raise AssayError(
            "this process was forked from one that had used assay, where polars hangs; start workers with "
            "multiprocessing.get_context('spawn'), or fork before the first evaluation"
        )
    _worked = True


def _in_child() -> None:
    global _forked  # noqa: PLW0603
    _forked = _forked or _worked


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_in_child)
