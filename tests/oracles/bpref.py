"""Binary preference (docs/reference/measures.md)."""

from oracles.precision import count_nonrelevant, recall_base, relevant


def bpref(ranking, judged, k=0, rel=1):
    """BPref-k = (1/R) sum over retrieved relevant i of (1 - min(R+k, nr_i) / min(R+k, N0)); 1 if nr_i = 0."""
    base, nonrelevant = recall_base(judged, rel), count_nonrelevant(judged, rel)
    if base == 0:
        return 0
    above, total = 0, 0
    for grade in ranking:
        if grade is None or grade < 0:
            continue  # Unjudged documents are removed: the ranking is condensed.
        if not relevant(grade, rel):
            above += 1
        elif above == 0:
            total += 1
        else:
            total += 1 - min(base + k, above) / min(base + k, nonrelevant)
    return total / base
