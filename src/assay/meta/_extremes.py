"""The best and the worst of several measures, for the sentences of summaries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay.model.arrays import subtract

_LISTED = 3  # names that a sentence lists


class Extremes(NamedTuple):
    """The names with the highest and with the lowest value; several if they are tied, all if all values are equal."""

    highest: list[str]
    high: float
    lowest: list[str]
    low: float

    @property
    def equal(self) -> bool:
        """True if all values are equal."""
        return bool(subtract(self.high, self.low) == 0)


def find_extremes(values: Mapping[str, float | None]) -> Extremes | None:
    """Return the highest and the lowest of named values; None if there is no value.

    >>> find_extremes({"AP": 0.5, "RR": 0.25, "P@10": 0.25, "bpref": None})
    Extremes(highest=['AP'], high=0.5, lowest=['RR', 'P@10'], low=0.25)
    """
    known = {name: value for name, value in values.items() if value is not None and not math.isnan(value)}
    if not known:
        return None
    high, low = max(known.values()), min(known.values())
    highest, lowest = ([name for name in known if subtract(known[name], end) == 0] for end in (high, low))
    return Extremes(highest, high, lowest, low)


def list_names(names: Sequence[str]) -> str:
    """Write names as a sentence does; only the first of many.

    >>> list_names(["AP"]), list_names(["AP", "RR"]), list_names(["AP", "RR", "P@5", "P@10", "P@20"])
    ('AP', 'AP and RR', 'AP, RR, P@5 and 2 others')
    """
    if len(names) > _LISTED + 1:
        return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def list_tied(names: Sequence[str]) -> str:
    """Write names that share a place.

    >>> list_tied(["AP"]), list_tied(["AP", "RR"])
    ('AP', 'AP and RR (tied)')
    """
    return list_names(names) + (" (tied)" if len(names) > 1 else "")
