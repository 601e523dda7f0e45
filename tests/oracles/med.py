"""Maximized effectiveness distance by its definition, and the greedy labels of eq. 13 (spec 11.1 and 11.6)."""

from collections import Counter
from fractions import Fraction
from itertools import product


def unjudged_documents(y, z, judged):
    """The documents of either list that have no grade; a negative grade is none."""
    return [doc for doc in dict.fromkeys([*y, *z]) if doc not in judged or judged[doc] < 0]


def differences(value, y, z, judged, grades):
    """Every labelling of the unjudged documents, with M(y) - M(z).

    *judged* maps all judged documents of the topic to their grades, those in neither list too. *value* takes the grades
    of a ranking and how many documents of the topic have each grade.
    """
    free = unjudged_documents(y, z, judged)
    for labels in product(grades, repeat=len(free)):
        known = {**judged, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values())
        first, second = ([known[doc] for doc in ranking] for ranking in (y, z))
        yield dict(zip(free, labels, strict=True)), value(first, counts) - value(second, counts)


def largest_difference(value, y, z, judged, grades):
    """The largest M(y) - M(z) over all labels."""
    return max(difference for _, difference in differences(value, y, z, judged, grades))


def sum_of_precisions(ranking, relevant):
    """SP = sum over the relevant documents of (relevant documents down to it) / rank, as a fraction."""
    total, found = Fraction(0), 0
    for rank, doc in enumerate(ranking, start=1):
        if doc in relevant:
            found += 1
            total += Fraction(found, rank)
    return total


def greedy(y, z, relevant, nonrelevant, outside, norm, k, stop):
    """The best (SP(y) - SP(z)) / divisor on the greedy way, and whether it ever had a choice.

    *relevant* and *nonrelevant* are the judged documents of the lists, *outside* counts judged relevant ones elsewhere.
    """
    labelled = set(relevant)
    free = [doc for doc in dict.fromkeys([*y, *z]) if doc not in relevant and doc not in nonrelevant]
    choice = False
    best = None
    while True:
        now = sum_of_precisions(y, labelled) - sum_of_precisions(z, labelled)
        base = len(labelled) + outside
        divisor = {"R": base, "min": min(base, k), "k": k}[norm]
        value = now / divisor if divisor else Fraction(0)
        best = value if best is None else max(best, value)
        gains = {
            doc: sum_of_precisions(y, labelled | {doc}) - sum_of_precisions(z, labelled | {doc}) - now for doc in free
        }
        if not gains or (stop and max(gains.values()) <= 0):
            return best, choice
        picks = [doc for doc in free if gains[doc] == max(gains.values())]
        choice = choice or len(picks) > 1
        labelled.add(picks[0])
        free.remove(picks[0])
