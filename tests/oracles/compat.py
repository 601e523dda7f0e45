"""Compatibility (Clarke, Vtyurina & Smucker 2021): rank-biased overlap with the ideal ranking, on document sets."""

from itertools import count


def compat(ranking, judged, p=0.95, normalize=True):
    """RBO of the run and its closest ideal ranking, down to the end of the longer ranking."""
    run, ideal = documents(ranking, judged)
    depth = max(len(run), len(ideal))
    value = rbo(run, ideal, p, depth)
    return value / rbo(ideal, ideal, p, depth) if normalize and ideal else value


def documents(ranking, judged):
    """Return the run and the ideal ranking as lists of document numbers; tied documents follow the run's order.

    Judged documents that the run does not retrieve have the largest numbers, so that they come last in a tie.
    """
    number = count()
    run = [next(number) for _ in ranking]
    graded = [(grade, doc) for doc, grade in zip(run, ranking, strict=True) if grade is not None]
    for grade, count_judged in judged.items():
        graded += [(grade, next(number)) for _ in range(count_judged - ranking.count(grade))]
    ideal = sorted((-grade, doc) for grade, doc in graded if grade > 0)
    return run, [doc for _, doc in ideal]


def rbo(one, other, p, depth):
    """Agreement |A_d and B_d| / d of the top d of two rankings, averaged over d with weights p^(d-1)."""
    if depth == 0:
        return 0
    agreements = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1)]
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    return sum(w * a for w, a in zip(weights, agreements, strict=True)) / sum(weights)
