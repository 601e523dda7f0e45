"""INSQ and INST: a walk down the ranking that goes on for ever (Moffat et al. 2012 and 2015).

C(i) is the probability of going on after rank i, as in cwl_eval; V_i the product of C(1)..C(i-1). The value is
the sum of g_i V_i over the sum of V_i.
"""

from oracles.gains import gains_of, top_grade


def insq(ranking, judged, T, gains="unit", rel=None, max_rel=None, walk=50):
    """C(i) = ((i + 2T - 1) / (i + 2T))^2."""
    return _walk(ranking, judged, gains, rel, max_rel, walk, lambda rank, gained: (rank, 2 * T))


def inst(ranking, judged, T, gains="unit", rel=None, max_rel=None, walk=50):
    """C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2 with T_i = T - sum of the gains so far."""
    return _walk(ranking, judged, gains, rel, max_rel, walk, lambda rank, gained: (rank, T + (T - gained)))


def _walk(ranking, judged, gains, rel, max_rel, walk, patience):
    """*walk* ranks behind the last document are added one by one, the rest by its limit."""
    top = top_grade(judged) if max_rel is None else max_rel
    worth = gains_of(ranking, gains, rel, top)
    looking, gained, looked, value = 1.0, 0.0, 0.0, 0.0
    rank = 0
    while rank < len(worth) + walk:
        gain = worth[rank] if rank < len(worth) else 0
        rank += 1
        value += gain * looking
        looked += looking
        gained += gain
        i, t = patience(rank, gained)
        looking *= ((i + t - 1) / (i + t)) ** 2
    # From here on V falls as (x / (x + m))^2 with x = i + t.
    return value / (looked + looking * (i + t) ** 2 * _inverse_squares(i + t))


def _inverse_squares(x):
    """1/x^2 + 1/(x+1)^2 + ... by Euler and Maclaurin; the error is below 1/(42 x^7)."""
    return 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5)
