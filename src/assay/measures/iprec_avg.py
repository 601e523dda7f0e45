"""Interpolated precision averaged over recall levels."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, param, rel
from assay.measures._interpolated import ROUNDING, interpolated
from assay.model.arrays import Floats
from assay.model.judged import Judged

_LEVELS = {11: tuple(i / 10 for i in range(11)), 3: (0.2, 0.5, 0.8)}


class IPrecAvg(Measure):
    r"""The mean of interpolated precision over 11 recall levels (0, 0.1, …, 1) or 3 (0.2, 0.5, 0.8).

    .. math:: IPrecAvg = \frac{1}{|X|} \sum_{x \in X} IPrec@x

    trec_eval rounds recall levels to numbers of documents, and its versions do so in different ways; see IPrec.

    References
    ----------
    Manning, Raghavan & Schütze, *Introduction to Information Retrieval*, Cambridge 2008, section 8.4.

    Examples
    --------
    >>> IPrecAvg(points=11).of([1, 1, 0])
    1.0
    """

    name = "IPrecAvg"
    trec_eval = (
        "11pt_avg=IPrecAvg(points=11, rounding=trec_eval-10)",
        "3pt_avg=IPrecAvg(points=3, rounding=trec_eval-9)",
    )
    examples = ("IPrecAvg(points=11)", "IPrecAvg(points=3)", "IPrecAvg(points=11, rel=2, rounding=trec_eval-9)")
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    points: int = param("number of recall levels", kind="whole", choices=(3, 11))
    rel: float = rel()
    rounding: str = param("how a recall level becomes a number of documents", "exact", kind="text", choices=ROUNDING)

    def score(self, judged: Judged) -> Floats:
        levels = _LEVELS[self.points]
        total = sum((interpolated(judged, self.rel, x, self.rounding) for x in levels), np.zeros(len(judged)))
        return total / len(levels)
