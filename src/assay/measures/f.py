"""The F measure."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff, param, rel
from assay.model.arrays import Floats, Ints, Numbers
from assay.model.judged import Judged


class F(Additive):
    r"""F: the weighted harmonic mean of precision and recall, of the top k or of all that was retrieved.

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}
              = \frac{(1 + \beta^2) c}{\beta^2 R + n}

    where c of the n documents looked at are relevant. A cutoff fixes n = k, as in P@k; trec_eval's *set_F* with
    parameter x is F with :math:`\beta = \sqrt{x}`.

    References
    ----------
    van Rijsbergen, *Information Retrieval*, 2nd ed., Butterworths 1979, chapter 7.

    Examples
    --------
    >>> F().of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.6666666666666666
    """

    name = "F"
    aliases = ("F1", "SetF")
    trec_eval = ("set_F", "set_F_*=SetF(beta=*)")
    examples = ("F@10", "F", "F(beta=2, rel=2)@20")
    uses_recall_base = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    beta: float = param("how much more recall matters than precision", 1, above=0)
    rel: float = rel()

    def weight(self, rank: Ints) -> Floats:
        return np.full(len(rank), 1.0 + self.beta**2)

    def scale(self, judged: Judged) -> float | Numbers:
        looked = judged.length if self.cutoff is None else self.cutoff
        return np.asarray(self.beta**2 * judged.recall_base(self.rel) + looked, dtype=np.float64)
