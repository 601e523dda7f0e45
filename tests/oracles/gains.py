"""Gains of documents (docs/reference/measures.md)."""


def top_grade(judged):
    """Return the default top of the scale: the largest judged grade, at least 1."""
    return max([1, *judged])


def gain(grade, gains, rel, top):
    """Return the gain of one document; *grade* is None for an unjudged document.

    Unjudged documents and grades below *rel* have the gain of non-relevant documents, which is never positive.
    """
    if isinstance(gains, dict):
        nonrelevant_gain = min(0, gains.get(0, 0))
        if grade is None or (rel is not None and grade < rel):
            return nonrelevant_gain
        if grade in gains:
            return gains[grade]
        return grade if grade > 0 else nonrelevant_gain
    if grade is None or grade < (0 if rel is None else rel):
        grade = 0
    if gains == "binary" and rel is None:
        # The default threshold is lenient: grade >= 1.
        return 1 if grade >= 1 else 0
    return named_gain(grade, gains, top)


def named_gain(grade, gains, top):
    """Return the gain by the table of spec section 2, for grades of at least 0."""
    # exp12 and exp-unit scale the exponents first because 2^top may overflow a float.
    return {
        "binary": lambda: 1 if grade > 0 else 0,
        "identity": lambda: grade,
        "base5": lambda: 5 * grade,
        "negative": lambda: grade if grade > 0 else -1,
        "unit": lambda: grade / top,
        "exp": lambda: 2.0**grade - 1,
        "exp12": lambda: 2.0 ** (grade - top) - 2.0**-top,
        "exp-unit": lambda: (2.0 ** (grade - top) - 2.0**-top) / (1 - 2.0**-top),
    }[gains]()


def gains_of(ranking, gains, rel, top):
    """Return the gains of a ranking, rank by rank."""
    return [gain(grade, gains, rel, top) for grade in ranking]


def ideal_gains(judged, gains, rel, top):
    """Return the positive gains of all judged documents in descending order."""
    positive_gains = []
    for grade, number in judged.items():
        for _ in range(number):
            if gain(grade, gains, rel, top) > 0:
                positive_gains.append(gain(grade, gains, rel, top))
    return sorted(positive_gains, reverse=True)
