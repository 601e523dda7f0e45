"""The share of unjudged documents."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, cutoff
from assay.measures._counting import unjudged
from assay.model.arrays import Floats, Numbers
from assay.model.judged import Judged


class Unjudged(Additive):
    r"""Unjudged: the share of the top k that was not judged.

    .. math:: Unjudged@k = \frac{1}{k} \sum_{i \le k} [d_i \text{ is not judged}]

    Documents with a negative grade count as unjudged, ranks that the run leaves empty as judged, both as in
    trec_eval. (Judged@k differs in both: any grade is a judgment there, and only the ranks that are filled count.)
    A large value warns that the collection knows little about the run.

    References
    ----------
    trec_eval, measure *unj* (Soboroff 2023).

    Examples
    --------
    >>> Unjudged(cutoff=5).of([1, None, -1, 0])
    0.4
    """

    name = "Unjudged"
    aliases = ("Unj",)
    trec_eval = ("unj_*",)
    examples = ("Unjudged@10", "Unjudged@100")
    lower_is_better = True

    cutoff: int = cutoff()

    def gain(self, judged: Judged) -> Floats:
        return unjudged(judged).astype(np.float64)

    def scale(self, judged: Judged) -> float | Numbers:
        return float(self.cutoff)
