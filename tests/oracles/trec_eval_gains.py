"""Gain-based measures as trec_eval computes them, document by document, for a ranking and an ideal ranking."""

from __future__ import annotations

import math


def ideal_gains(pairs: list[tuple[int, float]], counts: dict[int, int]) -> list[float]:
    """Return the gains of the ranking that trec_eval treats as ideal."""
    listed = [grade for grade, _ in pairs]
    levels = list(pairs) + [(grade, float(grade)) for grade in range(max(counts) + 1) if grade not in listed]
    order = merge_sort(levels)
    gains = []
    if not order or order[-1][1] <= 0:
        return []
    for grade, gain in reversed(order):
        if counts.get(grade, 0) == 0:
            continue
        if gain <= 0:
            break
        gains += [gain] * counts[grade]
    return gains


def merge_sort(levels: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Sort by gain as trec_eval does: the comparison truncates the difference of two gains to an integer."""
    if len(levels) < 2:
        return levels
    left, right = merge_sort(levels[: len(levels) // 2]), merge_sort(levels[len(levels) // 2 :])
    out = []
    while left and right:
        if math.trunc(left[0][1] - right[0][1]) <= 0:
            out.append(left[0])
            left = left[1:]
        else:
            out.append(right[0])
            right = right[1:]
    return out + left + right


def dcg_at(gains: list[float], k: int) -> float:
    return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains[:k]))


def ndcg(gains: list[float], best: list[float]) -> float:
    return dcg_at(gains, len(gains)) / dcg_at(best, len(best)) if best else 0.0


def ndcg_rel(gains: list[float], best: list[float]) -> float:
    if not best:
        return 0.0
    total = 0.0
    hits = 0
    for i, gain in enumerate(gains):
        if gain > 0:
            total += dcg_at(gains, i + 1) / dcg_at(best, i + 1)
            hits += 1
    total += (len(best) - hits) * dcg_at(gains, len(gains)) / dcg_at(best, len(best))
    return max(total, 0.0) / len(best)


def rndcg(gains: list[float], best: list[float]) -> float:
    points = []
    for rank in range(1, len(best) + 1):
        if rank == len(best) or best[rank] != best[rank - 1]:
            points.append(dcg_at(gains, rank) / dcg_at(best, rank))
    if len(gains) > len(best) + 1:
        points.append(dcg_at(gains, len(gains)) / dcg_at(best, len(best)))
    return sum(points) / len(points)


def lagging(gains: list[float], best: list[float]) -> float:
    total = cost = cumulated = 0.0
    for i, gain in enumerate(gains):
        cost += max(best[i], 1.0) if i < len(best) else 1.0
        cumulated += gain
        if gain:
            total += gain / math.log2(2 + cost - cumulated)
    return total / sum(best) if best else 0.0


def rbp(grades: list[int | None], pairs: list[tuple[int, float]], counts: dict[int, int], p: float) -> float:
    """RBP with gains scaled by the lowest and the highest gain of the topic, if some lie outside [0, 1]."""
    gain_of = {grade: float(grade) for grade in range(max(counts) + 1)} | dict(pairs)
    low, high = min(0.0, *gain_of.values()), max(0.0, *gain_of.values())
    if low < 0 or high > 1:
        gain_of = {grade: (gain - low) / (high - low) for grade, gain in gain_of.items()}
    total, weight = 0.0, 1.0
    for grade in grades:
        code = -1 if grade is None else -2 if grade < 0 else grade
        total += gain_of.get(code, 0.0) * weight
        weight *= p
    return (1 - p) * total


def rbp_resid(grades: list[int | None], p: float) -> float:
    """Weight of unjudged documents and of the tail; 0 if no document is unjudged."""
    total, weight = 0.0, 1.0
    for grade in grades:
        if grade is None or grade < 0:
            total += weight
        weight *= p
    return weight + (1 - p) * total if total else 0.0
