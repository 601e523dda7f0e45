"""What measures share that follow a ranking and the ideal one side by side, rank by rank."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.measures._base import floor, gains, max_rel
from assay.measures._graded import Graded
from assay.model.arrays import Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged, Rows
from assay.model.scan import running


class BesideIdeal(Graded):
    """A graded measure whose value at a rank depends on the ideal ranking at the same rank."""

    uses_recall_base = True

    gains: Gains = gains("identity")
    rel: float | None = floor()
    max_rel: float | None = max_rel()

    def check(self) -> None:
        if self.gains.negative:
            raise MeasureError(
                f"measure '{self.name}': gains={self.gains} can be negative; {self.name} needs gains of at least 0"
            )

    def defined(self, judged: Judged) -> Bools:
        return self.worthy(judged) > 0

    def worthy(self, judged: Judged) -> Ints:
        """For each ranking, how many judged documents of its topic have a gain: the length of the ideal ranking."""
        return _lengths(judged, judged.ideal(self.gain(judged)))[judged.topic]


def ideal_up_to(judged: Judged, ideal: Rows, amount: Floats, rows: Rows) -> Floats:
    """The sum of *amount* over the top of the ideal ranking, down to the rank of each row or to its end."""
    length = _lengths(judged, ideal)
    start = np.cumsum(length) - length
    topic = judged.topic[rows.ranking]
    sums = np.concatenate([[0.0], running(np.add, ideal.ranking, amount)])
    return np.where(length[topic] > 0, sums[start[topic] + np.minimum(rows.rank, length[topic])], 0.0)


def _lengths(judged: Judged, ideal: Rows) -> Ints:
    """The length of the ideal ranking of each topic."""
    return np.bincount(ideal.ranking, minlength=len(judged.counts))
