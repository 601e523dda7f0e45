"""Maximized effectiveness distance by its definition, and the greedy labels of eq. 13 (docs/guide/med.md)."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import log2


def unjudged_documents(y, z, judged):
    """Return the unjudged documents of either list; a negative grade counts as unjudged."""
    return [doc for doc in dict.fromkeys([*y, *z]) if doc not in judged or judged[doc] < 0]


def differences(value, y, z, judged, grades):
    """Yield every labeling of the unjudged documents with M(y) - M(z).

    *judged* maps all judged documents of the topic to their grades, including those in neither list. *value* is a
    function of the grades of a ranking and of the number of documents by grade.
    """
    free = unjudged_documents(y, z, judged)
    for labels in product(grades, repeat=len(free)):
        known = {**judged, **dict(zip(free, labels, strict=True))}
        counts = Counter(known.values())
        first, second = ([known[doc] for doc in ranking] for ranking in (y, z))
        yield dict(zip(free, labels, strict=True)), value(first, counts) - value(second, counts)


def largest_difference(value, y, z, judged, grades):
    """Return the largest M(y) - M(z) over all labels."""
    return max(difference for _, difference in differences(value, y, z, judged, grades))


def sum_of_precisions(ranking, relevant):
    """SP = sum over relevant documents of (relevant documents up to its rank) / rank, as a fraction."""
    total, hits = Fraction(0), 0
    for rank, doc in enumerate(ranking, start=1):
        if doc in relevant:
            hits += 1
            total += Fraction(hits, rank)
    return total


def greedy(y, z, relevant, nonrelevant, outside, norm, k, stop):
    """Return the best (SP(y) - SP(z)) / divisor that greedy labeling visits, and whether it ever broke a tie.

    *relevant* and *nonrelevant* are the judged documents of the lists; *outside* is the number of other documents
    judged relevant.
    """
    labelled = set(relevant)
    free = [doc for doc in dict.fromkeys([*y, *z]) if doc not in relevant and doc not in nonrelevant]
    choice = False
    best = None
    while True:
        difference = sum_of_precisions(y, labelled) - sum_of_precisions(z, labelled)
        base = len(labelled) + outside
        divisor = {"R": base, "min": min(base, k), "k": k}[norm]
        value = difference / divisor if divisor else Fraction(0)
        best = value if best is None else max(best, value)
        gains = {
            doc: sum_of_precisions(y, labelled | {doc}) - sum_of_precisions(z, labelled | {doc}) - difference
            for doc in free
        }
        if not gains or (stop and max(gains.values()) <= 0):
            return best, choice
        picks = [doc for doc in free if gains[doc] == max(gains.values())]
        choice = choice or len(picks) > 1
        labelled.add(picks[0])
        free.remove(picks[0])


def algorithm_1(y, z, judged, k):
    """Return the steps of Algorithm 1 for binary nDCG@k: two passes of (d, wY, wZ, diff, R, numer, denom).

    The first step of each pass labels no document. *judged* maps all judged documents of the topic to their grades.
    """
    weights = [{doc: 1 / log2(1 + rank) for rank, doc in enumerate(one[:k], start=1)} for one in (y, z)]
    free = [doc for doc in dict.fromkeys([*y[:k], *z[:k]]) if doc not in judged]
    base = [sum(weight for doc, weight in one.items() if judged.get(doc, 0) > 0) for one in weights]
    passes = []
    for sign in (1, -1):
        relevant = min(k, sum(grade > 0 for grade in judged.values()))
        numer, denom = sign * (base[0] - base[1]), sum(1 / log2(1 + i) for i in range(1, relevant + 1))
        steps = [(None, None, None, None, relevant, numer, denom)]
        for doc in sorted(free, key=lambda doc: -sign * (weights[0].get(doc, 0) - weights[1].get(doc, 0))):
            first, second = (one.get(doc, 0) for one in weights)
            if sign * (first - second) <= 0:
                break
            numer += sign * (first - second)
            if relevant < k:
                relevant += 1
                denom += 1 / log2(1 + relevant)
            steps.append((doc, first, second, first - second, relevant, numer, denom))
        passes.append(steps)
    return passes
