"""Select the curves that a figure shows, by run and topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.effort._curve import compute_curve
from assay.errors import InputError
from assay.measures._threshold import check_rel
from assay.model.provenance import Provenance
from assay.views.plots._selection import find_run, find_topic

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.model.arrays import Ints

MAX_CURVES = 8
"""Maximum number of curves that readers can distinguish."""


@dataclass(frozen=True, eq=False)
class ShownCurves:
    """Complete curves of some runs on one topic, all of the same length; the first *depth* ranks are shown."""

    topic: str
    curves: dict[str, pl.DataFrame]
    depth: int | None = None
    notes: tuple[str, ...] = ()
    provenance: Provenance = Provenance()

    @property
    def run(self) -> str:
        """Name of the first run, for figures that show one run."""
        return next(iter(self.curves))


def choose_curves(
    source: Campaign | ShownCurves,
    topic: str | None = None,
    run: str | Sequence[str] | None = None,
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    most: int = MAX_CURVES,
) -> ShownCurves:
    """Return the curves of the named runs, at most *most*; by default the curve of the first run.

    The default topic is the first one that has relevant documents and for which the first of these runs retrieves
    documents. Curves have *depth* ranks; the default is the length of the longest ranking of these runs on any topic.
    If *source* already contains curves, it is returned unchanged.
    """
    if isinstance(source, ShownCurves):
        return source
    check_rel(1, source.judgments.levels)
    runs, notes = _choose_runs(source, run, most)
    lengths = source.judged.length.reshape(source.shape)[[source.runs.index(name) for name in runs]]
    if topic is None:
        topic = _first_topic(source, lengths[0])
    else:
        find_topic(topic, source.topics, source.provenance)
    ranks = int(lengths.max(initial=1)) if depth is None else depth
    curves = {name: compute_curve(source, topic, name, depth=ranks, length=length, gain=gain) for name in runs}
    return ShownCurves(topic, curves, depth, (*source.notes, *notes), source.provenance)


def _choose_runs(
    campaign: Campaign, run: str | Sequence[str] | None, most: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the runs, and a note if the default run was chosen among several."""
    if run is None:
        first = campaign.runs[0]
        note = f"only the first of {len(campaign.runs)} runs, {first}, is shown; choose others with --run"
        return (first,), (note,) if len(campaign.runs) > 1 else ()
    names = [run] if isinstance(run, str) else list(run)
    if not 0 < len(names) <= most:
        limit = "one run" if most == 1 else f"1 to {most} runs"
        raise InputError(f"run: this figure shows {limit}, got {len(names)}")
    return tuple(dict.fromkeys(find_run(name, campaign.runs, campaign.provenance) for name in names)), ()


def _first_topic(campaign: Campaign, length: Ints) -> str:
    """Return the first topic with relevant documents for which the run retrieves documents.

    If there is none, return the first topic with relevant documents, or else the first topic.
    """
    qrels = campaign.judgments
    relevant = qrels.counts[:, qrels.levels >= 1].sum(axis=1) > 0
    # ``argmax`` returns the first of equal values.
    return campaign.topics[int(np.argmax(relevant * 2 + (relevant & (length > 0))))]
