"""Contributions of documents to the value of a measure; they add up to the value exactly.

The contribution of a relevant document is its Shapley value. Let v(S) be the value of the ranking if only the documents
of the set S keep their grades, the other relevant documents count as judged non-relevant, and the recall base, the
ideal ranking and the scale of grades remain those of the topic. A document's contribution is the mean growth of v when
the document is added, over all orders in which the relevant documents can be added. Documents that are not relevant
contribute 0. The difference of two rankings is the sum of the differences of contributions.

The alternative credit ``rank`` adds the documents from the last rank to the first. A document then gets all that it
adds to the documents ranked after it, as in Table I of Moffat & Zobel (2008).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from assay.errors import MeasureError, suggestion
from assay.measures._base import Measure, ratio
from assay.measures._threshold import relevant_levels
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged, Rows
from assay.model.policies import reject_expected_ties
from assay.model.segmented_scan import accumulate

CREDITS = ("shapley", "rank")
_ORDERS = 256  # random orders of a sampled Shapley value; each is also used in reverse
_BLOCK = 1 << 22  # documents of the coalitions that are scored together


class Contributions(NamedTuple):
    """Relevant documents of rankings, in rank order, and their contributions.

    *error* has the standard error of each contribution; it is 0 if the contribution is exact.
    """

    ranking: Ints
    rank: Ints
    value: Floats
    error: Floats


def compute_contributions(measure: Measure, judged: Judged, *, credit: str = "shapley", seed: int = 0) -> Contributions:
    """Return the contributions of the relevant documents of each ranking to the value of the ranking.

    Parameters
    ----------
    measure
        A measure whose value is 0 for a ranking without relevant documents; other measures raise ``MeasureError``.
    judged
        Rankings in a fixed order.
    credit
        ``shapley`` or ``rank``; see the docstring of the module.
    seed
        Seed of the random orders, for measures without a closed form.
    """
    if credit not in CREDITS:
        raise MeasureError(f"credit {credit!r}: choose one of {', '.join(CREDITS)}{suggestion(credit, CREDITS)}")
    reject_expected_ties(judged.policies.ties, "contributions belong to documents in an order")
    relevant = np.concatenate([[False], relevant_levels(measure, judged.levels)])
    rows = judged.rows(relevant.astype(np.float64))
    none_relevant = replace(judged, code=np.where(relevant[judged.code], 0, judged.code))
    if measure.score(none_relevant).any():
        raise MeasureError(
            f"measure '{measure}': a ranking without relevant documents has a value other than 0, so the relevant "
            "documents do not explain the value; choose another measure, such as AP or nDCG@10"
        )
    compute = _CLOSED_FORMS.get(measure.contribution_strategy) if credit == "shapley" else None
    if compute is not None:
        value = compute(measure, judged, rows)
        return Contributions(rows.ranking, rows.rank, value, np.zeros(len(value)))
    judged = _add_level_zero(judged)
    value, error = np.zeros(len(rows.rank)), np.zeros(len(rows.rank))
    for number in np.unique(rows.ranking).tolist():
        in_ranking = rows.ranking == number
        coalitions = _Coalitions(measure, judged, number, rows.rank[in_ranking] - 1)
        if credit == "rank":  # add the documents from the last rank to the first
            value[in_ranking] = coalitions.add(np.arange(in_ranking.sum())[::-1][None])[0]
        else:
            value[in_ranking], error[in_ranking] = coalitions.sample(seed)
    return Contributions(rows.ranking, rows.rank, value, error)


def _add_level_zero(judged: Judged) -> Judged:
    """Return the rankings with the grade 0 among the levels; a document that leaves a coalition gets this grade."""
    if 0 in judged.levels:
        return judged
    index = int(np.searchsorted(judged.levels, 0))
    return replace(
        judged,
        levels=np.insert(judged.levels, index, 0.0),
        counts=np.insert(judged.counts, index, 0, axis=1),
        code=np.where(judged.code > index, judged.code.astype(np.int32) + 1, judged.code),
    )


class _Coalitions:
    """Values of one ranking in which only some of the relevant documents keep their grades.

    *position* has the position of each relevant document in the ranking, from 0.
    """

    def __init__(self, measure: Measure, judged: Judged, number: int, position: Ints) -> None:
        self._measure = measure
        self._one = judged.select_rankings(np.array([number]))
        self._position = position
        self._zero = int(np.flatnonzero(judged.levels == 0)[0]) + 1

    def score(self, members: Bools) -> Floats:
        """Return the value of each coalition; *members* is coalitions x relevant documents."""
        length = max(len(self._one.code), 1)
        step = max(1, _BLOCK // length)
        blocks = [self._score_block(members[first : first + step]) for first in range(0, len(members), step)]
        return np.concatenate(blocks)

    def _score_block(self, members: Bools) -> Floats:
        """Score the coalitions as rankings of one object; documents that are not members get the grade 0."""
        code = np.tile(self._one.code, (len(members), 1))
        code[:, self._position] = np.where(members, code[:, self._position], self._zero)
        coalitions = replace(
            self._one.without_ties(),
            topic=np.repeat(self._one.topic, len(members)),
            start=np.arange(len(members) + 1) * code.shape[1],
            code=code.ravel(),
            answered=np.repeat(self._one.answered, len(members)),
        )
        return self._measure.score(coalitions)

    def add(self, orders: Ints) -> Floats:
        """Return how much the value grows when each document is added, for each of the *orders* of adding documents."""
        count, documents = orders.shape
        place = np.argsort(orders, axis=1)  # the number of documents that are added before each document
        members = place[:, None, :] < np.arange(documents + 1)[None, :, None]
        values = self.score(members.reshape(-1, documents)).reshape(count, documents + 1)
        return np.take_along_axis(np.diff(values, axis=1), place, axis=1)

    def sample(self, seed: int) -> tuple[Floats, Floats]:
        """Estimate the Shapley values from random orders; return the estimates and their standard errors."""
        rng = np.random.default_rng(seed)
        orders = rng.permuted(np.tile(np.arange(len(self._position)), (_ORDERS, 1)), axis=1)
        # An order and its reverse have negatively correlated errors, so their mean varies less.
        growth = np.concatenate([(self.add(order[None]) + self.add(order[None, ::-1])) / 2 for order in orders])
        return growth.mean(axis=0), growth.std(axis=0, ddof=1) / np.sqrt(_ORDERS)


# Closed forms -----------------------------------------------------------------------------------------------------


def _own_terms(measure: Any, judged: Judged, rows: Rows) -> Floats:
    """Return the terms of a sum over ranks, divided by the scale of the measure."""
    terms = measure.rows_to_depth(judged)
    value = ratio(
        measure.weighted_gain(terms.gain, terms.rank),
        np.broadcast_to(measure.scale(judged), len(judged))[terms.ranking],
    )
    by_position = np.zeros(len(judged.code))
    by_position[judged.start[terms.ranking] + terms.rank - 1] = value
    return np.asarray(by_position[judged.start[rows.ranking] + rows.rank - 1])


def _precision_sums(measure: Any, judged: Judged, rows: Rows) -> Floats:
    """Return the contributions to AP: the sum of precisions is a sum over documents and pairs of documents.

    Document d adds 1/r_d, and each pair adds 1/max(r_d, r_e), which its two documents share equally.
    """
    inverse, _ = measure.terms(rows.rank)
    earlier = judged.cumulative_count(rows) - 1
    later = judged.total(rows.ranking, inverse)[rows.ranking] - accumulate(np.add, rows.ranking, inverse)
    divisor = measure.normalise(np.ones(len(judged)), judged.recall_base(measure.rel))
    return np.asarray((inverse + (earlier * inverse + later) / 2) * divisor[rows.ranking])


def _first_relevant(measure: Any, judged: Judged, rows: Rows) -> Floats:
    """Return the contributions to a value x(r) of the rank of the first relevant document.

    The first j relevant documents share x(r_j) - x(r_j+1) equally: the value is at least x(r_j) if one of them counts.
    """
    value = measure.value_at(rows.rank.astype(np.float64))
    is_last = np.append(rows.ranking[1:] != rows.ranking[:-1], True)[: len(value)]
    following = np.where(is_last, 0.0, np.append(value[1:], 0.0)[: len(value)])
    share = (value - following) / judged.cumulative_count(rows)
    # Each document gets the shares of its own rank and of all later ranks.
    return np.asarray(judged.total(rows.ranking, share)[rows.ranking] - accumulate(np.add, rows.ranking, share) + share)


def _cascade(measure: Any, judged: Judged, rows: Rows) -> Floats:
    """Return the contributions to ERR by Owen's integral.

    If every other document counts with probability u, the expected growth with document d is a polynomial in u. Its
    degree is below the number of documents, so Gauss-Legendre quadrature integrates it exactly.
    """
    gain = measure.gain(judged)
    value = np.zeros(len(rows.rank))
    for number in np.unique(rows.ranking).tolist():
        index = np.flatnonzero(rows.ranking == number)
        stop = gain[judged.code[judged.start[number] + rows.rank[index] - 1]]
        weight = np.where(rows.rank[index] <= (measure.cutoff or np.inf), 1.0 / rows.rank[index], 0.0)
        nodes, node_weight = np.polynomial.legendre.leggauss(len(index) // 2 + 1)
        for u, factor in zip((nodes + 1) / 2, node_weight / 2, strict=True):
            value[index] += factor * _expected_growth(stop, weight, u)
    return value


def _expected_growth(stop: Floats, weight: Floats, u: float) -> Floats:
    """Return the expected growth of ERR with each document if each other document counts with probability *u*."""
    unsatisfied = np.concatenate([[1.0], np.cumprod(1 - u * stop)[:-1]])
    # What the later documents add is lost if the user stops at this document. The products without the factor of the
    # document itself are computed by Horner's rule from the end.
    later = np.zeros(len(stop))
    following = 0.0
    for i in range(len(stop) - 1, -1, -1):
        later[i] = following
        following = u * stop[i] * weight[i] + (1 - u * stop[i]) * following
    return np.asarray(unsatisfied * stop * (weight - later))


_CLOSED_FORMS: dict[str, Callable[[Any, Judged, Rows], Floats]] = {
    "own-terms": _own_terms,
    "precision-sums": _precision_sums,
    "first-relevant": _first_relevant,
    "cascade": _cascade,
}
