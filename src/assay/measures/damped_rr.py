"""Damped reciprocal rank."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, param, rel
from assay.measures._first_relevant import mean_of, rank_of
from assay.model.arrays import Floats
from assay.model.judged import Judged


class DampedRR(Measure):
    r"""Damped reciprocal rank: 1 / (k + rank of the first relevant document), for a cautious user.

    .. math:: DampedRR_k = 1 / (k + \min \{ i : r_i = 1 \})

    The constant k flattens the steep fall of RR over the first ranks; k = 0 is RR. Exact under expected ties.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008).

    Examples
    --------
    >>> DampedRR(k=2).of([0, 1])
    0.25
    """

    name = "DampedRR"
    aliases = ("dRR",)
    examples = ("DampedRR(k=2)", "DampedRR(k=2, rel=2)@10")
    swap_monotone = True
    swap = True
    replacement = True

    k: float = param("what is added to the rank", low=0)
    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return self._reciprocal(rank_of(judged, self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, self._reciprocal)

    def _reciprocal(self, rank: Floats) -> Floats:
        return np.where(rank <= (self.cutoff or np.inf), 1 / (self.k + rank), 0.0)
