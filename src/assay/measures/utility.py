"""Utility of a set."""

from __future__ import annotations

from math import inf
from typing import Any

from assay.measures._base import LARGEST_NUMBER, Measure, param, rel
from assay.measures._counting import relevant
from assay.model.arrays import Floats
from assay.model.judged import Judged


def _worth(what: str, default: float) -> Any:
    return param(f"what each {what} is worth", default, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)


class Utility(Measure):
    r"""Utility: what the set of retrieved documents is worth when each document, found or missed, has a price.

    .. math:: Utility = w_1 c + w_2 (n - c) + w_3 (R - c) + w_4 (N - n - R + c)

    where c of the n documents that were retrieved are relevant, R are relevant at all and N (*docs*) is the size of
    the collection, which only matters if documents that are neither relevant nor retrieved are worth something. What
    is not judged relevant counts as not relevant. ``rel_ret=3, nonrel_ret=-2`` is the linear utility of the filtering
    track (LF1).

    References
    ----------
    Hull & Robertson, *The TREC-8 Filtering Track Final Report*, TREC-8 (1999); trec_eval, measure *utility*.

    Examples
    --------
    >>> Utility().of([1, 0, 1, None, 1])
    1.0
    >>> Utility(rel_missed=-0.5).of([1, 0, 1, None, 1], judged={1: 5, 0: 1})
    0.0
    """

    name = "Utility"
    trec_eval = ("utility",)
    examples = ("Utility", "Utility(rel_ret=3, nonrel_ret=-2)", "Utility(rel=2)")
    bounds = (-inf, inf)
    order_matters = False
    swap = True
    replacement = True

    rel_ret: float = _worth("relevant document that was retrieved", 1)
    nonrel_ret: float = _worth("other document that was retrieved", -1)
    rel_missed: float = _worth("relevant document that was not retrieved", 0)
    nonrel_missed: float = _worth("other document that was not retrieved", 0)
    docs: int = param("number of documents in the collection", 0, kind="whole", low=0)
    rel: float = rel()

    def score(self, judged: Judged) -> Floats:
        found, base, length = relevant(judged, self.rel), judged.recall_base(self.rel), judged.length
        got = float(self.rel_ret) * found + float(self.nonrel_ret) * (length - found)
        missed = float(self.docs) + found - length - base
        return got + float(self.rel_missed) * (base - found) + float(self.nonrel_missed) * missed
