"""INSQ: the weighted precision of a user with a goal."""

from __future__ import annotations

import numpy as np

from assay.measures._base import floor, gains, max_rel, param
from assay.measures._graded import GradedSum
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains


class INSQ(GradedSum):
    r"""INSQ: gain per document for a user who wants T documents and grows more patient with depth.

    .. math:: INSQ = \sum_i W(i) \, g_i, \qquad C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2, \qquad
              W(i) = \frac{(i - 1 + 2T)^{-2}}{\sum_{j \ge 1} (j - 1 + 2T)^{-2}}

    C is the probability of going on after rank i. The weights go on for ever; cwl_eval cuts them at rank 1000, so
    its values are larger by a factor of about 1 + 1/(1000 \psi_1(2T)).

    References
    ----------
    Moffat, Scholer & Thomas, *Models and metrics: IR evaluation as a user process*, ADCS 2012.

    Examples
    --------
    >>> round(INSQ(T=1).of([1, 0, 1]), 4)
    0.4845
    """

    name = "INSQ"
    examples = ("INSQ(T=1)", "INSQ(T=3, max_rel=4)", "INSQ(T=2, gains=binary)")
    unit_gains = True
    swap = True
    replacement = True

    T: float = param("how many relevant documents the user wants", low=1e-6)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def weight(self, rank: Ints) -> Floats:
        from scipy.special import polygamma

        total: float = polygamma(1, 2 * self.T).item()
        weights: Floats = np.power(rank - 1.0 + 2 * self.T, -2.0) / total
        return weights
