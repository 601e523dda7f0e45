"""Precision at a multiple of R."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, param, rel
from assay.model.arrays import Numbers
from assay.model.judged import Judged


class RprecMult(Additive):
    r"""Precision at x times R, the number of relevant documents of the topic.

    .. math:: RprecMult@x = P@c, \qquad c = \lfloor x R + 0.9 \rfloor

    x = 1 is R-precision. Small x tell about precision and large x about recall, at the same stage for every topic.
    The rounding is that of trec_eval; 0 if c is 0. Ranks that the run leaves empty count as not relevant.

    References
    ----------
    trec_eval, measure *Rprec_mult*.

    Examples
    --------
    >>> RprecMult(multiple=2).of([1, 0, 1, 0], judged={1: 2, 0: 2})
    0.5
    """

    name = "RprecMult"
    trec_eval = ("Rprec_mult_*",)
    examples = ("RprecMult@0.5", "RprecMult@2", "RprecMult(rel=2)@0.2")
    uses_recall_base = True
    swap = True
    replacement = True

    multiple: float = param("how many times R ranks are looked at", above=0, high=1e12, at=True)
    rel: float = rel()

    def depth(self, judged: Judged) -> float | Numbers:
        return np.asarray(np.floor(float(self.multiple) * judged.recall_base(self.rel) + 0.9))

    def scale(self, judged: Judged) -> float | Numbers:
        return self.depth(judged)
