"""What a document is worth (spec section 2)."""


def top_grade(judged):
    """The top of the scale when nothing else is said: the largest grade judged, at least 1."""
    return max([1, *judged])


def gain(grade, gains, rel, top):
    """The gain of one document; *grade* is None for an unjudged one.

    Unjudged documents and grades below *rel* are worth as much as non-relevant ones, and never more than nothing.
    """
    if isinstance(gains, dict):
        nothing = min(0, gains.get(0, 0))
        if grade is None or (rel is not None and grade < rel):
            return nothing
        if grade in gains:
            return gains[grade]
        return grade if grade > 0 else nothing
    if grade is None or grade < (0 if rel is None else rel):
        grade = 0
    if gains == "binary" and rel is None:
        # Without a threshold of its own: lenient, degree >= 1 (spec 1.1).
        return 1 if grade >= 1 else 0
    return named_gain(grade, gains, top)


def named_gain(grade, gains, top):
    """The table of spec section 2, for grades of at least 0."""
    # The powers of exp12 and exp-unit are scaled first because 2^top may be too large for a float.
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
    """The gains of a ranking, rank by rank."""
    return [gain(grade, gains, rel, top) for grade in ranking]


def ideal_gains(judged, gains, rel, top):
    """The gains of all judged documents that are worth something, largest first (spec 1.5 and section 4)."""
    worth = []
    for grade, number in judged.items():
        for _ in range(number):
            if gain(grade, gains, rel, top) > 0:
                worth.append(gain(grade, gains, rel, top))
    return sorted(worth, reverse=True)
