"""The archetypes of curves of cumulated relative position, and how often each occurs.

Rules, the first that fits; *arrival* is the first rank where the curve is back on the axis or above it:

1. **ideal**: no document is out of place.
2. **worst**: nothing relevant was found.
3. **full-scale**: the ideal ranking reversed.
4. **typical B**: the curve never comes back to the axis.
5. **typical A**: it does so behind rank R.
6. **ups-and-downs**: it does so by rank R, and falls below the axis again by rank R.
7. **excellent A**: it stays, and ranks 1 to R hold relevant documents only.
8. **excellent B**: it stays, though some of the ranks 1 to R hold others.

Binary relevance has no curve of the kinds 6 to 8: until rank R a document is in its place or too early.
"""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Ints
from assay.model.relative_position import Curves

NAMES = (
    "ideal",
    "worst",
    "full-scale",
    "typical A",
    "typical B",
    "ups-and-downs",
    "excellent A",
    "excellent B",
)
MEANING = {
    "ideal": "every document where it belongs",
    "worst": "nothing relevant found",
    "full-scale": "the ideal ranking reversed",
    "typical A": "losses are made up for after rank R",
    "typical B": "losses are never made up for",
    "ups-and-downs": "losses are made up for by rank R, then there are new ones",
    "excellent A": "losses are made up for by rank R; the first R ranks hold relevant documents only",
    "excellent B": "losses are made up for by rank R; some of the first R ranks hold other documents",
    "excellent": "losses are made up for by rank R",
}
"""Meaning of each archetype, merged or not; R is the number of relevant documents of the topic."""
MERGED = ("ideal", "worst", "full-scale", "typical A", "typical B", "excellent")
"""The classes of Table 2 of the Twist paper (and full-scale, which does not occur there)."""
NONE = -1
"""The number of a topic without relevant documents, whose curve is no curve."""


def archetypes(curves: Curves) -> Ints:
    """Return the number of the archetype of each curve in ``NAMES``; ``NONE`` for topics without relevant documents.

    Archetypes depend on positions as the papers define them: weights and persistence do not matter.
    """
    rules: list[tuple[str, Bools]] = [
        ("ideal", curves.ideal),
        ("worst", curves.found() == 0),
        ("full-scale", curves.reversed_ideal()),
        ("typical B", np.isinf(curves.arrival)),
        ("typical A", curves.arrival > curves.relevant),
        ("ups-and-downs", curves.dips(curves.arrival)),
        ("excellent A", curves.within() == curves.relevant),
    ]
    names = [NAMES.index(name) for name, _ in rules]
    numbers = np.select([holds for _, holds in rules], names, default=NAMES.index("excellent B"))
    return np.where(curves.relevant > 0, numbers, NONE)


def still_growing(curves: Curves) -> Bools:
    """Return for each curve whether it still rises after rank R: there are relevant documents after it."""
    return np.asarray(curves.found() > curves.within())


def merged(numbers: Ints) -> Ints:
    """Return numbers in ``MERGED``: ups-and-downs and the two kinds of excellent are one."""
    return np.where(numbers == NONE, NONE, np.minimum(numbers, MERGED.index("excellent")))


def census(numbers: Ints, merge: bool = False) -> Ints:
    """Count each archetype along the last axis."""
    kinds = MERGED if merge else NAMES
    chosen = merged(numbers) if merge else numbers
    return np.stack([(chosen == kind).sum(axis=-1) for kind in range(len(kinds))], axis=-1)
