"""Yet another average precision."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, rel
from assay.measures._precision_sum import precision_sum
from assay.model.arrays import Floats
from assay.model.judged import Judged


class YAAP(Measure):
    r"""Yet another average precision: AP, smoothed and stretched to the whole line, so that its mean is fair.

    .. math:: YAAP = \ln \frac{1 + s}{1 + R - s}, \qquad s = \sum_i r_i \, P@i

    s / R is AP, and this is its log-odds with one document added to either side. Within a topic it puts rankings in
    the same order as AP, but in the mean over topics small differences near 0 and 1 count more.

    References
    ----------
    Robertson, *On smoothing average precision*, ECIR 2012.

    Examples
    --------
    >>> YAAP().of([1, 0], judged={1: 2, 0: 1})
    0.0
    """

    name = "YAAP"
    trec_eval = ("yaap",)
    examples = ("YAAP", "YAAP(rel=2)")
    swap_monotone = True
    uses_recall_base = True
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True
    dilutes = True

    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        total = precision_sum(judged, self.rel, None)
        return np.asarray(np.log((1 + total) / (1 + judged.recall_base(self.rel) - total)))
