"""Discounted cumulated gain."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import Discounted, base
from assay.measures._graded import GradedSum
from assay.model.gains import Gains


class DCG(Discounted, GradedSum):
    r"""Discounted cumulated gain: gains count less the deeper they stand.

    .. math:: DCG@k = \sum_{i \le k} \frac{g_i}{\log_2(1 + i)}
       \qquad\text{or with a base b}\qquad
       DCG_b@k = \sum_{i \le k} \frac{g_i}{\max(1, \log_b i)}

    The second form is the original one of Järvelin and Kekäläinen: no discount before rank b.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).
    Burges et al., *Learning to rank using gradient descent*, ICML 2005 (gains 2^g - 1).

    Examples
    --------
    >>> DCG(cutoff=3).of([3, 0, 2])
    4.0
    """

    name = "DCG"
    trec_eval = ("dcg",)
    examples = ("DCG@10", "DCG(gains=exp)@20", "DCG(base=10, gains=negative)", "DCG(base=2)")
    bounds = (-np.inf, np.inf)
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()
