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
    if gains == "binary":
        # Without a threshold of its own: lenient, degree >= 1 (spec 1.1).
        return 1 if grade >= (1 if rel is None else rel) else 0
    if gains == "identity":
        return grade
    if gains == "base5":
        return 5 * grade
    if gains == "negative":
        return grade if grade > 0 else -1
    if gains == "unit":
        return grade / top
    if gains == "exp":
        return 2.0**grade - 1
    if gains == "exp12":
        # (2^g - 1) / 2^q, each power scaled first because 2^q may be too large for a float.
        return 2.0 ** (grade - top) - 2.0**-top
    if gains == "exp-unit":
        # (2^g - 1) / (2^q - 1), scaled likewise.
        return (2.0 ** (grade - top) - 2.0**-top) / (1 - 2.0**-top)
    raise ValueError(gains)


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
