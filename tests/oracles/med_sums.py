"""Maximized effectiveness distance of additive measures and reciprocal rank, over all labels (docs/guide/med.md)."""

from collections import Counter
from itertools import combinations_with_replacement, product


def free_documents(y, z, judged):
    """Return the unjudged documents of either list; a negative grade counts as unjudged."""
    return [doc for doc in dict.fromkeys([*y, *z]) if judged.get(doc, -1) < 0]


def differences(value, y, z, judged, outside, grades):
    """Return value(y) - value(z) with the labels, for all labelings.

    *judged* has the grades of documents in the lists, *outside* the number of other judged documents by grade, and
    *value* is a function of the grades of a ranking and of the number of documents by grade.
    """
    free = free_documents(y, z, judged)
    pairs = []
    for labels in product(grades, repeat=len(free)):
        known = {**judged, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values()) + Counter(outside)
        one, other = ([known.get(doc) for doc in ranking] for ranking in (y, z))
        pairs.append((value(one, counts) - value(other, counts), labels))
    return pairs


def largest_difference(value, y, z, judged, outside, grades):
    """Return the largest value(y) - value(z)."""
    return max(difference for difference, _ in differences(value, y, z, judged, outside, grades))


def med(value, y, z, judged, outside, grades):
    """MED = max |value(y) - value(z)|."""
    return max(abs(difference) for difference, _ in differences(value, y, z, judged, outside, grades))


def is_strict(value, y, z, judged, outside, grades):
    """Return whether exactly one labeling attains MED."""
    sizes = sorted(abs(difference) for difference, _ in differences(value, y, z, judged, outside, grades))
    return sizes[-1] > sizes[-2] + 1e-12


def by_sequences(value, y, z, judged, outside, grades, weight):
    """Return the largest positive value(y) - value(z) of an additive measure with increasing gains, or 0.

    Documents in descending order of weight in y minus weight in z get non-increasing grades; those without a positive
    difference get 0.
    """

    def weight_difference(doc):
        return sum(sign * weight(lst.index(doc) + 1) for sign, lst in ((1, y), (-1, z)) if doc in lst)

    free = sorted(
        (doc for doc in free_documents(y, z, judged) if weight_difference(doc) > 0), key=weight_difference, reverse=True
    )
    rest = dict.fromkeys(free_documents(y, z, judged), 0)
    best = 0
    for labels in combinations_with_replacement(sorted(grades, reverse=True), len(free)):
        known = {**judged, **rest, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values()) + Counter(outside)
        one, other = ([known.get(doc) for doc in ranking] for ranking in (y, z))
        best = max(best, value(one, counts) - value(other, counts))
    return best
