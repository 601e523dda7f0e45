"""Altair: an optional dependency, imported on first use and used without its checks of every part of a chart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError

__all__ = ["alt", "altair", "skip_validation"]

_LOCK = RLock()


def altair() -> Any:
    """Import Altair, which is an optional dependency."""
    try:
        import altair
    except ImportError:
        raise DependencyError("figures need altair and vl-convert-python; pip install 'assay-ir[plots]'") from None
    return altair


class _LazyAltair:
    """Stand-in for the module ``altair``, which is imported when one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(altair(), name)


if TYPE_CHECKING:
    import altair as alt
else:
    alt = _LazyAltair()


@contextmanager
def skip_validation() -> Iterator[None]:
    """Build charts without validating each of their parts against the Vega-Lite schema, which takes most of the time.

    The switch is global, so only one thread at a time builds a chart.
    """
    altair()
    from altair.utils.schemapi import debug_mode

    with _LOCK, debug_mode(False):
        yield
