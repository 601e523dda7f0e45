"""Contributions of documents to a value, over all coalitions of relevant documents."""

from itertools import combinations
from math import factorial


def shapley(players, worth):
    """Return the Shapley value of each player; *worth* is a function of a frozenset of players."""
    values = {}
    for player in players:
        others = [other for other in players if other != player]
        values[player] = sum(
            factorial(size)
            * factorial(len(others) - size)
            / factorial(len(players))
            * (worth(frozenset(coalition) | {player}) - worth(frozenset(coalition)))
            for size in range(len(others) + 1)
            for coalition in combinations(others, size)
        )
    return values


def growth_by_rank(players, worth):
    """Return the growth of the worth with each player, added from the last (the lowest rank) to the first."""
    return {
        player: worth(frozenset(players[i:])) - worth(frozenset(players[i + 1 :])) for i, player in enumerate(players)
    }
