"""Relative position, CRP and the indicators derived from them, rank by rank, as defined in spec section 7.

Weights and persistence (an extension, see the measure Twist) are exact fractions, because rounding would decide
whether a curve touches the axis.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from oracles.gains import gain, top_grade


def ideal_vector(counts, length):
    """Return the positive grades of all judged documents in descending order, padded with 0 to the length."""
    grades = [grade for grade in sorted(counts, reverse=True) if grade > 0 for _ in range(counts[grade])]
    return grades + [0] * (length - len(grades))


def full_scale_vector(counts, length):
    return ideal_vector(counts, length)[::-1]


def topic_length(counts, depth, rule="extend"):
    relevant = sum(number for grade, number in counts.items() if grade > 0)
    return max(depth, 2 * relevant if rule == "extend" else relevant)


def pad(ranking, depth, length):
    """Truncate at the depth and pad with 0 to the length; unjudged and negative grades become 0."""
    grades = [grade if grade is not None and grade > 0 else 0 for grade in ranking[:depth]]
    return grades + [0] * (length - len(grades))


def intervals(ideal):
    """Return the first and last rank of each grade in the ideal vector."""
    return {grade: (ideal.index(grade) + 1, len(ideal) - ideal[::-1].index(grade)) for grade in dict.fromkeys(ideal)}


def rp(run, ideal, gains=None, p=1):
    """Return relative positions, optionally weighted by *gains* (by grade) and persistence *p*."""
    rank_intervals = intervals(ideal)
    relevant = sum(grade > 0 for grade in ideal)
    out = []
    for rank, grade in enumerate(run, 1):
        low, high = rank_intervals.get(grade, (relevant + 1, len(ideal)))
        position = rank - low if rank < low else rank - high if rank > high else 0
        start_rank = min(rank, high)
        factor = 1 if gains is None else abs(gains[grade] - gains[ideal[rank - 1]])
        out.append(position * factor * p ** (start_rank - 1) if position else 0)
    return out


def running_sum(values):
    out = []
    for value in values:
        out.append(out[-1] + value if out and value else out[-1] if out else value)
    return out


def crossing(curve, rule="strict"):
    """Return j such that the first crossing is between ranks j and j + 1; infinite if there is none."""
    for j in range(1, len(curve)):
        here, there = curve[j - 1], curve[j]
        if rule == "strict":
            crosses = (here < 0 <= there) or (here > 0 >= there)
        elif rule == "literal":
            crosses = (here <= 0 <= there) or (here >= 0 >= there)
        else:
            crosses = (here > 0) != (there > 0)
        if crosses:
            return j
    return math.inf


def balance(curve, relevant, rule="strict", endpoint="left"):
    if all(height == 0 for height in curve):
        return relevant
    return max(relevant, crossing(curve, rule) + (endpoint == "right"))


def recovery_ratio(relevant, balance_point, p=1):
    """Return R / beta, with a user who reaches rank i with probability p^(i - 1)."""
    if math.isinf(balance_point):
        return 0
    seen = [sum(p**i for i in range(rank)) for rank in (relevant, balance_point)]
    return p ** (balance_point - relevant) * seen[0] / seen[1]


def space(position):
    """Return the forward and the backward space."""
    return sum(x for x in position if x > 0), -sum(x for x in position if x < 0)


def space_ratio(covered, full):
    if full == 0:
        return 1 if covered == 0 else 0
    return 1 - Fraction(covered) / full


def harmonic(forward_ratio, backward_ratio):
    return (
        2 * forward_ratio * backward_ratio / (forward_ratio + backward_ratio)
        if forward_ratio > 0 and backward_ratio > 0
        else 0
    )


def avoided_fraction(height, full):
    return 1 - Fraction(height) / full if full else math.nan


def turn_around(curve):
    return curve.index(min(curve)) + 1


def balance_ratio(ours, full):
    if math.isinf(full):
        return 0 if math.isinf(ours) else 1
    return -math.inf if math.isinf(ours) else 1 - Fraction(ours, full)


def indicators(run, counts, rule="strict", endpoint="left", gains=None, p=1):
    """Return all indicators of docs/concepts/effort.md for a run of the length of the topic."""
    ideal = ideal_vector(counts, len(run))
    relevant = sum(grade > 0 for grade in ideal)
    position, full_scale = rp(run, ideal, gains, p), rp(full_scale_vector(counts, len(run)), ideal, gains, p)
    curve, full = running_sum(position), running_sum(full_scale)
    (forward, backward), (forward_fs, backward_fs) = space(position), space(full_scale)
    # The unweighted curves decide where a ranking recovers.
    plain, plain_full = (running_sum(rp(ranks, ideal)) for ranks in (run, full_scale_vector(counts, len(run))))
    b_r, b_w = balance(plain, relevant, rule, endpoint), balance(plain_full, relevant, rule, endpoint)
    forward_ratio, backward_ratio = space_ratio(forward, forward_fs), space_ratio(backward, backward_fs)
    sigma = harmonic(forward_ratio, backward_ratio)
    turn = turn_around(curve)
    return {
        "rho": recovery_ratio(relevant, b_r, p),
        "beta": b_r,
        "s_plus": forward,
        "s_minus": backward,
        "sigma_plus": forward_ratio,
        "sigma_minus": backward_ratio,
        "sigma": sigma,
        "twist": (recovery_ratio(relevant, b_r, p) + sigma) / 2,
        "loss": curve[relevant - 1],
        "turn": turn,
        "rho_w": recovery_ratio(relevant, b_w, p),
        "b_ratio": balance_ratio(b_r, b_w),
        "crp_min": avoided_fraction(curve[turn - 1], full[turn - 1]),
        "crp_n": avoided_fraction(curve[-1], full[-1]),
    }


def _relevant(ranking, counts, rel):
    """Replace grades below *rel* by 0 in the ranking and in the counts."""
    low = sum(number for grade, number in counts.items() if grade < rel)
    relevant = {grade: number for grade, number in counts.items() if grade >= rel}
    return [grade if grade is None or grade >= rel else 0 for grade in ranking], {**relevant, 0: low}


def _exact(number):
    return Fraction(repr(float(number)))


def _exact_gains(weights, counts, top, rel):
    """Return the exact gain of each grade; non-relevant grades have the gain of grade 0."""
    spec = getattr(weights, "spec", weights)  # The weights of a measure are a Gains object.
    if not isinstance(spec, str):
        spec = {_exact(grade): _exact(value) for grade, value in dict(spec).items()}
    gains = {grade: Fraction(gain(_exact(grade), spec, _exact(rel), _exact(top))) for grade in counts if grade > 0}
    return gains | {0: Fraction(gain(None, spec, None, _exact(top)))}


@lru_cache(maxsize=1 << 14)
def _cached_indicators(run, counts, rule, endpoint, gains, p):
    """Return the indicators; the cache serves all indicators of a run, and equal orders of tied documents."""
    return indicators(list(run), dict(counts), rule, endpoint, None if gains is None else dict(gains), p)


def effort(indicator):
    """Return the oracle of one indicator, with the parameters of the measures of effort.

    *longest* is the length of the longest ranking and *top* the largest grade of the collection, if it has more than
    this topic.
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
        gains = None if weights is None else _exact_gains(weights, counts, top, rel)
        p = 1 if persistence == 1 else _exact(persistence)
        gain_items = None if gains is None else tuple(gains.items())
        values = _cached_indicators(tuple(run), tuple(sorted(counts.items())), crossing, endpoint, gain_items, p)
        value = float(values[indicator])
        return min(max(value, 0.0), 1.0) if clipped and not math.isnan(value) else value

    return oracle


