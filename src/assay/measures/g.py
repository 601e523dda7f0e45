"""Normalised gain."""

from __future__ import annotations

import numpy as np

from assay.measures._base import ratio
from assay.measures._ideal import BesideIdeal, ideal_up_to
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.scan import running


class G(BesideIdeal):
    r"""G: each gain counts less the further the ranking lags behind the ideal one, not the deeper it stands.

    .. math:: G = \frac{1}{\sum_j g^*_j} \sum_i \frac{g_i}{\log_2(2 + C_i - S_i)},
              \qquad S_i = \sum_{j \le i} g_j, \; C_i = \sum_{j \le i} \max(g^*_j, 1)

    g* are the gains of the ideal ranking, every judged document of the topic best first, and 0 behind its end.
    Each rank costs at least 1, so that documents worth nothing make the ranking lag behind.

    References
    ----------
    trec_eval, measure *G* (Buckley 2008).

    Examples
    --------
    >>> round(G().of([2, 0, 1], judged={2: 1, 1: 2, 0: 1}), 4)
    0.6577
    """

    name = "G"
    trec_eval = ("G",)
    examples = ("G", "G(gains=exp)", "G(gains={1:3,2:9})", "G(rel=2)")
    swap = False

    def score(self, judged: Judged) -> Floats:
        gain = self.gain(judged)
        rows, ideal = judged.rows(gain), judged.ideal(gain)
        beyond = np.maximum(rows.rank - self.worthy(judged)[rows.ranking], 0)
        cost = ideal_up_to(judged, ideal, np.maximum(ideal.gain, 1), rows) + beyond
        lag = cost - running(np.add, rows.ranking, rows.gain)
        # No ranking is ahead of the ideal one; when gains are huge, rounding can make it seem so.
        lag[(lag < 0) & (lag > -1e-9 * cost)] = 0
        total = judged.total(rows.ranking, rows.gain / np.log2(2 + lag))
        return ratio(total, judged.ideal_total(ideal.ranking, ideal.gain))
