"""Memory available to this process: that of the machine, or less if a limit is set."""

from __future__ import annotations

import os

from assay.errors import InputError

_UNITS = {"T": 1 << 40, "G": 1 << 30, "M": 1 << 20, "K": 1 << 10}


def address_space_limit() -> int | None:
    """Return the limit on the address space in bytes (``ulimit -v``); None if there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def available_memory() -> int | None:
    """Return the memory of the machine, or the limit on the address space if that is less; None if unknown."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return address_space_limit()
    return min(machine, address_space_limit() or machine)


def format_size(size: int) -> str:
    """Format a number of bytes with a unit.

    >>> format_size(3 << 29), format_size(5 << 20), format_size(100)
    ('1.5G', '5M', '100')
    """
    for unit, bytes_ in _UNITS.items():
        if size >= bytes_:
            return f"{size / bytes_:.3g}{unit}"
    return str(size)


def max_whole_read() -> int | None:
    """Return the maximum size of a file that is read as a whole, in bytes; None if the memory is unknown.

    It is a quarter of the memory, because rows take more memory than their text.
    """
    memory = available_memory()
    return None if memory is None else memory // 4


def too_large_error(name: str, limit: int) -> InputError:
    """Return the error for a file that is larger than *limit* bytes and cannot be read as a whole."""
    return InputError(
        f"{name}: holds more than {format_size(limit)}, a quarter of the memory; split it, or convert it to TREC text "
        "or Parquet, which assay eval reads in chunks"
    )
