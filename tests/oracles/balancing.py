"""Balancing index (docs/guide/theory.md): the definition in plain loops, and the closed forms printed in [001]."""

from fractions import Fraction
from itertools import accumulate
from math import inf, log


def balancing(value, n, qmin=1, qmax=None, judged=None):
    """Return the largest b that satisfies the definition, by trying every b.

    *value* is a function of a ranking and of the number of judged documents by grade.
    """
    top = qmin if qmax is None else qmax
    if judged is None:
        judged = {0: n - 1, top: 1, qmin: n}
    single = value([top] + [0] * (n - 1), judged)
    largest = -inf
    for b in range(1, n + 1):
        other = value([0] * (b - 1) + [qmin] * (n - b + 1), judged)
        # Values that differ by rounding only count as equal.
        if single <= other or abs(single - other) <= 1e-12 * max(abs(single), abs(other)):
            largest = b
    return largest


def _largest(holds, candidates):
    largest = -inf
    for b in candidates:
        if holds(b):
            largest = b
    return largest


def ap(n):
    return _largest(lambda b: sum(k / (k + b - 1) for k in range(1, n - b + 2)) >= 1 - 1e-12, range(1, n + 1))


def err(n, xmin, xmax, published=False):
    """Return the index of ERR; the printed exponent is k - 1, but the correct one is k - b."""

    def holds(b):
        total = 0
        for k in range(b, n + 1):
            total += (1 - xmin) ** (k - 1 if published else k - b) / k
        return xmin * total >= xmax - 1e-12

    return _largest(holds, range(1, n + 1))


def dcg(n, base, qmin=1, qmax=1):
    """Return the index of DCG.

    [001] treats b > base and b <= base separately; min(base, n) because the ranking has n documents.
    """

    def above(b):
        return sum(qmin / log(k + b, base) for k in range(n - b + 1)) >= qmax - 1e-12

    def within(b):
        rest = sum(qmin / log(k + base + 1, base) for k in range(n - base))
        return (min(base, n) - b + 1) * qmin + rest >= qmax - 1e-12

    return max(_largest(above, range(base + 1, n + 1)), _largest(within, range(1, min(base, n) + 1)))


def rbp(n, p, ratio=1):
    """Return the index of RBP in rational numbers; *p* and *ratio* (of the gains) are texts such as "0.8" or "4/3"."""
    p, ratio = Fraction(p), Fraction(ratio)
    weight = [(1 - p) * p**i for i in range(n)]
    tail = list(accumulate(reversed(weight)))[::-1]  # sums from each rank to the end
    return _largest(lambda b: tail[b - 1] >= ratio * weight[0], range(1, n + 1))


def rbp_by_looks(n, p1, p2):
    """Return the index of RBP with separate persistences after relevant and other documents, exactly."""
    p1, p2 = Fraction(p1), Fraction(p2)

    def value(ranking):
        look, relevant, looks = Fraction(1), Fraction(0), Fraction(0)
        for r in ranking:
            relevant, looks = relevant + r * look, looks + look
            look *= p1 if r else p2
        return relevant / (looks + look / (1 - p2))

    single = value([1] + [0] * (n - 1))
    return _largest(lambda b: value([0] * (b - 1) + [1] * (n - b + 1)) >= single, range(1, n + 1))
