"""Relative position, CRP and all that follows from it, rank by rank, after the definitions of spec section 7.

Weights and persistence (ours, see the measure Twist) are taken as exact fractions, so that a curve is on the axis when
it is, and not when it is by rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from oracles.gains import gain, top_grade


def ideal_vector(counts, length):
    """All documents of the top grade, then of the next, then 0 up to the length."""
    grades = [grade for grade in sorted(counts, reverse=True) if grade > 0 for _ in range(counts[grade])]
    return grades + [0] * (length - len(grades))


def full_scale_vector(counts, length):
    return ideal_vector(counts, length)[::-1]


def topic_length(counts, depth, how="extend"):
    relevant = sum(number for grade, number in counts.items() if grade > 0)
    return max(depth, 2 * relevant if how == "extend" else relevant)


def pad(ranking, depth, length):
    """Cut at the depth, filled up to the length; what is unjudged or below 0 is not relevant."""
    grades = [grade if grade is not None and grade > 0 else 0 for grade in ranking[:depth]]
    return grades + [0] * (length - len(grades))


def intervals(ideal):
    """First and last rank of each grade in the ideal vector."""
    return {grade: (ideal.index(grade) + 1, len(ideal) - ideal[::-1].index(grade)) for grade in dict.fromkeys(ideal)}


def rp(run, ideal, worth=None, p=1):
    """Relative positions; *worth* by grade and *p* weigh them."""
    where = intervals(ideal)
    relevant = sum(grade > 0 for grade in ideal)
    out = []
    for rank, grade in enumerate(run, 1):
        low, high = where.get(grade, (relevant + 1, len(ideal)))
        position = rank - low if rank < low else rank - high if rank > high else 0
        begins = min(rank, high)
        factor = 1 if worth is None else abs(worth[grade] - worth[ideal[rank - 1]])
        out.append(position * factor * p ** (begins - 1) if position else 0)
    return out


def running_sum(values):
    out = []
    for value in values:
        out.append(out[-1] + value if out and value else out[-1] if out else value)
    return out


def crossing(curve, how="strict"):
    """The rank j of the first crossing, between j and j + 1; infinite if there is none."""
    for j in range(1, len(curve)):
        here, there = curve[j - 1], curve[j]
        if how == "strict":
            found = (here < 0 <= there) or (here > 0 >= there)
        elif how == "literal":
            found = (here <= 0 <= there) or (here >= 0 >= there)
        else:
            found = (here > 0) != (there > 0)
        if found:
            return j
    return math.inf


def balance(curve, relevant, how="strict", endpoint="left"):
    if all(height == 0 for height in curve):
        return relevant
    return max(relevant, crossing(curve, how) + (endpoint == "right"))


def space(position):
    """Forward and backward."""
    return sum(x for x in position if x > 0), -sum(x for x in position if x < 0)


def space_ratio(covered, full):
    if full == 0:
        return 1 if covered == 0 else 0
    return 1 - Fraction(covered) / full


def harmonic(ahead, behind):
    return 2 * ahead * behind / (ahead + behind) if ahead > 0 and behind > 0 else 0


def avoided_fraction(height, full):
    return 1 - Fraction(height) / full if full else math.nan


def turn_around(curve):
    return curve.index(min(curve)) + 1


def balance_ratio(ours, full):
    if math.isinf(full):
        return 0 if math.isinf(ours) else 1
    return -math.inf if math.isinf(ours) else 1 - Fraction(ours, full)


def indicators(run, counts, how="strict", endpoint="left", worth=None, p=1):
    """Everything of spec 7.2 to 7.4, for a run that has the length of the topic."""
    ideal = ideal_vector(counts, len(run))
    relevant = sum(grade > 0 for grade in ideal)
    position, farthest = rp(run, ideal, worth, p), rp(full_scale_vector(counts, len(run)), ideal, worth, p)
    curve, full = running_sum(position), running_sum(farthest)
    (forward, backward), (forward_fs, backward_fs) = space(position), space(farthest)
    b_r, b_w = balance(curve, relevant, how, endpoint), balance(full, relevant, how, endpoint)
    ahead, behind = space_ratio(forward, forward_fs), space_ratio(backward, backward_fs)
    sigma = harmonic(ahead, behind)
    turn = turn_around(curve)
    return {
        "rho": relevant / b_r,
        "beta": b_r,
        "s_plus": forward,
        "s_minus": backward,
        "sigma_plus": ahead,
        "sigma_minus": behind,
        "sigma": sigma,
        "twist": (relevant / b_r + sigma) / 2,
        "loss": curve[relevant - 1],
        "turn": turn,
        "rho_w": relevant / b_w,
        "b_ratio": balance_ratio(b_r, b_w),
        "crp_min": avoided_fraction(curve[turn - 1], full[turn - 1]),
        "crp_n": avoided_fraction(curve[-1], full[-1]),
    }


def _relevant(ranking, counts, rel):
    """The same with 0 for grades below *rel*."""
    low = sum(number for grade, number in counts.items() if grade < rel)
    kept = {grade: number for grade, number in counts.items() if grade >= rel}
    return [grade if grade is None or grade >= rel else 0 for grade in ranking], {**kept, 0: low}


def _exact(number):
    return Fraction(repr(float(number)))


def _worth(weights, counts, top, rel):
    """The gain of each grade, exactly; grades that are not relevant are worth what 0 is."""
    spec = getattr(weights, "spec", weights)  # a measure has them as Gains
    if not isinstance(spec, str):
        spec = {_exact(grade): _exact(value) for grade, value in dict(spec).items()}
    worth = {grade: Fraction(gain(_exact(grade), spec, _exact(rel), _exact(top))) for grade in counts if grade > 0}
    return worth | {0: Fraction(gain(None, spec, None, _exact(top)))}


@lru_cache(maxsize=1 << 14)
def _remembered(run, counts, how, endpoint, worth, p):
    """The indicators, once for all of them and for all orders of tied documents that look the same."""
    return indicators(list(run), dict(counts), how, endpoint, None if worth is None else dict(worth), p)


def effort(indicator):
    """The oracle of one indicator, with the parameters of the measures of effort.

    *longest* is the length of the longest ranking, *top* the largest grade, if there is more than this topic.
    """

    def oracle(
        ranking,
        counts,
        cutoff=None,
        length="extend",
        weights=None,
        persistence=1,
        crossing="strict",
        endpoint="left",
        clipped=False,
        rel=1,
        longest=None,
        top=None,
    ):
        top = top_grade(counts) if top is None else top
        ranking, counts = _relevant(ranking, counts, rel)
        if not any(grade > 0 and number for grade, number in counts.items()):
            return 0.0
        depth = cutoff or (len(ranking) if longest is None else longest)
        run = pad(ranking, depth, topic_length(counts, depth, length))
        worth = None if weights is None else _worth(weights, counts, top, rel)
        p = 1 if persistence == 1 else _exact(persistence)
        weighed = None if worth is None else tuple(worth.items())
        found = _remembered(tuple(run), tuple(sorted(counts.items())), crossing, endpoint, weighed, p)
        value = float(found[indicator])
        return min(max(value, 0.0), 1.0) if clipped and not math.isnan(value) else value

    return oracle


def archetype(run, counts):
    """The first of the eight rules of spec 7.5 that fits."""
    ideal = ideal_vector(counts, len(run))
    relevant = sum(grade > 0 for grade in ideal)
    curve = running_sum(rp(run, ideal))
    if run == ideal:
        return "ideal"
    if not any(run):
        return "worst"
    if run == ideal[::-1]:
        return "full-scale"
    below = next((rank for rank, height in enumerate(curve, 1) if height < 0), None)
    arrival = next((rank for rank, height in enumerate(curve, 1) if below and rank > below and height >= 0), None)
    if arrival is None:
        return "typical B"
    if arrival > relevant:
        return "typical A"
    if any(height < 0 for height in curve[arrival:relevant]):
        return "ups-and-downs"
    return "excellent A" if all(run[:relevant]) else "excellent B"
