"""What the command does to its own process before it loads anything large: quiet libraries, limits on memory."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import NoReturn

from assay.io.native import separate_stderr
from assay.memory import address_space, shown

LEAST = 1 << 30
"""Bytes of address space without which no command starts: the libraries alone reserve half of it."""
_FOR_EACH_THREAD = 256 << 20
_STACK = 2 << 20
_M_ARENA_MAX = -8  # of glibc's mallopt
_ABORTED = ("SIGABRT", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGILL")


def prepare() -> None:
    """Silence Rust's backtraces; under ``ulimit -v``, go on in a child process whose abort becomes one line."""
    os.environ.setdefault("RUST_BACKTRACE", "0")
    separate_stderr()
    limit = address_space()
    if limit is None:
        return
    if limit < LEAST:
        _leave(f"the address space is limited to {shown(limit)}; assay needs {shown(LEAST)}: raise ulimit -v")
    child = os.fork()
    if child:
        _wait(child, limit)
    _reserve_less(limit)


def _reserve_less(limit: int) -> None:
    """Have the libraries reserve less address space; by default that grows with the number of cores."""
    import ctypes

    threads = max(min(os.cpu_count() or 1, limit // _FOR_EACH_THREAD), 1)
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    threading.stack_size(_STACK)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has it
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
    # Rust says that an allocation failed before it aborts; the parent says it in one line.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)


def _wait(child: int, limit: int) -> NoReturn:
    """Wait for the child and leave as it did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to both
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code >= 0:
        os._exit(code)
    name = signal.Signals(-code).name
    if name not in _ABORTED:
        os._exit(128 - code)
    _leave(f"not enough memory: the address space is limited to {shown(limit)}; raise ulimit -v, or use less data")


def _leave(message: str) -> NoReturn:
    sys.stderr.write(f"assay: {message}\n")
    os._exit(2)
