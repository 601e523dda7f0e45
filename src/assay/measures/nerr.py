"""Normalised expected reciprocal rank."""

from __future__ import annotations

from assay.measures._base import cutoff, floor, gains, max_rel, ratio
from assay.measures._cascade import stopping
from assay.measures._graded import Graded
from assay.measures.err import ERR
from assay.model.arrays import Bools, Floats
from assay.model.gains import Gains
from assay.model.judged import Judged


class nERR(Graded):
    r"""Normalised expected reciprocal rank: ERR over the ERR of the ideal ranking.

    .. math:: nERR@k = ERR@k / ERR^*@k

    The ideal ranking holds every judged document of the topic, best first.

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan, *Expected reciprocal rank for graded relevance*, CIKM 2009.

    Examples
    --------
    >>> nERR().of([1, 0]), nERR().of([0, 1])
    (1.0, 0.5)
    """

    name = "nERR"
    examples = ("nERR@20", "nERR", "nERR(max_rel=4)@20")
    unit_gains = True
    uses_recall_base = True
    swap_monotone = True
    swap = True
    replacement = True
    dilutes = True

    cutoff: int | None = cutoff(None)
    gains: Gains = gains("exp12")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        return ratio(self._raw().score(judged), self._best(judged))

    def defined(self, judged: Judged) -> Bools:
        return self._best(judged) > 0

    def _raw(self) -> ERR:
        return ERR(cutoff=self.cutoff, gains=self.gains, rel=self.rel, max_rel=self.max_rel)

    def _best(self, judged: Judged) -> Floats:
        rows = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else rows.rank <= self.cutoff
        return judged.ideal_total(rows.ranking[keep], stopping(rows)[keep])
