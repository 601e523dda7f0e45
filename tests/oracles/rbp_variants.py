"""Variants of rank-biased precision."""

from oracles.sets import is_judged


def rbp_norm(ranking, judged, p, cutoff=None, rel=None):
    """(1 - p) sum of g_i p^(i-1), with grades divided by the largest grade of the topic if that is above 1."""
    largest = max([1, *(grade for grade, number in judged.items() if number)])
    total = 0
    for rank, grade in enumerate(ranking[:cutoff], start=1):
        if grade is not None and grade > 0 and (rel is None or grade >= rel):
            total += grade / largest * p ** (rank - 1)
    return (1 - p) * total


def rbp_residual(ranking, judged, p, cutoff=None):
    """Weight of the unjudged documents and of the tail: 1 - (1 - p) sum over judged i of p^(i-1)."""
    top = ranking[:cutoff]
    judged_weight = sum((1 - p) * p ** (rank - 1) for rank, grade in enumerate(top, start=1) if is_judged(grade))
    return 1 - judged_weight
