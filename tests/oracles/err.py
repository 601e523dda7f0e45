"""Expected reciprocal rank (docs/reference/measures.md)."""

from oracles.gains import gains_of, ideal_gains, top_grade


def _cascade(stops, cutoff):
    """Return the sum over i of (1/i) x_i prod over k < i of (1 - x_k)."""
    total = 0
    for rank, stop in enumerate(stops, start=1):
        if cutoff is None or rank <= cutoff:
            reach_probability = 1
            for earlier in stops[: rank - 1]:
                reach_probability *= 1 - earlier
            total += stop * reach_probability / rank
    return total


def err(ranking, judged, cutoff=None, gains="exp12", rel=None, max_rel=None):
    """ERR@k, with stopping probabilities from the gains."""
    top = top_grade(judged) if max_rel is None else max_rel
    return _cascade(gains_of(ranking, gains, rel, top), cutoff)


def nerr(ranking, judged, cutoff=None, gains="exp12", rel=None, max_rel=None):
    """ERR@k divided by the ERR@k of the ideal ranking."""
    top = top_grade(judged) if max_rel is None else max_rel
    ideal = _cascade(ideal_gains(judged, gains, rel, top), cutoff)
    return err(ranking, judged, cutoff, gains, rel, top) / ideal if ideal else 0
