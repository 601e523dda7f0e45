"""The share of judged documents."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff
from assay.model.arrays import Floats, Numbers
from assay.model.judged import Judged


class JudgedAt(Additive):
    r"""Judged: the share of the top k that has been judged at all, with any grade.

    .. math:: Judged@k = \frac{1}{\min(k, n)} \sum_{i \le k} [d_i \text{ is in the qrels}]

    n is the number of documents that were retrieved. It tells how much the other measures rest on guesses.

    References
    ----------
    MacAvaney, Macdonald & Ounis, *Streamlining evaluation with ir-measures*, ECIR 2022.

    Examples
    --------
    >>> JudgedAt(cutoff=4).of([1, 0, None, 0, None])
    0.75
    """

    name = "Judged"
    examples = ("Judged@10", "Judged")

    cutoff: int | None = cutoff(None)

    def gain(self, judged: Judged) -> Floats:
        return np.concatenate([[0.0], np.ones(len(judged.levels))])

    def scale(self, judged: Judged) -> float | Numbers:
        return judged.length if self.cutoff is None else np.minimum(judged.length, self.cutoff)
