"""Compatibility (Clarke, Vtyurina & Smucker 2021): rank-biased overlap with the ideal ranking, as sets of documents."""

from itertools import count


def compat(ranking, judged, p=0.95, normalize=True):
    """RBO of the run and the ideal ranking that is most like it, down to the end of the longer one."""
    run, ideal = documents(ranking, judged)
    depth = max(len(run), len(ideal))
    value = rbo(run, ideal, p, depth)
    return value / rbo(ideal, ideal, p, depth) if normalize and ideal else value


def documents(ranking, judged):
    """The run and the ideal ranking as lists of documents, which are numbers: those that the run lacks come last."""
    number = count()
    run = [next(number) for _ in ranking]
    graded = [(grade, doc) for doc, grade in zip(run, ranking, strict=True) if grade is not None]
    for grade, judged_so in judged.items():
        graded += [(grade, next(number)) for _ in range(judged_so - ranking.count(grade))]
    ideal = sorted((-grade, doc) for grade, doc in graded if grade > 0)
    return run, [doc for _, doc in ideal]


def rbo(one, other, p, depth):
    """The agreement of the top d of two rankings, averaged over d with weights p^(d-1)."""
    if depth == 0:
        return 0
    agreed = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1)]
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    return sum(w * a for w, a in zip(weights, agreed, strict=True)) / sum(weights)
