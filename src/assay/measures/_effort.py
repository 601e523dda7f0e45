"""Base classes of the effort measures, which evaluate curves of cumulated relative positions (CRP)."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import param, rel
from assay.model.arrays import Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.relative_position import CROSSINGS, ENDPOINTS, LENGTHS, Curves, EffortSettings


class Effort(Measure):
    """A measure of the curve of cumulated relative positions of a ranking."""

    uses_recall_base = True
    med_cost = "quadratic"

    cutoff: int | None = param(
        "length N of all rankings: longer rankings are truncated, shorter rankings are padded with non-relevant "
        "documents; none stands for the longest ranking",
        None,
        kind="whole",
        low=1,
        at=True,
    )
    length: str = param(
        "treatment of topics with more than N/2 relevant documents", "extend", kind="text", choices=tuple(LENGTHS)
    )
    weights: Gains | None = param(
        "gains by grade; a misplacement is multiplied by the difference between the gain of the document and the gain "
        "of the ideal ranking at its rank",
        None,
        kind="gains",
    )
    persistence: float = param("a misplacement that begins at rank i has weight persistence^(i-1)", 1, above=0, high=1)
    rel: float = rel()

    def gain(self, judged: Judged) -> Floats:
        """Return gains by grade code: the grade if it is relevant, else 0.

        Each relevant grade has its own interval of ideal ranks, so the grades themselves serve as gains.
        """
        return np.concatenate([[0.0], np.where(judged.levels >= self.rel, judged.levels, 0.0)])

    def curves(self, judged: Judged) -> Curves:
        """Return the curves of all rankings."""
        return Curves.from_judged(judged, self.setting)

    @property
    def uses_max_depth(self) -> bool:
        return self.cutoff is None

    @property
    def setting(self) -> EffortSettings:
        """Parameters of the curves."""
        return EffortSettings(self.cutoff, self.length, self.weights, float(self.persistence), self.rel)

    def evaluate_curves(self, curves: Curves) -> Floats:
        """Return one value for each curve; values of topics without relevant documents are ignored."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        curves = self.curves(judged)
        return np.where(curves.recall_base > 0, self.evaluate_curves(curves), 0.0)

    def is_defined(self, judged: Judged) -> Bools:
        return np.asarray(self.curves(judged).recall_base > 0)


class Recovery(Effort):
    """A measure of the rank at which a curve crosses the axis."""

    crossing: str = param("definition of a crossing of the axis", "strict", kind="text", choices=tuple(CROSSINGS))
    endpoint: str = param("the rank before or after the crossing", "left", kind="text", choices=tuple(ENDPOINTS))


def space_ratio(space: Floats, full_scale_space: Floats) -> Floats:
    """Return 1 - space / full_scale_space, where the divisor is the space of the full-scale ranking.

    If *full_scale_space* is 0, the result is 1 where *space* is 0 as well, and 0 elsewhere.
    """
    return np.where(full_scale_space > 0, 1 - ratio(space, full_scale_space), (space == 0).astype(np.float64))


def space_ratios(curves: Curves) -> tuple[Floats, Floats]:
    """Return the forward and the backward space ratio of each curve."""
    full_scale = curves.full_scale
    forward = space_ratio(curves.forward, full_scale.forward[curves.topic])
    return forward, space_ratio(curves.backward, full_scale.backward[curves.topic])


def avoided_fraction(curves: Curves, rank: Ints) -> Floats:
    """Return 1 - h / h_fs, where h and h_fs are the heights of a curve and of the full-scale curve at a rank.

    The result is NaN where the full-scale curve is on the axis.
    """
    full_scale_height = curves.full_scale_height_at(rank)
    off_axis = np.abs(full_scale_height) > curves.scale.tolerance[curves.topic]
    undefined = np.full(len(full_scale_height), np.nan)
    return np.asarray(1 - np.divide(curves.height_at(rank), full_scale_height, out=undefined, where=off_axis))


def harmonic_mean(forward: Floats, backward: Floats) -> Floats:
    """Return the harmonic mean of the two space ratios, or 0 unless both are positive.

    Space ratios can be negative if the common length N of the rankings is less than 2 R.
    """
    return ratio(2 * forward * backward, np.where((forward > 0) & (backward > 0), forward + backward, 0.0))
