"""Average precision and its variants (docs/reference/measures.md)."""

from oracles.precision import count_relevant, p, recall_base, relevant


def sp(ranking, judged, cutoff=None, rel=1):
    """SP@k = sum over i <= k of r_i P@i."""
    total = 0
    for rank, grade in enumerate(ranking, start=1):
        if relevant(grade, rel) and (cutoff is None or rank <= cutoff):
            total += p(ranking, judged, rank, rel)
    return total


def ssp(ranking, judged, cutoff, rel=1):
    """SSP@k = SP@k / k (eq. 10 of [004])."""
    return sp(ranking, judged, cutoff, rel) / cutoff


def ap(ranking, judged, cutoff=None, rel=1, norm="R"):
    """AP@k = SP@k / R (eq. 8), / min(k, R) (eq. 9) or / k (eq. 10)."""
    base = recall_base(judged, rel)
    divisor = {"R": base, "min": base if cutoff is None else min(cutoff, base), "k": cutoff}[norm]
    return sp(ranking, judged, cutoff, rel) / divisor if divisor else 0


def ap_star(ranking, judged, rel=1):
    """AP* = SP / c_d: divided by the number of relevant documents retrieved; 0 if there are none."""
    hits = count_relevant(ranking, rel)
    return sp(ranking, judged, None, rel) / hits if hits else 0
