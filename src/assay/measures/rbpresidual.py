"""The residual of rank-biased precision."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff, param
from assay.measures._counting import unjudged
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged


class RBPresidual(Additive):
    r"""The residual of RBP: the most that documents which nobody judged or retrieved could add to it.

    .. math:: RBPresidual = (1 - p) \sum_{i \le n} [d_i \text{ is not judged}] \, p^{i-1} + p^n

    n is the number of documents that were retrieved, at most the cutoff. RBP lies between its value and its value
    plus the residual. Documents with a negative grade count as unjudged. (trec_eval leaves the tail :math:`p^n` out
    if every document that was retrieved is judged.)

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008).

    Examples
    --------
    >>> RBPresidual(p=0.5).of([1, None, 0])
    0.375
    """

    name = "RBPresidual"
    trec_eval = ("rbp_resid=RBPresidual(p=0.9)",)
    examples = ("RBPresidual(p=0.8)", "RBPresidual(p=0.95)@100")
    lower_is_better = True

    p: float = param("persistence: probability of looking at the next document", low=0, below=1)
    cutoff: int | None = cutoff(None)

    def gain(self, judged: Judged) -> Floats:
        return unjudged(judged).astype(np.float64)

    def weight(self, rank: Ints) -> Floats:
        return np.asarray((1 - self.p) * np.power(float(self.p), rank - 1.0))

    def score(self, judged: Judged) -> Floats:
        seen = judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
        return super().score(judged) + np.power(float(self.p), seen)
