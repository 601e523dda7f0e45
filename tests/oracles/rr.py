"""Reciprocal ranks (docs/reference/measures.md)."""

from oracles.precision import relevant


def _rank_of_relevant(ranking, rel, nth):
    hits = 0
    for rank, grade in enumerate(ranking, start=1):
        if relevant(grade, rel):
            hits += 1
            if hits == nth:
                return rank
    return None


def rr(ranking, judged, cutoff=None, rel=1):
    """RR = 1 / rank of the first relevant document; 0 if there is none."""
    rank = _rank_of_relevant(ranking, rel, 1)
    return 0 if rank is None or (cutoff is not None and rank > cutoff) else 1 / rank


def rr2(ranking, judged, cutoff=None, rel=1):
    """RR2 = 1 / rank of the second relevant document; 0 if there are fewer than two."""
    rank = _rank_of_relevant(ranking, rel, 2)
    return 0 if rank is None or (cutoff is not None and rank > cutoff) else 1 / rank


def damped_rr(ranking, judged, k, cutoff=None, rel=1):
    """Damped RR = 1 / (k + rank of the first relevant document)."""
    rank = _rank_of_relevant(ranking, rel, 1)
    return 0 if rank is None or (cutoff is not None and rank > cutoff) else 1 / (k + rank)
