"""Archetypes of curves of cumulated relative position (CRP), and the number of curves of each archetype.

The first rule that applies determines the archetype. R is the recall base of the topic:

1. **ideal**: at every rank, the ranking has the same grade as the ideal ranking.
2. **worst**: no relevant document was retrieved.
3. **full-scale**: the ranking is the reversed ideal ranking.
4. **typical B**: the curve never returns to the axis.
5. **typical A**: the curve returns to the axis after rank R.
6. **ups-and-downs**: the curve returns to the axis by rank R, then falls below the axis again by rank R.
7. **excellent A**: the curve returns to the axis by rank R and does not fall below it again by rank R; all documents
   at ranks 1 to R are relevant.
8. **excellent B**: as excellent A, but some documents at ranks 1 to R are not relevant.

With binary relevance, archetypes 6 to 8 do not occur: at ranks 1 to R, a relevant document has relative position 0 and
a non-relevant document is too early, so that the curve cannot rise.
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
    "ideal": "every document is at an ideal rank",
    "worst": "no relevant document is retrieved",
    "full-scale": "the ranking is the reversed ideal ranking",
    "typical A": "the curve recovers after rank R",
    "typical B": "the curve never recovers",
    "ups-and-downs": "the curve recovers by rank R, then falls below the axis again",
    "excellent A": "the curve recovers by rank R; all documents at ranks 1 to R are relevant",
    "excellent B": "the curve recovers by rank R; some documents at ranks 1 to R are not relevant",
    "excellent": "the curve recovers by rank R",
}
"""Meaning of each archetype in ``NAMES`` and ``MERGED``; R is the recall base of the topic."""
MERGED = ("ideal", "worst", "full-scale", "typical A", "typical B", "excellent")
"""The archetypes in Table 2 of the Twist paper, and full-scale, which the table does not contain."""
NONE = -1
"""Index for a topic without relevant documents, which has no curve."""


def classify_curves(curves: Curves) -> Ints:
    """Return the archetype of each curve as an index in ``NAMES``; ``NONE`` for topics without relevant documents.

    As in the papers, archetypes depend on unweighted positions: weights and persistence have no effect.
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
    """Return True for each curve that rises after rank R, because the ranking has relevant documents after rank R."""
    return np.asarray(curves.relevant_retrieved() > curves.relevant_in_top_r())


def merge_archetypes(indices: Ints) -> Ints:
    """Convert indices in ``NAMES`` to ``MERGED``: ups-and-downs, excellent A and excellent B become one class."""
    # The three classes are the last three in NAMES, so that np.minimum maps them to the same index.
    return np.where(indices == NONE, NONE, np.minimum(indices, MERGED.index("excellent")))


def count_archetypes(indices: Ints, merge: bool = False) -> Ints:
    """Count the curves of each archetype along the last axis of *indices*."""
    names = MERGED if merge else NAMES
    classes = merge_archetypes(indices) if merge else indices
    return np.stack([(classes == i).sum(axis=-1) for i in range(len(names))], axis=-1)
