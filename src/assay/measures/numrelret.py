"""The number of relevant documents retrieved."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Additive, rel


class NumRelRet(Additive):
    r"""The number of relevant documents retrieved, summed over topics.

    .. math:: NumRelRet = \sum_i r_i

    References
    ----------
    trec_eval, measure *num_rel_ret*.

    Examples
    --------
    >>> NumRelRet().of([1, 0, 2, None])
    2.0
    """

    name = "NumRelRet"
    trec_eval = ("num_rel_ret",)
    examples = ("NumRelRet", "NumRelRet(rel=2)")
    bounds = (0.0, np.inf)
    aggregate = "sum"
    swap = True
    replacement = True

    rel: float = rel()
