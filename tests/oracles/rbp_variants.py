"""The kin of rank-biased precision."""

from oracles.sets import is_judged


def rbp_norm(ranking, judged, p, cutoff=None, rel=None):
    """(1 - p) sum of g_i p^(i-1); grades are divided by the largest one of the topic if that is above 1."""
    largest = max([1, *(grade for grade, number in judged.items() if number)])
    total = 0
    for rank, grade in enumerate(ranking[:cutoff], start=1):
        if grade is not None and grade > 0 and (rel is None or grade >= rel):
            total += grade / largest * p ** (rank - 1)
    return (1 - p) * total


def rbp_residual(ranking, judged, p, cutoff=None):
    """What RBP would be if only documents that nobody judged were relevant: unjudged ones, and an endless tail."""
    seen = ranking[:cutoff]
    known = sum((1 - p) * p ** (rank - 1) for rank, grade in enumerate(seen, start=1) if is_judged(grade))
    return 1 - known
