"""The Q-measure (docs/reference/measures.md)."""

from oracles.gains import gains_of, ideal_gains, top_grade


def q(ranking, judged, cutoff=None, beta=1, gains="identity", rel=None, max_rel=None, norm="R"):
    """Q = (1/R) sum over i of [g_i > 0] (beta cg_i + c_i) / (beta cg*_i + i)."""
    top = top_grade(judged) if max_rel is None else max_rel
    ideal = ideal_gains(judged, gains, rel, top)
    base = len(ideal)
    if base == 0:
        return 0
    total, cumulated, hits = 0, 0, 0
    for rank, gain in enumerate(gains_of(ranking, gains, rel, top), start=1):
        cumulated += gain
        hits += gain > 0
        if gain > 0 and (cutoff is None or rank <= cutoff):
            total += (beta * cumulated + hits) / (beta * sum(ideal[:rank]) + rank)
    return total / (min(base, cutoff) if norm == "min" else base)


def q_binary(ranking, judged, lowest, **_):
    """Binary form, derived separately: (1/R) sum of r_i 2 c_i / (i + min(i, R))."""
    base = sum(number for grade, number in judged.items() if grade >= lowest)
    total, hits = 0, 0
    for rank, grade in enumerate(ranking, start=1):
        if grade is not None and grade >= lowest:
            hits += 1
            total += 2 * hits / (rank + min(rank, base))
    return total / base if base else 0
