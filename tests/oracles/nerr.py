"""The NERR family (Azzopardi, Mackenzie & Moffat 2021): a walk that ends with satisfaction, or by fatigue.

The value is the sum of g_i V_i over the sum of V_i, where V_1 = 1 and V_{i+1} = V_i C(i).
"""

from oracles.gains import gains_of, top_grade
from oracles.inst import _inverse_squares


def nerr8(ranking, judged, cutoff, gains="unit", rel=None, max_rel=None):
    """C(i) = 1 - g_i, up to rank k."""
    worth = _worth(ranking, judged, gains, rel, max_rel, cutoff)
    value, looked, _ = _walk(worth[:cutoff], lambda rank: 1)
    return value / looked


def nerr9(ranking, judged, cutoff, gains="unit", rel=None, max_rel=None):
    """C(i) = i / (i + 1) (1 - g_i), up to rank k."""
    worth = _worth(ranking, judged, gains, rel, max_rel, cutoff)
    value, looked, _ = _walk(worth[:cutoff], lambda rank: rank / (rank + 1))
    return value / looked


def nerr10(ranking, judged, p, gains="unit", rel=None, max_rel=None):
    """C(i) = p (1 - g_i), for ever."""
    worth = _worth(ranking, judged, gains, rel, max_rel, 0)
    value, looked, looking = _walk(worth, lambda rank: p)
    return value / (looked + looking / (1 - p))


def nerr11(ranking, judged, T, gains="unit", rel=None, max_rel=None):
    """C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g_i), for ever."""
    worth = _worth(ranking, judged, gains, rel, max_rel, len(ranking) + 50)
    value, looked, looking = _walk(worth, lambda rank: ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2)
    # From here on V falls as (x / (x + m))^2.
    x = len(worth) + 2 * T
    return value / (looked + looking * x**2 * _inverse_squares(x))


def _worth(ranking, judged, gains, rel, max_rel, at_least):
    """The gains, filled up with nothing."""
    top = top_grade(judged) if max_rel is None else max_rel
    worth = gains_of(ranking, gains, rel, top)
    return worth + [0] * (at_least - len(worth))


def _walk(worth, patience):
    """What is gained, how many documents are looked at, and the chance of looking at the next."""
    value, looked, looking = 0.0, 0.0, 1.0
    for rank, gain in enumerate(worth, start=1):
        value += gain * looking
        looked += looking
        looking *= patience(rank) * (1 - gain)
    return value, looked, looking
