"""Expected reciprocal rank."""

from __future__ import annotations

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._cascade import stopping
from assay.measures._graded import Graded
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.judged import Judged


class ERR(Graded):
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
    unit_gains = True
    swap_monotone = True
    swap = True
    replacement = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        rows = judged.rows(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.total(rows.ranking[keep], stopping(rows)[keep])
