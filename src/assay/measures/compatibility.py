"""Compatibility with the ideal ranking."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import param
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged


class Compat(Measure):
    r"""Compatibility: the rank-biased overlap (RBO) of the ranking with the most similar ideal ranking.

    .. math:: Compat = \frac{1}{S} \sum_{d=1}^{D} p^{d-1} \, \frac{|A_d \cap I_d|}{d}, \qquad
              S = \sum_{d=1}^{D} p^{d-1} \, \frac{\min(d, |I|)}{d}

    A_d and I_d are the top d documents of the ranking and of the ideal ranking. D is the length of the longer ranking.
    The ideal ranking contains the documents with a positive grade in descending order of grade. Documents with the same
    grade are in the order of the run, followed by the documents that the run does not retrieve; no other ideal ranking
    is more similar to the run. Dividing by S gives an ideal ranking the value 1; with ``normalize=false``, S is
    :math:`\sum p^{d-1}`, as in plain RBO. Use Compat for judgments that express an order, such as top-k preferences
    written as grades.

    References
    ----------
    Clarke, Vtyurina & Smucker, *Assessing top-k preferences*, TOIS 39 (2021).
    Webber, Moffat & Zobel, *A similarity measure for indefinite rankings*, TOIS 28 (2010).

    Examples
    --------
    >>> Compat().of([2, 1, 1, 0])
    1.0
    >>> round(Compat(p=0.5).of([0, 1, 2]), 4)
    0.25
    """

    name = "Compat"
    aliases = ("Compatibility",)
    examples = ("Compat", "Compat(p=0.9)", "Compat(p=0.8, normalize=false)")
    uses_recall_base = True
    swap = True
    replacement = True

    p: float = param("persistence: weight of each depth relative to the previous depth", 0.95, low=0, high=1)
    normalize: bool = param("divide by the value of the ideal ranking", True, kind="flag")

    def score(self, judged: Judged) -> Floats:
        ranking, common_depth = self._find_overlap(judged)
        ideal_length = self._ideal_length(judged)
        depth = np.maximum(judged.length, ideal_length)
        weight = np.power(float(self.p), np.arange(depth.max(initial=0)))
        # A document is in the overlap from its first common depth down to D, so it contributes a difference of two
        # cumulative sums of p^(d-1) / d.
        cumulative = np.concatenate([[0.0], np.cumsum(weight / np.arange(1, len(weight) + 1))])
        overlap = judged.total(ranking, cumulative[depth[ranking]] - cumulative[common_depth - 1])
        if not self.normalize:
            return ratio(overlap, np.concatenate([[0.0], np.cumsum(weight)])[depth])
        # The ideal ranking overlaps itself: its document at index i (from 0) is common from depth i + 1 on.
        owner = np.repeat(np.arange(len(judged)), ideal_length)
        index = np.arange(len(owner)) - np.repeat(np.cumsum(ideal_length) - ideal_length, ideal_length)
        return ratio(overlap, judged.total(owner, cumulative[depth[owner]] - cumulative[index]))

    def is_defined(self, judged: Judged) -> Bools:
        return self._ideal_length(judged) > 0

    @staticmethod
    def _ideal_length(judged: Judged) -> Ints:
        """Return the length of the ideal ranking of the topic, for each ranking."""
        return np.asarray(judged.counts[:, judged.levels > 0].sum(axis=1)[judged.topic], dtype=np.int64)

    @staticmethod
    def _find_overlap(judged: Judged) -> tuple[Ints, Ints]:
        """Return the ranking and the first common depth of each retrieved document of the ideal ranking.

        The first common depth is the larger of the rank in the run and the rank in the ideal ranking.
        """
        rows = judged.rows(np.concatenate([[0.0], np.maximum(judged.levels, 0.0)]))
        level = np.searchsorted(judged.levels, rows.gain)
        higher_grade_count = judged.counts[:, ::-1].cumsum(axis=1)[:, ::-1] - judged.counts
        # The ideal rank is the number of documents of the topic with a higher grade plus the position among the
        # documents of the same grade in the run. A stable sort by ranking and grade yields that position.
        group = rows.ranking * len(judged.levels) + level
        order = np.argsort(group, kind="stable")
        first = np.searchsorted(group[order], group[order])
        ideal_rank = np.empty(len(order), dtype=np.int64)
        ideal_rank[order] = np.arange(1, len(order) + 1) - first
        ideal_rank += higher_grade_count[judged.topic[rows.ranking], level]
        return rows.ranking, np.maximum(rows.rank, ideal_rank)
