"""Accuracy: pairs of a relevant and a non-relevant document, counted one by one."""

from oracles.precision import relevant


def accuracy(ranking, judged, cutoff=None, rel=1):
    """Return the fraction of pairs within the top k whose relevant document is ranked above the non-relevant one."""
    top = ranking if cutoff is None else ranking[:cutoff]
    right = wrong = 0
    for above, first in enumerate(top):
        for second in top[above + 1 :]:
            right += relevant(first, rel) and not relevant(second, rel)
            wrong += relevant(second, rel) and not relevant(first, rel)
    if not any(relevant(grade, rel) for grade in top):
        return 0
    return right / (right + wrong) if right + wrong else 1
