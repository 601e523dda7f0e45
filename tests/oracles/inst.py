"""INSQ and INST on an infinite ranking (Moffat et al. 2012 and 2015).

C(i) is the probability of continuing after rank i, as in cwl_eval, and V_i the product of C(1)..C(i-1). The value is
the sum of g_i V_i divided by the sum of V_i.
"""

from oracles.gains import gains_of, top_grade


def insq(ranking, judged, T, gains="unit", rel=None, max_rel=None, walk=50):
    """C(i) = ((i + 2T - 1) / (i + 2T))^2."""
    return _walk(ranking, judged, gains, rel, max_rel, walk, lambda rank, cumulated: (rank, 2 * T))


def inst(ranking, judged, T, gains="unit", rel=None, max_rel=None, walk=50):
    """C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2 with T_i = T - sum of the gains up to rank i."""
    return _walk(ranking, judged, gains, rel, max_rel, walk, lambda rank, cumulated: (rank, T + (T - cumulated)))


def _walk(ranking, judged, gains, rel, max_rel, walk, patience):
    """Add *walk* ranks after the last document one by one, and the rest by its closed form."""
    top = top_grade(judged) if max_rel is None else max_rel
    gain_by_rank = gains_of(ranking, gains, rel, top)
    viewing, cumulated, views, value = 1.0, 0.0, 0.0, 0.0
    rank = 0
    while rank < len(gain_by_rank) + walk:
        gain = gain_by_rank[rank] if rank < len(gain_by_rank) else 0
        rank += 1
        value += gain * viewing
        views += viewing
        cumulated += gain
        i, t = patience(rank, cumulated)
        viewing *= ((i + t - 1) / (i + t)) ** 2
    # From here on V decreases as (x / (x + m))^2 with x = i + t, for m = 0, 1, ...
    return value / (views + viewing * (i + t) ** 2 * sum_inverse_squares(i + t))


def sum_inverse_squares(x):
    """Return 1/x^2 + 1/(x+1)^2 + ... by the Euler-Maclaurin formula; the error is below 1/(42 x^7)."""
    return 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5)
