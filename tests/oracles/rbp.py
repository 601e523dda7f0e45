"""Rank-biased precision (spec section 5)."""

from oracles.gains import gain, gains_of, top_grade


def rbp(ranking, judged, p=None, p1=None, p2=None, cutoff=None, gains="binary", rel=None, max_rel=None):
    """(1 - p) sum of g_i p^(i-1) (5.1), or with p1 and p2 the form of 5.4."""
    if p is None:
        return rbp_conditional(ranking, p1, p2, cutoff, rel)
    top = top_grade(judged) if max_rel is None else max_rel
    total = 0
    for rank, worth in enumerate(gains_of(ranking, gains, rel, top), start=1):
        if cutoff is None or rank <= cutoff:
            total += worth * p ** (rank - 1)
    return (1 - p) * total


def rbp_conditional(ranking, p1, p2, cutoff=None, rel=None):
    """Sum of r_i V_i over sum of V_i, the unseen tail not relevant (5.4, A-002-6), by walking on and on.

    V_1 = 1, V_{i+1} = V_i (p1 if r_i else p2). The walk of a user who never stops has no end: the value is 0.
    """
    seen = ranking if cutoff is None else ranking[:cutoff]
    looking, gained, looked = 1.0, 0.0, 0.0
    for grade in seen:
        r = gain(grade, "binary", rel, 1)
        gained += r * looking
        looked += looking
        looking *= p1 if r else p2
    if looking > 0 and p2 == 1:
        return 0
    while looking > 1e-18 * looked:
        looked += looking
        looking *= p2
    return gained / looked if looked else 0


def rbp_ties(groups, p):
    """A group of j tied documents at ranks k..k+j-1 shares its weight equally (5.5, A-002-5)."""
    total, rank = 0, 1
    for group in groups:
        weight = sum(p ** (i - 1) for i in range(rank, rank + len(group))) / len(group)
        total += (1 - p) * weight * sum(group)
        rank += len(group)
    return total
