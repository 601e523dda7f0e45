"""The static Bejeweled player model (Zhang et al. 2017)."""

from oracles.gains import gains_of, top_grade


def bpm(ranking, judged, T, cutoff, gains="unit", rel=None, max_rel=None):
    """Gain per document up to the rank where the gain reaches T, or up to rank k."""
    top = top_grade(judged) if max_rel is None else max_rel
    worth = gains_of(ranking, gains, rel, top)
    gained = 0
    for rank in range(1, cutoff + 1):
        gained += worth[rank - 1] if rank <= len(worth) else 0
        if gained >= T:
            return gained / rank
    return gained / cutoff
