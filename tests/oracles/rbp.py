"""Rank-biased precision (docs/reference/measures.md)."""

from oracles.gains import gain, gains_of, top_grade


def rbp(ranking, judged, p=None, p1=None, p2=None, cutoff=None, gains="binary", rel=None, max_rel=None):
    """RBP = (1 - p) sum of g_i p^(i-1), or with p1 and p2 the conditional form."""
    if p is None:
        return rbp_conditional(ranking, p1, p2, cutoff, rel)
    top = top_grade(judged) if max_rel is None else max_rel
    total = 0
    for rank, document_gain in enumerate(gains_of(ranking, gains, rel, top), start=1):
        if cutoff is None or rank <= cutoff:
            total += document_gain * p ** (rank - 1)
    return (1 - p) * total


def rbp_conditional(ranking, p1, p2, cutoff=None, rel=None):
    """Sum of r_i V_i divided by the sum of V_i, with a non-relevant tail.

    V_1 = 1, V_{i+1} = V_i (p1 if r_i else p2). If the user never stops, the denominator diverges and the value is 0.
    """
    top_documents = ranking if cutoff is None else ranking[:cutoff]
    viewing, value, views = 1.0, 0.0, 0.0
    for grade in top_documents:
        r = gain(grade, "binary", rel, 1)
        value += r * viewing
        views += viewing
        viewing *= p1 if r else p2
    if viewing > 0 and p2 == 1:
        return 0
    while viewing > 1e-18 * views:
        views += viewing
        viewing *= p2
    return value / views if views else 0


def rbp_ties(groups, p):
    """RBP with ties: j tied documents at ranks k..k+j-1 share their weight equally."""
    total, rank = 0, 1
    for group in groups:
        weight = sum(p ** (i - 1) for i in range(rank, rank + len(group))) / len(group)
        total += (1 - p) * weight * sum(group)
        rank += len(group)
    return total
