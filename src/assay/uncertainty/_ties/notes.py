"""Notes of a tie report."""

from __future__ import annotations

import numpy as np

from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.model.notes import count, some
from assay.results._evaluate import undefined_notes
from assay.uncertainty._ties.report import ORDERS, TieReport


def undefined_topic_notes(measures: tuple[Measure, ...], undefined: Bools, campaign: Campaign) -> list[str]:
    """Note the topics that lack what a measure needs (*undefined*, measures x topics)."""
    topics = [[campaign.topics[i] for i in np.flatnonzero(row)] for row in undefined]
    pairs = zip(measures, topics, strict=True)
    return [note for measure, names in pairs for note in undefined_notes(measure, names, campaign.policies)]


def contradiction_notes(report: TieReport) -> list[str]:
    """Note the runs whose ranks or lines contradict their scores, as far as a measure shows it."""
    sure = report.exact[ORDERS.index("min")]
    low, high = (report.values[ORDERS.index(end)][sure] for end in ("min", "max"))
    margin = 1e-9 * np.maximum(1.0, np.abs(high))
    notes = []
    for order, what in (("rank", "the rank column"), ("file", "the file")):
        value = report.values[ORDERS.index(order)][sure]
        outside = ((value < low - margin) | (value > high + margin)).any(axis=(0, 2))
        if outside.any():
            names = [report.runs[i] for i in np.flatnonzero(outside)]
            notes.append(
                f"{order}: {what} has another order than the scores in {count(len(names), 'run')}, {some(names)}"
            )
    return notes


def sampling_notes(report: TieReport, error: Floats) -> list[str]:
    """Note the values from sampled orders; *error* is the largest standard error of the mean of each measure."""
    policies = report.provenance.policies
    drawn = f"{policies.samples} sampled orders (seed {policies.seed})"
    pairs = list(enumerate(report.measures))
    means = [f"{measure} ({error[i]:.2g})" for i, measure in pairs if error[i] > 0]
    seen = [str(measure) for i, measure in pairs if not report.exact[ORDERS.index("min"), i]]
    notes = [f"expected ties from {drawn}, with the largest standard error: {', '.join(means)}"] if means else []
    if seen:
        notes.append(f"lowest and highest seen in {drawn}, the extremes may lie beyond: {', '.join(seen)}")
    return notes
