"""Static Bejeweled player model (Zhang et al. 2017)."""

from oracles.gains import gains_of, top_grade


def bpm(ranking, judged, T, cutoff, gains="unit", rel=None, max_rel=None):
    """Gain per document up to the rank where the cumulated gain reaches T, or up to rank k."""
    top = top_grade(judged) if max_rel is None else max_rel
    gain_by_rank = gains_of(ranking, gains, rel, top)
    cumulated = 0
    for rank in range(1, cutoff + 1):
        cumulated += gain_by_rank[rank - 1] if rank <= len(gain_by_rank) else 0
        if cumulated >= T:
            return cumulated / rank
    return cumulated / cutoff
