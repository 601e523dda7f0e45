"""Tables of the agreement of rankings."""

from __future__ import annotations

from assay.distance.overlap import OverlapReport
from assay.views.tables import Table, drop_fractions


def overlap(report: OverlapReport, per_topic: bool = False) -> Table:
    """A row for each pair of runs; with *per_topic* for each topic and then for all."""
    frame = report.frame(per_topic)
    shown = frame if per_topic else frame.drop("topic")
    return Table(frame, drop_fractions(shown, "depth_a", "depth_b"), provenance=_provenance(report), notes=report.notes)


def matrix(report: OverlapReport, of: str = "rbo") -> Table:
    """Runs x runs: the mean of one coefficient."""
    frame = report.matrix(of)
    return Table(frame, frame, provenance=_provenance(report), notes=report.notes)


def _provenance(report: OverlapReport) -> dict[str, object]:
    policies = report.provenance.policies
    topics = "intersection" if policies.topics == "intersection" else "union"
    settings = {"policies": {"ties": policies.ties, "topics": topics, "tied": report.tied}}
    return {**report.provenance.as_dict(), **settings, "p": report.p, "depth": report.depth}
