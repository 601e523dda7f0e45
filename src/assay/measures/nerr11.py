"""Nearly expected reciprocal rank with the patience of INSQ."""

from __future__ import annotations

from assay.measures._base import floor, gains, max_rel, param
from assay.measures._nearly import Nearly
from assay.model.arrays import Floats
from assay.model.gains import Gains


class NERR11(Nearly):
    r"""NERR11: gain per document for a user who stops when satisfied and otherwise goes on as that of INSQ.

    .. math:: NERR11 = \frac{\sum_{i} g_i V_i}{\sum_{i} V_i}, \qquad
              V_1 = 1, \; V_{i+1} = V_i \, \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)

    Nearly ERR with the patience of INSQ, whose user wants T documents. The walk goes on for ever; cwl_eval cuts it at
    rank 1000.

    References
    ----------
    Azzopardi, Mackenzie & Moffat, *ERR is not C/W/L: Exploring the relationship between expected reciprocal rank and
    other metrics*, ICTIR 2021, eq. 11.

    Examples
    --------
    >>> round(NERR11(T=1).of([0, 1]), 4)
    0.3077
    """

    name = "NERR11"
    examples = ("NERR11(T=1)", "NERR11(T=3, max_rel=4)", "NERR11(T=2, gains=binary)")

    T: float = param("how many relevant documents the user wants", low=1e-6)
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def patience(self, rank: Floats) -> Floats:
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2

    def patience_below(self, rank: Floats) -> Floats:
        from scipy.special import zeta

        below: Floats = (2 * self.T) ** 2 * zeta(2, rank + 2 * self.T)
        return below