def crp_at(
    ranking, counts, cutoff, norm="none", depth=None, length="extend", weights=None, persistence=1, rel=1, top=None
):
    """Return the height of the curve at rank *cutoff*, divided by R, or relative to a full-scale ranking."""
    top = top_grade(counts) if top is None else top
    ranking, counts = _relevant(ranking, counts, rel)
    relevant = sum(number for grade, number in counts.items() if grade > 0)
    if not relevant:
        return 0.0
    gains = None if weights is None else _exact_gains(weights, counts, top, rel)
    p = 1 if persistence == 1 else _exact(persistence)
    rank_count = topic_length(counts, depth or cutoff, length)
    ideal = ideal_vector(counts, rank_count)
    height = sum(rp(pad(ranking, cutoff, rank_count), ideal, gains, p)[:cutoff])
    if norm == "full-scale":
        return float(avoided_fraction(height, sum(rp(ideal[::-1], ideal, gains, p)[:cutoff])))
    return float(Fraction(height) / relevant if norm == "R" else height)


def archetype(run, counts):
    """Return the name of the first of the eight rules of docs/concepts/effort.md that applies."""
    ideal = ideal_vector(counts, len(run))
    relevant = sum(grade > 0 for grade in ideal)
    curve = running_sum(rp(run, ideal))
    if run == ideal:
        return "ideal"
    if not any(run):
        return "worst"
    if run == ideal[::-1]:
        return "full-scale"
    first_below = next((rank for rank, height in enumerate(curve, 1) if height < 0), None)
    return_rank = next(
        (rank for rank, height in enumerate(curve, 1) if first_below and rank > first_below and height >= 0), None
    )
    if return_rank is None:
        return "typical B"
    if return_rank > relevant:
        return "typical A"
    if any(height < 0 for height in curve[return_rank:relevant]):
        return "ups-and-downs"
    return "excellent A" if all(run[:relevant]) else "excellent B"
