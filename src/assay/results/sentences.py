"""Phrases of summaries: lists of names, and the names with the highest and the lowest value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay.model.arrays import subtract
from assay.model.notes import pluralize

_LISTED = 3


class Extremes(NamedTuple):
    """The names with the highest and with the lowest value; several if they are tied, all if all values are equal."""

    highest: list[str]
    high: float
    lowest: list[str]
    low: float

    @property
    def equal(self) -> bool:
        """True if all values are equal."""
        return self.highest == self.lowest


def find_extremes(values: Mapping[str, float | None], tolerance: float = 0.0) -> Extremes | None:
    """Return the highest and the lowest of named values; None if there is no value.

    Values are tied with an extreme if they differ from it by rounding, or by at most *tolerance*.

    >>> find_extremes({"AP": 0.5, "RR": 0.25, "P@10": 0.25, "bpref": None})
    Extremes(highest=['AP'], high=0.5, lowest=['RR', 'P@10'], low=0.25)
    """
    known = {name: value for name, value in values.items() if value is not None and not math.isnan(value)}
    if not known:
        return None
    high, low = max(known.values()), min(known.values())
    highest, lowest = (
        [name for name, value in known.items() if abs(subtract(value, extreme)) <= tolerance] for extreme in (high, low)
    )
    return Extremes(highest, high, lowest, low)


def list_names(names: Sequence[str], limit: int | None = _LISTED) -> str:
    """Write names as a list in a sentence; beyond *limit* + 1 names, only the first ones (None: all).

    >>> list_names(["AP"]), list_names(["AP", "RR"]), list_names(["AP", "RR", "P@5", "P@10", "P@20"])
    ('AP', 'AP and RR', 'AP, RR, P@5 and 2 others')
    """
    if limit is not None and len(names) > limit + 1:
        return f"{', '.join(names[:limit])} and {len(names) - limit} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def list_tied(names: Sequence[str]) -> str:
    """Write names that share a rank.

    >>> list_tied(["AP"]), list_tied(["AP", "RR"])
    ('AP', 'AP and RR (tied)')
    """
    return list_names(names) + (" (tied)" if len(names) > 1 else "")


def name_or_count(names: Sequence[str], noun: str) -> str:
    """Write a single name, or the number of names that are tied.

    >>> name_or_count(["bm25"], "run"), name_or_count(["bm25", "dense"], "run")
    ('bm25', '2 runs tied')
    """
    return names[0] if len(names) == 1 else f"{pluralize(len(names), noun)} tied"
