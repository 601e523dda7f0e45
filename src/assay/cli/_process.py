"""Preparation of the process before large libraries are loaded: suppress backtraces, limit address space."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import NoReturn

from assay.io.native import separate_stderr
from assay.memory import address_space_limit, format_size

MIN_ADDRESS_SPACE = 1 << 30
"""Minimum address space of a command, in bytes; the libraries alone reserve half of it."""
_BYTES_PER_THREAD = 256 << 20
_STACK_SIZE = 2 << 20
_M_ARENA_MAX = -8  # Parameter M_ARENA_MAX of glibc's mallopt.
_ABORT_SIGNALS = ("SIGABRT", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGILL")


def prepare() -> None:
    """Silence the backtraces of Rust and prepare for a limited address space.

    Under ``ulimit -v`` the command runs in a child process. A failed allocation aborts the child, and the parent
    reports the abort in one line.
    """
    os.environ.setdefault("RUST_BACKTRACE", "0")
    separate_stderr()
    limit = address_space_limit()
    if limit is None:
        return
    if limit < MIN_ADDRESS_SPACE:
        needed = format_size(MIN_ADDRESS_SPACE)
        _exit(f"the address space is limited to {format_size(limit)}; assay needs {needed}: raise ulimit -v")
    child = os.fork()
    if child:
        _wait(child, limit)
    _reserve_less_memory(limit)


def _reserve_less_memory(limit: int) -> None:
    """Make the libraries reserve less address space. By default, they reserve more if there are more cores."""
    import ctypes

    threads = max(min(os.cpu_count() or 1, limit // _BYTES_PER_THREAD), 1)
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    threading.stack_size(_STACK_SIZE)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # Only glibc defines mallopt.
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
    # Rust reports a failed allocation in many lines before it aborts; the parent reports it in one line.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)


def _wait(child: int, limit: int) -> NoReturn:
    """Wait for the child process and exit with its code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The terminal sends Ctrl-C to both processes.
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code >= 0:
        os._exit(code)
    name = signal.Signals(-code).name
    if name not in _ABORT_SIGNALS:
        os._exit(128 - code)
    _exit(f"not enough memory: the address space is limited to {format_size(limit)}; raise ulimit -v, or use less data")


def _exit(message: str) -> NoReturn:
    """Print an error and exit with code 2."""
    sys.stderr.write(f"assay: {message}\n")
    os._exit(2)
