"""Precision, recall and related measures (docs/reference/measures.md): binary relevance r_i = [grade >= rel]."""


def relevant(grade, rel):
    """Return r_i; an unjudged document (None) is not relevant."""
    return grade is not None and grade >= rel


def recall_base(judged, rel):
    """Return R, the number of judged documents with a grade of at least *rel*."""
    return sum(number for grade, number in judged.items() if grade >= rel)


def count_nonrelevant(judged, rel):
    """Return N0, the number of judged documents below *rel*; negative grades count as unjudged."""
    return sum(number for grade, number in judged.items() if 0 <= grade < rel)


def count_relevant(ranking, rel, cutoff=None):
    """Return c_d, the number of relevant documents in the top d."""
    number = 0
    for rank, grade in enumerate(ranking, start=1):
        if (cutoff is None or rank <= cutoff) and relevant(grade, rel):
            number += 1
    return number


def p(ranking, judged, cutoff, rel=1):
    """P@d = c_d / d; missing ranks count as not relevant."""
    return count_relevant(ranking, rel, cutoff) / cutoff


def r(ranking, judged, cutoff=None, rel=1, capped=False):
    """Recall@d = c_d / R; capped: c_d / min(d, R)."""
    base = recall_base(judged, rel)
    if capped and cutoff is not None:
        base = min(base, cutoff)
    return count_relevant(ranking, rel, cutoff) / base if base else 0


def rprec(ranking, judged, rel=1):
    """R-precision = P@R."""
    base = recall_base(judged, rel)
    return p(ranking, judged, base, rel) if base else 0


def success(ranking, judged, cutoff, rel=1):
    """1 if c_d > 0, else 0."""
    return 1 if count_relevant(ranking, rel, cutoff) > 0 else 0


def f(ranking, judged, cutoff=None, beta=1, rel=1):
    """Weighted harmonic mean of precision and recall, with weight beta^2 on recall (van Rijsbergen 1979)."""
    top = len(ranking) if cutoff is None else cutoff
    hits = count_relevant(ranking, rel, cutoff)
    if hits == 0:
        return 0
    precision, recall = hits / top, hits / recall_base(judged, rel)
    return 1 / ((1 / (1 + beta**2)) / precision + (beta**2 / (1 + beta**2)) / recall)


def shaw(ranking, judged, cutoff, rel=1):
    """Shaw: 1 / (1/p + 1/r - 1); 0 if p or r is 0."""
    hits = count_relevant(ranking, rel, cutoff)
    if hits == 0:
        return 0
    return 1 / (1 / (hits / cutoff) + 1 / (hits / recall_base(judged, rel)) - 1)


def judged_share(ranking, judged, cutoff=None):
    """Fraction of judged documents among the retrieved documents of the top k."""
    top = ranking if cutoff is None else ranking[:cutoff]
    if not top:
        return 0
    return len([grade for grade in top if grade is not None]) / len(top)


def num_q(ranking, judged):
    """1 for every topic."""
    return 1


def num_ret(ranking, judged):
    """Number of retrieved documents."""
    return len(ranking)


def num_rel(ranking, judged, rel=1):
    """R, the number of relevant documents."""
    return recall_base(judged, rel)


def num_rel_ret(ranking, judged, rel=1):
    """Number of relevant documents retrieved."""
    return count_relevant(ranking, rel)
