"""Phrases for summaries: lists of names, and names with the highest and lowest value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay.model.arrays import subtract
from assay.model.notes import pluralize

_LISTED = 3


class Extremes(NamedTuple):
    """Names with the highest value and names with the lowest value; tied values give several names."""

    highest: list[str]
    high: float
    lowest: list[str]
    low: float

    @property
    def all_equal(self) -> bool:
        """True if all values are equal."""
        return self.highest == self.lowest


def find_extremes(values: Mapping[str, float | None], tolerance: float = 0.0) -> Extremes | None:
    """Return the names with the highest and the lowest value; None if there is no value.

    A value is tied with the highest or lowest value if both differ by at most *tolerance*, apart from rounding errors.

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
    """Return names as a list for a sentence; if there are more than *limit* + 1, list only *limit* (None: all).

    >>> list_names(["AP"]), list_names(["AP", "RR"]), list_names(["AP", "RR", "P@5", "P@10", "P@20"])
    ('AP', 'AP and RR', 'AP, RR, P@5 and 2 others')
    """
    if limit is not None and len(names) > limit + 1:
        return f"{', '.join(names[:limit])} and {len(names) - limit} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def list_tied(names: Sequence[str], verb: str = "") -> str:
    """Return a list of names for a sentence, followed by *verb* in the singular or the plural.

    Several names are marked as tied.

    >>> list_tied(["AP"], "agree"), list_tied(["AP", "RR"], "agree"), list_tied(["AP", "RR"])
    ('AP agrees', 'AP and RR (tied) agree', 'AP and RR (tied)')
    """
    if len(names) == 1:
        return f"{names[0]} {verb}s" if verb else names[0]
    return f"{list_names(names)} (tied) {verb}".rstrip()


def name_or_count(names: Sequence[str], noun: str) -> str:
    """Return a single name, or the number of tied names.

    >>> name_or_count(["bm25"], "run"), name_or_count(["bm25", "dense"], "run")
    ('bm25', '2 runs tied')
    """
    return names[0] if len(names) == 1 else f"{pluralize(len(names), noun)} tied"
