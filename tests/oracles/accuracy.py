"""Accuracy: pairs of a relevant document and another, counted one by one."""

from oracles.precision import relevant


def accuracy(ranking, judged, cutoff=None, rel=1):
    """The share of the pairs within the top k in which the relevant document stands above the other."""
    looked = ranking if cutoff is None else ranking[:cutoff]
    right = wrong = 0
    for above, first in enumerate(looked):
        for second in looked[above + 1 :]:
            right += relevant(first, rel) and not relevant(second, rel)
            wrong += relevant(second, rel) and not relevant(first, rel)
    if not any(relevant(grade, rel) for grade in looked):
        return 0
    return right / (right + wrong) if right + wrong else 1
