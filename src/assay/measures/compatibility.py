"""Compatibility with the ideal ranking."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import param
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged


class Compat(Measure):
    r"""Compatibility: the rank-biased overlap of the ranking with the ideal one.

    .. math:: Compat = \frac{1}{S} \sum_{d=1}^{D} p^{d-1} \, \frac{|A_d \cap I_d|}{d}, \qquad
              S = \sum_{d=1}^{D} p^{d-1} \, \frac{\min(d, |I|)}{d}

    A and I are the ranking and the ideal ranking, of which the top d are compared; D is the length of the longer one.
    The ideal ranking holds the documents of a grade above 0, best first, and those of the same grade as the run has
    them, the ones that it lacks last: the ideal ranking that is most like the run. S makes the ideal ranking score 1;
    with ``normalize=false`` it is :math:`\sum p^{d-1}`, as in plain rank-biased overlap.

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

    p: float = param("persistence: how much the next depth counts", 0.95, low=0, high=1)
    normalize: bool = param("divide by the value of the ideal ranking", True, kind="flag")

    def score(self, judged: Judged) -> Floats:
        ranking, met = self._find_overlap(judged)
        ideal_length = self._ideal_length(judged)
        depth = np.maximum(judged.length, ideal_length)
        weight = np.power(float(self.p), np.arange(depth.max(initial=0)))
        # A document that both rankings hold from some depth on counts at that depth and all below.
        until = np.concatenate([[0.0], np.cumsum(weight / np.arange(1, len(weight) + 1))])
        overlap = judged.total(ranking, until[depth[ranking]] - until[met - 1])
        if not self.normalize:
            return ratio(overlap, np.concatenate([[0.0], np.cumsum(weight)])[depth])
        owner = np.repeat(np.arange(len(judged)), ideal_length)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(ideal_length) - ideal_length, ideal_length)
        return ratio(overlap, judged.total(owner, until[depth[owner]] - until[place]))

    def defined(self, judged: Judged) -> Bools:
        return self._ideal_length(judged) > 0

    @staticmethod
    def _ideal_length(judged: Judged) -> Ints:
        """Return the length of the ideal ranking for each ranking."""
        return np.asarray(judged.counts[:, judged.levels > 0].sum(axis=1)[judged.topic], dtype=np.int64)

    @staticmethod
    def _find_overlap(judged: Judged) -> tuple[Ints, Ints]:
        """Return ranking and first common depth of each document of the ideal ranking that was retrieved."""
        rows = judged.rows(np.concatenate([[0.0], np.maximum(judged.levels, 0.0)]))
        level = np.searchsorted(judged.levels, rows.gain)
        better = judged.counts[:, ::-1].cumsum(axis=1)[:, ::-1] - judged.counts
        alike = rows.ranking * len(judged.levels) + level
        order = np.argsort(alike, kind="stable")
        first = np.searchsorted(alike[order], alike[order])
        ideal_rank = np.empty(len(order), dtype=np.int64)
        ideal_rank[order] = np.arange(1, len(order) + 1) - first
        ideal_rank += better[judged.topic[rows.ranking], level]
        return rows.ranking, np.maximum(rows.rank, ideal_rank)
