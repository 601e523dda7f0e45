"""The residual of RBP, pools, and what is at stake with each document (spec 5.2, 5.3, 12.5, 12.6), in plain loops."""

from __future__ import annotations

import math
from fractions import Fraction


def rbp_depth(p, accuracy):
    """The smallest d with p^d < accuracy, one document after the other, with the decimals as they are written."""
    exact, least = Fraction(repr(p)), Fraction(repr(accuracy))
    depth, behind = 0, Fraction(1)
    while behind >= least:
        depth, behind = depth + 1, behind * exact
    return depth


def rbp_depth_approx(p, accuracy):
    """-ln accuracy / (1 - p), which is 9.21 / (1 - p) for four digits: printed in the paper, and not the rule."""
    return -math.log(accuracy) / (1 - p)


def rank_documents(run):
    """Documents in trec_eval's order: score descending, then id descending."""
    return sorted(run, key=lambda doc: (run[doc], doc), reverse=True)


def pool(qrels, runs, depth):
    """The judgments of documents that are among the first *depth* of some run."""
    kept = {}
    for topic, judgments in qrels.items():
        first = {doc for run in runs.values() for doc in rank_documents(run.get(topic, {}))[:depth]}
        kept[topic] = {doc: grade for doc, grade in judgments.items() if doc in first}
    return kept


def is_open(grade):
    """Nobody judged it, or with a negative grade."""
    return grade is None or grade < 0


def rbp_bounds(grades, p, depth, gain, largest):
    """Lower bound and residual on the first *depth* ranks: g_max (p^n + (1-p) sum over unjudged of p^(i-1))."""
    seen = grades[:depth]
    lower, residual = 0.0, p ** len(seen)
    for i, grade in enumerate(seen, start=1):
        if is_open(grade):
            residual += (1 - p) * p ** (i - 1)
        else:
            lower += (1 - p) * p ** (i - 1) * gain(grade)
    return lower, largest * residual


def document_stakes(qrels, runs, weight):
    """For each (topic, document) without a grade: weights summed over runs, how many runs, the best rank."""
    found = {}
    for run in runs.values():
        for topic, judgments in qrels.items():
            for rank, doc in enumerate(rank_documents(run.get(topic, {})), start=1):
                if is_open(judgments.get(doc)) and weight(rank) > 0:
                    total, times, best = found.get((topic, doc), (0.0, 0, math.inf))
                    found[topic, doc] = (total + weight(rank), times + 1, min(best, rank))
    return found


def weight_differences(qrels, first, second, weight):
    """For each (topic, document) without a grade that either run has: by how much its weights differ."""
    one, other = document_stakes(qrels, {"one": first}, weight), document_stakes(qrels, {"other": second}, weight)
    nothing = (0.0, 0, math.inf)
    return {place: abs(one.get(place, nothing)[0] - other.get(place, nothing)[0]) for place in {*one, *other}}
