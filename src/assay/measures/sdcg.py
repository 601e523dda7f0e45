"""Scaled discounted cumulated gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import discount
from assay.measures._graded import Graded
from assay.model.gains import Gains
from assay.model.judged import Judged


@dataclass(frozen=True, repr=False)
class SDCG(Graded):
    r"""Scaled DCG: DCG over that of k documents of gain 1; a weighted precision that needs no recall base.

    .. math:: SDCG@k = \frac{1}{S_k} \sum_{i \le k} \frac{g_i}{\log_2(1 + i)},
              \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    Gains are scaled to the top of the scale: ``unit`` by default, ``exp12`` for the gains of the reference.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, eqs. 3-5 and 12.

    Examples
    --------
    >>> SDCG(cutoff=3).of([1, 1, 1])
    1.0
    """

    name = "SDCG"
    examples = ("SDCG@10", "SDCG(gains=exp12)@20", "SDCG(gains=binary, rel=2)@10", "SDCG(max_rel=4)@10")

    cutoff: int = cutoff()
    gains: Gains = gains("unit")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.gains.unit:
            raise MeasureError(
                f"measure 'SDCG': gains={self.gains} are not all within 0 and 1; use unit, exp12 or exp-unit"
            )

    def weight(self, rank: np.ndarray) -> np.ndarray:
        return 1 / discount(rank, None)

    def weighed(self, gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
        return gain / discount(rank, None)

    def scale(self, judged: Judged) -> float | np.ndarray:
        return float(np.sum(self.weight(np.arange(1, self.cutoff + 1))))
