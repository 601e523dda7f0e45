"""Archetypes of curves of cumulated relative position (CRP), and their counts.

The first rule that applies determines the archetype. R is the recall base of the topic:

1. **ideal**: every document is at a rank of its grade.
2. **worst**: no relevant document was retrieved.
3. **full-scale**: the ideal ranking reversed.
4. **typical B**: the curve never returns to the axis.
5. **typical A**: the curve returns to the axis after rank R.
6. **ups-and-downs**: the curve returns by rank R, and falls below the axis again by rank R.
7. **excellent A**: the curve returns by rank R and stays; all documents at ranks 1 to R are relevant.
8. **excellent B**: the curve returns by rank R and stays; some documents at ranks 1 to R are not relevant.

With binary relevance the archetypes 6 to 8 do not occur: up to rank R a document is at its place or too early.
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
    "typical A": "the curve recovers after rank R",
    "typical B": "the curve never recovers",
    "ups-and-downs": "the curve recovers by rank R, then falls below the axis again",
    "excellent A": "the curve recovers by rank R; the first R ranks have relevant documents only",
    "excellent B": "the curve recovers by rank R; some of the first R ranks have non-relevant documents",
    "excellent": "the curve recovers by rank R",
}
"""Meaning of each archetype, merged or not; R is the recall base of the topic."""
MERGED = ("ideal", "worst", "full-scale", "typical A", "typical B", "excellent")
"""The classes of Table 2 of the Twist paper, and full-scale, which does not occur there."""
NONE = -1
"""Index for a topic without relevant documents, which has no curve."""


def classify_curves(curves: Curves) -> Ints:
    """Return the index in ``NAMES`` of the archetype of each curve; ``NONE`` for topics without relevant documents.

    Archetypes depend on unweighted positions, as in the papers: weights and persistence have no effect.
    """
    rules: list[tuple[str, Bools]] = [
        ("ideal", curves.is_ideal),
        ("worst", curves.relevant_retrieved() == 0),
        ("full-scale", curves.is_full_scale()),
        ("typical B", np.isinf(curves.return_rank)),
        ("typical A", curves.return_rank > curves.recall_base),
        ("ups-and-downs", curves.dips_below_axis(curves.return_rank)),
        ("excellent A", curves.relevant_in_top_r() == curves.recall_base),
    ]
    indices = [NAMES.index(name) for name, _ in rules]
    classes = np.select([applies for _, applies in rules], indices, default=NAMES.index("excellent B"))
    return np.where(curves.recall_base > 0, classes, NONE)


def find_late_relevant(curves: Curves) -> Bools:
    """Return True for each curve that rises after rank R, because relevant documents follow there."""
    return np.asarray(curves.relevant_retrieved() > curves.relevant_in_top_r())


def merge_archetypes(indices: Ints) -> Ints:
    """Convert indices in ``NAMES`` to ``MERGED``: ups-and-downs, excellent A and excellent B become one class."""
    # The three classes are the last ones in NAMES, so that a minimum maps them to the same index.
    return np.where(indices == NONE, NONE, np.minimum(indices, MERGED.index("excellent")))


def count_archetypes(indices: Ints, merge: bool = False) -> Ints:
    """Count each archetype along the last axis."""
    names = MERGED if merge else NAMES
    classes = merge_archetypes(indices) if merge else indices
    return np.stack([(classes == i).sum(axis=-1) for i in range(len(names))], axis=-1)
