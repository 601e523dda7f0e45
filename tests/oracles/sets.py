"""Set-based measures as trec_eval defines them, and counts of judged and unjudged documents."""

from oracles.precision import count_relevant, p, recall_base, relevant


def is_judged(grade):
    """Return whether a document counts as judged: it has a grade of at least 0."""
    return grade is not None and grade >= 0


def set_p(ranking, judged, rel=1):
    """c / n: relevant retrieved documents divided by retrieved documents."""
    return count_relevant(ranking, rel) / len(ranking) if ranking else 0


def set_rel_p(ranking, judged, rel=1):
    """c / min(n, R)."""
    best = min(len(ranking), recall_base(judged, rel))
    return count_relevant(ranking, rel) / best if best else 0


def set_ap(ranking, judged, rel=1):
    """Set precision times set recall."""
    base = recall_base(judged, rel)
    return set_p(ranking, judged, rel) * count_relevant(ranking, rel) / base if base else 0


def rprec_mult(ranking, judged, multiple, rel=1):
    """P@k at k = floor(x R + 0.9)."""
    cutoff = int(multiple * recall_base(judged, rel) + 0.9)
    return p(ranking, judged, cutoff, rel) if cutoff else 0


def utility(ranking, judged, rel_ret=1, nonrel_ret=-1, rel_missed=0, nonrel_missed=0, docs=0, rel=1):
    """Weighted sum of the four cells of the contingency table of relevant and retrieved documents."""
    a = count_relevant(ranking, rel)
    b = sum(1 for grade in ranking if not relevant(grade, rel))
    c = recall_base(judged, rel) - a
    d = docs - a - b - c
    return rel_ret * a + nonrel_ret * b + rel_missed * c + nonrel_missed * d


def num_nonrel_judged_ret(ranking, judged, rel=1):
    """Number of retrieved documents judged non-relevant."""
    return len([grade for grade in ranking if is_judged(grade) and not relevant(grade, rel)])


def num_unjudged_ret(ranking, judged):
    """Number of unjudged retrieved documents."""
    return len([grade for grade in ranking if not is_judged(grade)])


def unjudged_share(ranking, judged, cutoff):
    """Fraction of unjudged documents in the top k; ranks after the end of the ranking do not count as unjudged."""
    return num_unjudged_ret(ranking[:cutoff], judged) / cutoff
