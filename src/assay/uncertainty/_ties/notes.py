"""Notes of a tie report."""

from __future__ import annotations

import numpy as np

from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.model.notes import join_names, pluralize
from assay.results._evaluate import note_undefined
from assay.uncertainty._ties.report import ORDERS, TieReport


def note_undefined_topics(measures: tuple[Measure, ...], undefined: Bools, campaign: Campaign) -> list[str]:
    """Note the topics for which a measure is undefined; *undefined* is measures x topics."""
    topics = [[campaign.topics[i] for i in np.flatnonzero(row)] for row in undefined]
    pairs = zip(measures, topics, strict=True)
    return [note for measure, names in pairs for note in note_undefined(measure, names, campaign.policies)]


def note_contradictions(report: TieReport) -> list[str]:
    """Note the runs whose ranks or lines contradict their scores.

    A contradiction is detected only if it moves the value of a measure outside its range over all orders of tied
    documents.
    """
    exact = report.exact[ORDERS.index("min")]
    low, high = (report.values[ORDERS.index(extreme)][exact] for extreme in ("min", "max"))
    tolerance = 1e-9 * np.maximum(1.0, np.abs(high))
    notes = []
    for order, subject in (("rank", "the rank column"), ("file", "the order of the lines")):
        value = report.values[ORDERS.index(order)][exact]
        outside = ((value < low - tolerance) | (value > high + tolerance)).any(axis=(0, 2))
        if outside.any():
            names = [report.runs[i] for i in np.flatnonzero(outside)]
            notes.append(
                f"{order}: {subject} contradicts the scores in {pluralize(len(names), 'run')}: {join_names(names)}"
            )
    return notes


def note_sampling(report: TieReport, error: Floats) -> list[str]:
    """Note the values estimated from sampled orders; *error* is the largest standard error of each measure."""
    policies = report.provenance.policies
    sample = f"{policies.samples} sampled orders (seed {policies.seed})"
    numbered = list(enumerate(report.measures))
    means = [f"{measure} ({error[i]:.2g})" for i, measure in numbered if error[i] > 0]
    ranges = [str(measure) for i, measure in numbered if not report.exact[ORDERS.index("min"), i]]
    notes = [f"expected values are means over {sample}; largest standard errors: {', '.join(means)}"] if means else []
    if ranges:
        notes.append(f"lowest and highest values are from {sample}; the true range may be wider: {', '.join(ranges)}")
    return notes
