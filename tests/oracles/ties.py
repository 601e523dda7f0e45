"""Mean over all orders of tied documents, by enumeration."""

from itertools import permutations, product


def orders(groups):
    """Yield the grades of every ranking consistent with *groups* of tied documents.

    Orders that differ only in documents of the same grade are yielded once. All yielded rankings are equally likely.
    """
    for chosen in product(*(dict.fromkeys(permutations(group)) for group in groups)):
        yield [grade for group in chosen for grade in group]


def mean_over_orders(oracle, groups, judged, **parameters):
    """Return the mean of *oracle* over all orders."""
    values = [oracle(ranking, judged, **parameters) for ranking in orders(groups)]
    return sum(values) / len(values)
