"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import Measure, cutoff, floor, gains, max_rel
from assay.measures._cascade import stopping
from assay.model.gains import Gains
from assay.model.judged import Judged


@dataclass(frozen=True, repr=False)
class ERR(Measure):
    r"""Expected reciprocal rank: 1 over the rank at which a user who may be satisfied at each document stops.

    .. math:: ERR@k = \sum_{i \le k} \frac{1}{i} \, x_i \prod_{j < i} (1 - x_j)

    The probability x that a document satisfies is its gain, by default :math:`(2^g - 1) / 2^{top}`, where *top* is the
    largest grade of the qrels or ``max_rel``.

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan, *Expected reciprocal rank for graded relevance*, CIKM 2009.

    Examples
    --------
    >>> ERR().of([1, 1])
    0.625
    """

    name = "ERR"
    examples = ("ERR@20", "ERR", "ERR(max_rel=4)@20", "ERR(gains=unit)@10")

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.gains.unit:
            raise MeasureError(
                f"measure 'ERR': gains={self.gains} are not probabilities; use exp12, exp-unit, unit or binary"
            )

    def score(self, judged: Judged) -> np.ndarray:
        rows = judged.rows(self.gains.table(judged.levels, self.rel, self.max_rel))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.total(rows.ranking[keep], stopping(rows)[keep])
