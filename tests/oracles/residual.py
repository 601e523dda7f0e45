"""Residuals of RBP, pools, and the weight at stake for each document (docs/guide/uncertainty.md), in plain loops."""

from __future__ import annotations

import math
from fractions import Fraction


def rbp_depth(p, accuracy):
    """Return the smallest d with p^d < accuracy, in exact decimal arithmetic."""
    persistence, limit = Fraction(repr(p)), Fraction(repr(accuracy))
    depth, tail_weight = 0, Fraction(1)
    while tail_weight >= limit:
        depth, tail_weight = depth + 1, tail_weight * persistence
    return depth


def rbp_depth_approx(p, accuracy):
    """Return the approximation -ln(accuracy) / (1 - p) of the paper, which is 9.21 / (1 - p) for four digits."""
    return -math.log(accuracy) / (1 - p)


def rank_documents(run):
    """Sort documents in trec_eval's order: score descending, then id descending."""
    return sorted(run, key=lambda doc: (run[doc], doc), reverse=True)


def pool(qrels, runs, depth):
    """Return the judgments of the documents within the top *depth* of at least one run."""
    pooled = {}
    for topic, judgments in qrels.items():
        first = {doc for run in runs.values() for doc in rank_documents(run.get(topic, {}))[:depth]}
        pooled[topic] = {doc: grade for doc, grade in judgments.items() if doc in first}
    return pooled


def is_open(grade):
    """Return whether a document is unjudged or has a negative grade."""
    return grade is None or grade < 0


def rbp_bounds(grades, p, depth, gain, largest):
    """Return the lower bound and the residual g_max (p^n + (1-p) sum over unjudged of p^(i-1)) at *depth*."""
    top_grades = grades[:depth]
    lower, residual = 0.0, p ** len(top_grades)
    for i, grade in enumerate(top_grades, start=1):
        if is_open(grade):
            residual += (1 - p) * p ** (i - 1)
        else:
            lower += (1 - p) * p ** (i - 1) * gain(grade)
    return lower, largest * residual


def document_stakes(qrels, runs, weight):
    """Return, for each unjudged (topic, document), the sum of weights over runs, the number of runs, the best rank."""
    stakes = {}
    for run in runs.values():
        for topic, judgments in qrels.items():
            for rank, doc in enumerate(rank_documents(run.get(topic, {})), start=1):
                if is_open(judgments.get(doc)) and weight(rank) > 0:
                    total, count, best = stakes.get((topic, doc), (0.0, 0, math.inf))
                    stakes[topic, doc] = (total + weight(rank), count + 1, min(best, rank))
    return stakes


def weight_differences(qrels, first, second, weight):
    """Return, for each unjudged (topic, document) of either run, the absolute difference of its weights."""
    one, other = document_stakes(qrels, {"one": first}, weight), document_stakes(qrels, {"other": second}, weight)
    absent = (0.0, 0, math.inf)
    return {key: abs(one.get(key, absent)[0] - other.get(key, absent)[0]) for key in {*one, *other}}
