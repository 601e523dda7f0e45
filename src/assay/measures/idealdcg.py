"""The DCG of the ideal ranking."""

from __future__ import annotations

import numpy as np

from assay.measures._base import cutoff, floor, gains, max_rel
from assay.measures._discount import base, discount
from assay.measures._graded import Graded
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.judged import Judged


class IdealDCG(Graded):
    r"""The DCG of the ideal ranking of the topic, whatever was retrieved: what nDCG divides by.

    .. math:: DCG^*@k = \sum_{i \le k} \frac{g^*_i}{\log_2(1 + i)}

    g* are the gains of all judged documents that are worth something, best first. A *base* changes the discount as
    in DCG.

    References
    ----------
    Järvelin & Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, TOIS 20 (2002).

    Examples
    --------
    >>> IdealDCG().of([0, 2], judged={3: 1, 2: 2, 0: 1}) - IdealDCG(cutoff=2).of([0, 2], judged={3: 1, 2: 2, 0: 1})
    1.0
    """

    name = "IdealDCG"
    aliases = ("IDCG",)
    trec_eval = ("ideal_dcg",)
    examples = ("IdealDCG", "IdealDCG@10", "IdealDCG(gains=exp)@20", "IdealDCG(base=2)")
    bounds = (0.0, np.inf)
    order_matters = False

    cutoff: int | None = cutoff(None)
    base: float | None = base()
    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def score(self, judged: Judged) -> Floats:
        ideal = judged.ideal(self.gain(judged))
        keep = slice(None) if self.cutoff is None else ideal.rank <= self.cutoff
        return judged.ideal_total(ideal.ranking[keep], (ideal.gain / discount(ideal.rank, self.base))[keep])
