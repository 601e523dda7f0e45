"""What the measures of the NERR family share: a user who stops when satisfied, or tired."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from assay.measures._base import ratio
from assay.measures._graded import Graded
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.model.scan import before, running


class Nearly(Graded):
    """Gain per document that is looked at by a user who goes on after gain g with probability (1 - g) x patience.

    A better document never lowers it. In one gain g the value is (A + gV + (1 - g)B) / (C + V + (1 - g)D), where V
    looks reach the document and B and D are the gain and the looks behind it were it worth nothing; so it rises or
    falls all the way. B is V times a probability, that of being satisfied later, so the numerator is larger at g = 1
    than at g = 0, and the denominator is smaller.
    """

    unit_gains: ClassVar[bool] = True
    replacement = True

    def patience(self, rank: Floats) -> Floats:
        """The probability that a user who meets no gain looks at a rank; it falls with the rank."""
        raise NotImplementedError

    def patience_below(self, rank: Floats) -> Floats:
        """The sum of the patience over all ranks below this one."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        """A gain g takes the share g of all looks that were to follow it away, so their sum needs the gains only."""
        rows = judged.rows(self.gain(judged))
        cut = getattr(self, "cutoff", None)
        keep = rows.rank <= (np.inf if cut is None else cut)
        ranking, rank, gain = rows.ranking[keep], rows.rank[keep].astype(np.float64), rows.gain[keep]
        if not len(rank):
            return np.zeros(len(judged))
        unsatisfied = before(ranking, running(np.multiply, ranking, 1 - gain), 1.0)
        gained = judged.total(ranking, gain * unsatisfied * self.patience(rank))
        not_looked = judged.total(ranking, gain * unsatisfied * self.patience_below(rank))
        return ratio(gained, self.patience_below(np.zeros(1)) - not_looked)
