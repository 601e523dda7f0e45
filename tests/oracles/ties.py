"""The mean over all orders of tied documents, by going through all of them."""

from itertools import permutations, product


def orders(groups):
    """Every ranking that *groups* of tied documents can stand for, as grades; all of them are equally likely."""
    for chosen in product(*(dict.fromkeys(permutations(group)) for group in groups)):
        yield [grade for group in chosen for grade in group]


def mean_over_orders(oracle, groups, judged, **parameters):
    """The mean of *oracle* over every order."""
    values = [oracle(ranking, judged, **parameters) for ranking in orders(groups)]
    return sum(values) / len(values)
