"""NERR family (Azzopardi, Mackenzie & Moffat 2021): the user stops when satisfied, or by fatigue.

The value is the sum of g_i V_i divided by the sum of V_i, where V_1 = 1 and V_{i+1} = V_i C(i).
"""

from oracles.gains import gains_of, top_grade
from oracles.inst import sum_inverse_squares


def nerr8(ranking, judged, cutoff, gains="unit", rel=None, max_rel=None):
    """C(i) = 1 - g_i, up to rank k."""
    gain_by_rank = _padded_gains(ranking, judged, gains, rel, max_rel, cutoff)
    value, views, _ = _walk(gain_by_rank[:cutoff], lambda rank: 1)
    return value / views


def nerr9(ranking, judged, cutoff, gains="unit", rel=None, max_rel=None):
    """C(i) = i / (i + 1) (1 - g_i), up to rank k."""
    gain_by_rank = _padded_gains(ranking, judged, gains, rel, max_rel, cutoff)
    value, views, _ = _walk(gain_by_rank[:cutoff], lambda rank: rank / (rank + 1))
    return value / views


def nerr10(ranking, judged, p, gains="unit", rel=None, max_rel=None):
    """C(i) = p (1 - g_i), on an infinite ranking."""
    gain_by_rank = _padded_gains(ranking, judged, gains, rel, max_rel, 0)
    value, views, viewing = _walk(gain_by_rank, lambda rank: p)
    return value / (views + viewing / (1 - p))


def nerr11(ranking, judged, T, gains="unit", rel=None, max_rel=None):
    """C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g_i), on an infinite ranking."""
    gain_by_rank = _padded_gains(ranking, judged, gains, rel, max_rel, len(ranking) + 50)
    value, views, viewing = _walk(gain_by_rank, lambda rank: ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2)
    # From here on V decreases as (x / (x + m))^2, for m = 0, 1, ...
    x = len(gain_by_rank) + 2 * T
    return value / (views + viewing * x**2 * sum_inverse_squares(x))


def _padded_gains(ranking, judged, gains, rel, max_rel, at_least):
    """Return the gains, padded with 0 to at least *at_least* ranks."""
    top = top_grade(judged) if max_rel is None else max_rel
    gain_by_rank = gains_of(ranking, gains, rel, top)
    return gain_by_rank + [0] * (at_least - len(gain_by_rank))


def _walk(gain_by_rank, patience):
    """Return the expected gain, the expected number of views, and the probability of viewing the next document."""
    value, views, viewing = 0.0, 0.0, 1.0
    for rank, gain in enumerate(gain_by_rank, start=1):
        value += gain * viewing
        views += viewing
        viewing *= patience(rank) * (1 - gain)
    return value, views, viewing
