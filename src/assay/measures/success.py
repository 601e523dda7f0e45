"""Success at a cutoff."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, cutoff, rel
from assay.measures._first_relevant import mean_of, rank_of
from assay.model.arrays import Floats
from assay.model.judged import Judged


class Success(Measure):
    r"""Success: 1 if there is a relevant document in the top k, else 0.

    .. math:: Success@k = [\exists i \le k: r_i = 1]

    Also called hit rate. Exact under expected ties: the chance of a relevant document in the top k.

    References
    ----------
    Craswell & Hawking, *Overview of the TREC-2004 Web Track*, TREC 2004.

    Examples
    --------
    >>> Success(cutoff=5).of([0, 0, 1])
    1.0
    """

    name = "Success"
    aliases = ("HitRate", "Hit")
    trec_eval = ("success_*",)
    examples = ("Success@10", "Success(rel=2)@5")
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int = cutoff()
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        return (rank_of(judged, self.rel) <= self.cutoff).astype(np.float64)

    def expected(self, judged: Judged) -> Floats | None:
        return mean_of(judged, self.rel, lambda rank: (rank <= self.cutoff).astype(np.float64))
