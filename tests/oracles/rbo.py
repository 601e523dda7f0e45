"""Rank-biased overlap in plain loops: Webber, Moffat & Zobel (TOIS 2010), ties of Corsi & Urbano (SIGIR 2024).

A ranking is a list of groups, each a list of documents that are tied; without ties each group has one document.
"""

from __future__ import annotations

from itertools import permutations, product
from math import prod, sqrt


def docs(ranking: list[list[str]]) -> list[str]:
    return [doc for group in ranking for doc in group]


def break_ties(ranking: list[list[str]]) -> list[list[str]]:
    return [[doc] for doc in docs(ranking)]


def contribution(ranking: list[list[str]], doc: str, depth: int, tied: str) -> float:
    """Return the contribution of a document at a depth: 0 before its group, 1 after it, else by the variant *tied*."""
    before = 0
    for group in ranking:
        if doc in group:
            t, b = before + 1, before + len(group)
            if depth < t:
                return 0.0
            if depth >= b or tied == "w":
                return 1.0
            return (depth - t + 1) / (b - t + 1)
        before += len(group)
    return 0.0


def agreement(a: list[list[str]], b: list[list[str]], depth: int, tied: str) -> float:
    """Return the agreement A_d of rankings with at least d documents."""
    everything = sorted({*docs(a), *docs(b)})
    one = [contribution(a, doc, depth, tied) for doc in everything]
    other = [contribution(b, doc, depth, tied) for doc in everything]
    overlap = sum(x * y for x, y in zip(one, other, strict=True))
    if tied == "w":
        return 2 * overlap / (sum(one) + sum(other))
    if tied == "b":
        return overlap / sqrt(sum(x * x for x in one)) / sqrt(sum(y * y for y in other))
    return overlap / depth


def partial_sum(a: list[list[str]], b: list[list[str]], p: float, depth: int, tied: str) -> float:
    """Return the sum of RBO down to a depth (equation 4 of Webber et al.)."""
    return sum((1 - p) * p ** (d - 1) * agreement(a, b, d, tied) for d in range(1, depth + 1))


def minimum(a: list[list[str]], b: list[list[str]], p: float, tied: str, depth: int) -> float:
    """Return RBO_min: both rankings continue with disjoint documents, down to a depth with negligible weight beyond.

    From two ranks after the longer ranking, the agreement is the number of shared documents divided by the depth.
    """
    end = max(len(docs(a)), len(docs(b))) + 2
    longer_a = a + [[f"a-{i}"] for i in range(end - len(docs(a)))]
    longer_b = b + [[f"b-{i}"] for i in range(end - len(docs(b)))]
    shared = len({*docs(a)} & {*docs(b)})
    assert all(abs(agreement(longer_a, longer_b, d, tied) - shared / d) < 1e-12 for d in (end - 1, end))
    rest = sum((1 - p) * p ** (d - 1) * shared / d for d in range(end + 1, depth + 1))
    return partial_sum(longer_a, longer_b, p, end, tied) + rest


def maximum(a: list[list[str]], b: list[list[str]], p: float, tied: str) -> tuple[float, float]:
    """Return a lower and an upper bound of RBO_max, by trying every untied continuation down to depth s + l.

    The lower bound uses only continuations after which both rankings have the same documents, because these agree at
    all later depths.
    """
    depth = max(1, len(docs(a)) + len(docs(b)))
    known = sorted({*docs(a), *docs(b)})
    universe = known + [f"new{i}" for i in range(depth - len(known))]
    lower, upper = 0.0, 0.0
    for more_a, more_b in product(_continuations(a, universe, depth), _continuations(b, universe, depth)):
        value = partial_sum(a + more_a, b + more_b, p, depth, tied) + p**depth
        upper = max(upper, value)
        if {*docs(a + more_a)} == {*docs(b + more_b)}:
            lower = max(lower, value)
    return lower, upper


def _continuations(ranking: list[list[str]], universe: list[str], depth: int) -> list[list[list[str]]]:
    ranked = docs(ranking)
    rest = [doc for doc in universe if doc not in ranked]
    return [[[doc] for doc in continuation] for continuation in permutations(rest, depth - len(ranked))]


def extrapolate(a: list[list[str]], b: list[list[str]], p: float, tied: str) -> float:
    """Return RBO_ext: a fraction A_s of the continuation of S is in L, and beyond L the agreement is constant."""
    short, long = sorted((a, b), key=lambda ranking: len(docs(ranking)))
    s, l = len(docs(short)), len(docs(long))  # noqa: E741
    if s == 0:
        return 0.0
    at_s = agreement(short, long, s, tied)
    total = partial_sum(short, long, p, s, tied)
    last = at_s
    for d in range(s + 1, l + 1):
        of_long = {doc: contribution(long, doc, d, tied) for doc in docs(long)}
        seen = sum(of_long[doc] for doc in docs(short) if doc in of_long)
        unseen = [c for doc, c in of_long.items() if doc not in docs(short) and c > 0]
        overlap = seen + (d - s) * at_s * sum(unseen) / len(unseen)
        # The unseen documents of S are not tied, so all of its d documents have contribution 1 at depth d.
        norm = {
            "w": (d + sum(of_long.values())) / 2,
            "a": d,
            "b": sqrt(d) * sqrt(sum(c * c for c in of_long.values())),
        }[tied]
        last = overlap / norm
        total += (1 - p) * p ** (d - 1) * last
    return total + p**l * last


def equation_32(a: list[str], b: list[str], p: float) -> float:
    """RBO_ext of rankings without ties and of any lengths: equation 32 as printed."""
    short, long = sorted((a, b), key=len)
    s, l = len(short), len(long)  # noqa: E741
    x = [0] + [len({*short[:d]} & {*long[:d]}) for d in range(1, l + 1)]
    first = sum(x[d] / d * p**d for d in range(1, l + 1))
    second = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (first + second) + ((x[l] - x[s]) / l + x[s] / s) * p**l


def orders(ranking: list[list[str]]) -> list[list[list[str]]]:
    """Return the rankings for all orders of the tied documents."""
    each = product(*(permutations(group) for group in ranking))
    return [[[doc] for group in order for doc in group] for order in each]


def count_orders(ranking: list[list[str]]) -> int:
    return prod(prod(range(1, len(group) + 1)) for group in ranking)
