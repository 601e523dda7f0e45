"""Base classes of the measures of effort: curves of relative position and their parameters."""

from __future__ import annotations

import numpy as np

from assay.measures._base import Measure, ratio
from assay.measures._parameters import param, rel
from assay.model.arrays import Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.relative_position import CROSSINGS, ENDPOINTS, LENGTHS, Curves, Setting

_DISCONTINUOUS = (
    "weights and persistence make rho discontinuous: misplacements no longer cancel exactly, so a curve that came back "
    "to the axis may never do so (rho 0); not comparable with values without them, nor with archetypes"
)


class Effort(Measure):
    """A measure of relative positions."""

    uses_recall_base = True
    med_cost = "quadratic"

    cutoff: int | None = param(
        "length of all rankings: longer ones are cut, shorter ones filled up (default: that of the longest)",
        None,
        kind="whole",
        low=1,
        at=True,
    )
    length: str = param(
        "what happens to topics with more than N/2 relevant documents", "extend", kind="text", choices=tuple(LENGTHS)
    )
    weights: Gains | None = param("gains by whose difference a misplacement is multiplied", None, kind="gains")
    persistence: float = param("a misplacement that begins at rank i counts persistence^(i-1)", 1, above=0, high=1)
    rel: float = rel()

    def gain(self, judged: Judged) -> Floats:
        """Return the relevant grades by code; each grade has its own range of ideal ranks."""
        return np.concatenate([[0.0], np.where(judged.levels >= self.rel, judged.levels, 0.0)])

    def curves(self, judged: Judged) -> Curves:
        """Compute the curves of all rankings."""
        return Curves.of(judged, self.setting)

    @property
    def uses_max_depth(self) -> bool:
        return self.cutoff is None

    @property
    def setting(self) -> Setting:
        """The parameters of the curves."""
        return Setting(self.cutoff, self.length, self.weights, float(self.persistence), self.rel)

    def evaluate_curves(self, curves: Curves) -> Floats:
        """Return one value for each curve; that of a topic without relevant documents is ignored."""
        raise NotImplementedError

    def score(self, judged: Judged) -> Floats:
        curves = self.curves(judged)
        return np.where(curves.relevant > 0, self.evaluate_curves(curves), 0.0)

    def defined(self, judged: Judged) -> Bools:
        return np.asarray(self.curves(judged).relevant > 0)


class Recovery(Effort):
    """A measure of the rank at which a curve crosses the axis."""

    crossing: str = param("what a crossing of the axis is", "strict", kind="text", choices=tuple(CROSSINGS))
    endpoint: str = param("the rank before or behind the crossing", "left", kind="text", choices=tuple(ENDPOINTS))

    def caveat(self) -> str | None:
        return _DISCONTINUOUS if self.weights is not None or self.persistence != 1 else None

    def recovery_ratio(self, curves: Curves) -> Floats:
        """Return R divided by the balance point."""
        return ratio(curves.relevant.astype(np.float64), curves.balance(self.crossing, self.endpoint))


def space_ratio(space: Floats, full: Floats) -> Floats:
    """Return 1 minus the share of the space of the full-scale ranking; if that is 0, 1 for no space and else 0."""
    return np.where(full > 0, 1 - ratio(space, full), (space == 0).astype(np.float64))


def space_ratios(curves: Curves) -> tuple[Floats, Floats]:
    """Return the forward and the backward space ratio of each curve."""
    full = curves.full_scale
    forward = space_ratio(curves.forward, full.forward[curves.topic])
    return forward, space_ratio(curves.backward, full.backward[curves.topic])


def avoided_share(curves: Curves, rank: Ints) -> Floats:
    """Return 1 minus the share of the height of the full-scale ranking at a rank; NaN where that height is 0."""
    full = curves.full_scale_at(rank)
    off_axis = np.abs(full) > curves.scale.rounding[curves.topic]
    return np.asarray(1 - np.divide(curves.at(rank), full, out=np.full(len(full), np.nan), where=off_axis))


def harmonic_mean(forward: Floats, backward: Floats) -> Floats:
    """Return the harmonic mean; 0 unless both are positive (with less than 2 R ranks they can be negative)."""
    return ratio(2 * forward * backward, np.where((forward > 0) & (backward > 0), forward + backward, 0.0))
