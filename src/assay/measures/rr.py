"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, rel
from assay.measures._first_relevant import mean_of, rank_of
from assay.model.arrays import Floats
from assay.model.judged import Judged


class RR(Measure):
    r"""Reciprocal rank: 1 over the rank of the first relevant document; 0 if there is none in the top k.

    .. math:: RR = 1 / \min \{ i : r_i = 1 \}

    The mean over topics is known as MRR. Exact under expected ties.

    References
    ----------
    Kantor & Voorhees, *The TREC-5 Confusion Track*, Information Retrieval 2 (2000).
    McSherry & Najork, *Computing information retrieval performance measures efficiently in the presence of
    tied scores*, ECIR 2008.

    Examples
    --------
    >>> RR().of([0, 0, 0, 1])
    0.25
    """

    name = "RR"
    aliases = ("MRR",)
    trec_eval = ("recip_rank",)
    examples = ("RR", "RR@10", "RR(rel=2)")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return self._reciprocal(rank_of(judged, self.rel))

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, self._reciprocal)

    def _reciprocal(self, rank: Floats) -> Floats:
        return np.where(rank <= (self.cutoff or np.inf), 1 / rank, 0.0)
