"""Maximized effectiveness distance of sums and of first relevant documents, by trying all labels (spec 11.1, 11.5)."""

from collections import Counter
from itertools import combinations_with_replacement, product


def free_documents(y, z, judged):
    """The documents of either list without a label; a negative grade is none."""
    return [doc for doc in dict.fromkeys([*y, *z]) if judged.get(doc, -1) < 0]


def differences(value, y, z, judged, outside, grades):
    """All labels with value(y) - value(z).

    *judged* has the grades of documents of any list, *outside* says how many others were judged with each grade, and
    *value* takes the grades of a ranking and how many documents of the topic have each grade.
    """
    free = free_documents(y, z, judged)
    found = []
    for labels in product(grades, repeat=len(free)):
        known = {**judged, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values()) + Counter(outside)
        one, other = ([known.get(doc) for doc in ranking] for ranking in (y, z))
        found.append((value(one, counts) - value(other, counts), labels))
    return found


def largest_difference(value, y, z, judged, outside, grades):
    """The largest value(y) - value(z)."""
    return max(difference for difference, _ in differences(value, y, z, judged, outside, grades))


def med(value, y, z, judged, outside, grades):
    """MED = max |value(y) - value(z)|."""
    return max(abs(difference) for difference, _ in differences(value, y, z, judged, outside, grades))


def is_strict(value, y, z, judged, outside, grades):
    """Whether only one labelling reaches MED."""
    sizes = sorted(abs(difference) for difference, _ in differences(value, y, z, judged, outside, grades))
    return sizes[-1] > sizes[-2] + 1e-12


def by_sequences(value, y, z, judged, outside, grades, weight):
    """The largest value(y) - value(z), if it is above 0, of a sum with gains that rise with the grade (11.5).

    Documents in the order of how much more they weigh in y than in z get non-increasing grades; those that do not weigh
    more get 0.
    """

    def ahead(doc):
        return sum(sign * weight(lst.index(doc) + 1) for sign, lst in ((1, y), (-1, z)) if doc in lst)

    free = sorted((doc for doc in free_documents(y, z, judged) if ahead(doc) > 0), key=ahead, reverse=True)
    rest = dict.fromkeys(free_documents(y, z, judged), 0)
    best = 0
    for labels in combinations_with_replacement(sorted(grades, reverse=True), len(free)):
        known = {**judged, **rest, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values()) + Counter(outside)
        one, other = ([known.get(doc) for doc in ranking] for ranking in (y, z))
        best = max(best, value(one, counts) - value(other, counts))
    return best
