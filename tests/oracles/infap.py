"""Inferred AP (Yilmaz & Aslam 2006), as trec_eval computes it."""

from oracles.precision import recall_base

EPSILON = 0.00001


def infap(ranking, judged, rel=1):
    """Expected precision at each relevant document, averaged over R.

    A document without a grade was not pooled; one with a negative grade was pooled, but not judged.
    """
    base = recall_base(judged, rel)
    if base == 0:
        return 0
    relevant = nonrelevant = unjudged = 0
    total = 0
    for rank, grade in enumerate(ranking, start=1):
        if grade is None:
            continue
        if grade < 0:
            unjudged += 1
        elif grade < rel:
            nonrelevant += 1
        else:
            total += 1 / rank
            if rank > 1:
                pooled_fraction = (relevant + nonrelevant + unjudged) / (rank - 1)
                relevant_fraction = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
                total += (rank - 1) / rank * pooled_fraction * relevant_fraction
            relevant += 1
    return total / base
