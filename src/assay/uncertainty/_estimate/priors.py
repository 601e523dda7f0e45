"""Priors: distributions of the grades of unjudged documents, estimated from judged documents.

A prior gives each grade a probability, for each ungraded document of a ranking. The grades are 0 and the positive
grades of the qrels. Documents with a negative grade count as ungraded and are no evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.engine.campaign import Campaign
from assay.meta.left_out import mask_unique
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.grade_codes import mask_ungraded
from assay.model.judged import Judged

PRIORS = ("unique", "pool", "run", "rank")
WEIGHT = 5.0
"""Number of documents that the distribution over all topics counts as, in the prior ``unique``."""
_RIDGE = 1e-6  # keeps the coefficients finite if a rank separates relevant from non-relevant documents
_STEPS = 50


@dataclass(frozen=True, eq=False)
class Evidence:
    """Judged documents from which priors are estimated.

    Attributes
    ----------
    grades
        The grades that an unjudged document can have: 0 and the positive grades of the qrels, ascending.
    pool
        Topics x grades: the number of judged documents.
    unique
        Groups x topics x grades: the number of documents that exactly one other group contributed to the pool.
    group
        The index of the group of each run.
    """

    grades: Floats
    pool: Ints
    unique: Ints
    group: Ints

    @classmethod
    def from_campaign(cls, campaign: Campaign, contributed: Bools, group: Ints) -> Evidence:
        """Count the judgments of a campaign; *contributed* is a mask of groups x judgments."""
        grades = support(campaign.judgments.levels)
        counted = [
            campaign.judgments.code_table(mask_unique(np.delete(contributed, own, axis=0)))[1]
            for own in range(len(contributed))
        ]
        pool, *unique = (
            _by_grade(counts, campaign.judgments.levels, grades) for counts in [campaign.whole.counts, *counted]
        )
        return cls(grades, pool, np.array(unique).reshape(len(contributed), *pool.shape), group)

    def select_group(self, group: int, campaign: Campaign) -> Evidence:
        """Return the evidence for the runs of one group, whose judgments are those of *campaign*."""
        pool = _by_grade(campaign.whole.counts, campaign.whole.levels, self.grades)
        members = np.zeros(len(campaign.runs), dtype=np.int64)
        return replace(self, pool=pool, unique=self.unique[[group]], group=members)


def support(levels: Floats) -> Floats:
    """Return the grades that an unjudged document can have: 0 and the positive *levels*.

    >>> support(np.array([-1.0, 1.0, 2.0])).tolist()
    [0.0, 1.0, 2.0]
    """
    return np.union1d([0.0], levels[levels > 0])


def _by_grade(counts: Ints, levels: Floats, grades: Floats) -> Ints:
    """Return counts (… x levels) as … x grades; negative levels are omitted."""
    table = np.zeros((*counts.shape[:-1], len(grades)), dtype=np.int64)
    valid = levels >= 0
    table[..., np.searchsorted(grades, levels[valid])] = counts[..., valid]
    return table


def smooth(counts: Numbers) -> Floats:
    """Return the distribution of counts (… x grades), with one more document that is spread over all grades.

    >>> smooth(np.array([3, 0])).tolist()
    [0.875, 0.125]
    """
    return np.asarray((counts + 1 / counts.shape[-1]) / (counts.sum(axis=-1, keepdims=True) + 1))


def shrink(counts: Numbers, weight: float = WEIGHT) -> Floats:
    """Return the distribution of each topic (counts: topics x grades), shrunk towards the distribution of all topics.

    The distribution of all topics counts as *weight* documents of each topic.

    >>> shrink(np.array([[9, 1], [0, 0]]), weight=10).round(3).tolist()
    [[0.882, 0.118], [0.864, 0.136]]
    """
    share = smooth(counts.sum(axis=0))
    return np.asarray((counts + weight * share) / (counts.sum(axis=1, keepdims=True) + weight))


def fit_logistic(rank: Numbers, relevant: Numbers) -> tuple[float, float]:
    """Fit logit P(relevant) = a + b ln(rank) by maximum likelihood, and return a and b.

    A penalty of 0.5e-6 (a^2 + b^2) keeps the coefficients finite. Without documents, a and b are 0.
    """
    features = np.column_stack([np.ones(len(rank)), np.log(rank)])
    coefficients, ridge = np.zeros(2), _RIDGE * np.eye(2)
    for _ in range(_STEPS):
        probability = _sigmoid(features @ coefficients)
        gradient = features.T @ (relevant - probability) - ridge @ coefficients
        curvature = features.T @ (features * (probability * (1 - probability))[:, None]) + ridge
        step = np.linalg.solve(curvature, gradient)
        # Long Newton steps overshoot where the likelihood is almost flat.
        coefficients += step / max(1.0, float(np.abs(step).max()) / 2)
        if np.abs(step).max() < 1e-10:
            break
    return float(coefficients[0]), float(coefficients[1])


def _sigmoid(logit: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -500, 500))))


def grade_probabilities(prior: str, judged: Judged, evidence: Evidence, run: int) -> Floats:
    """Return documents x grades: the prior of the ungraded documents of *judged*, the rankings of one run."""
    ungraded = mask_ungraded(judged.code, judged.levels)
    topic = judged.topic[judged.ranking()]
    if prior == "pool":
        return smooth(evidence.pool)[topic[ungraded]]
    if prior == "unique":
        return shrink(evidence.unique[evidence.group[run]])[topic[ungraded]]
    grade = np.concatenate([[0.0], np.maximum(judged.levels, 0)])[judged.code[~ungraded]]
    if prior == "run":
        cell = topic[~ungraded] * len(evidence.grades) + np.searchsorted(evidence.grades, grade)
        counts = np.bincount(cell, minlength=evidence.pool.size).reshape(evidence.pool.shape)
        return smooth(counts)[topic[ungraded]]
    rank = judged.rank()
    a, b = fit_logistic(rank[~ungraded], (grade > 0).astype(np.float64))
    relevant = _sigmoid(a + b * np.log(rank[ungraded]))[:, None]
    # The grades among the relevant documents are those of the pool.
    among_relevant = smooth(evidence.pool)[:, 1:]
    among_relevant = (among_relevant / among_relevant.sum(axis=1, keepdims=True))[topic[ungraded]]
    return np.hstack([1 - relevant, relevant * among_relevant])
