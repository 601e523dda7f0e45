"""Measures of what was retrieved as a set, as trec_eval defines them, and counts of judged and unjudged documents."""

from oracles.precision import count_relevant, p, recall_base, relevant


def is_judged(grade):
    """Whether a document counts as judged: it has a grade, and none below 0."""
    return grade is not None and grade >= 0


def set_p(ranking, judged, rel=1):
    """c / n."""
    return count_relevant(ranking, rel) / len(ranking) if ranking else 0


def set_rel_p(ranking, judged, rel=1):
    """c / min(n, R)."""
    best = min(len(ranking), recall_base(judged, rel))
    return count_relevant(ranking, rel) / best if best else 0


def set_ap(ranking, judged, rel=1):
    """Precision times recall of the set."""
    base = recall_base(judged, rel)
    return set_p(ranking, judged, rel) * count_relevant(ranking, rel) / base if base else 0


def rprec_mult(ranking, judged, multiple, rel=1):
    """P at the rank x R + 0.9, its fraction cut off."""
    cutoff = int(multiple * recall_base(judged, rel) + 0.9)
    return p(ranking, judged, cutoff, rel) if cutoff else 0


def utility(ranking, judged, rel_ret=1, nonrel_ret=-1, rel_missed=0, nonrel_missed=0, docs=0, rel=1):
    """What each document of the collection is worth, added up by the four cells of the contingency table."""
    a = count_relevant(ranking, rel)
    b = sum(1 for grade in ranking if not relevant(grade, rel))
    c = recall_base(judged, rel) - a
    d = docs - a - b - c
    return rel_ret * a + nonrel_ret * b + rel_missed * c + nonrel_missed * d


def num_nonrel_judged_ret(ranking, judged, rel=1):
    """Documents that were judged, but not relevant."""
    return len([grade for grade in ranking if is_judged(grade) and not relevant(grade, rel)])


def num_unjudged_ret(ranking, judged):
    """Documents that were not judged."""
    return len([grade for grade in ranking if not is_judged(grade)])


def unjudged_share(ranking, judged, cutoff):
    """The share of unjudged documents in the top k; ranks that are left empty are not unjudged."""
    return num_unjudged_ret(ranking[:cutoff], judged) / cutoff
