"""The curves that a figure shows: of the runs and the topic that a user names, or else of the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.effort._curve import whole_curve
from assay.errors import InputError
from assay.measures._threshold import refuse_nothing_relevant
from assay.model.provenance import Provenance
from assay.views.plots._choice import run_named, topic_named

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.model.arrays import Ints

MOST = 8
"""Number of curves that can be told apart."""


@dataclass(frozen=True, eq=False)
class ShownCurves:
    """Whole curves of some runs on one topic, all of one length; the first *depth* ranks are shown."""

    topic: str
    curves: dict[str, pl.DataFrame]
    depth: int | None = None
    notes: tuple[str, ...] = ()
    provenance: Provenance = Provenance()

    @property
    def run(self) -> str:
        """The first run, for figures that show one."""
        return next(iter(self.curves))


def choose_curves(
    source: Campaign | ShownCurves,
    topic: str | None = None,
    run: str | Sequence[str] | None = None,
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    most: int = MOST,
) -> ShownCurves:
    """Return the curves of the named runs, *most* at most; by default of the first run.

    The topic is by default the first one with relevant documents that the first of the runs has. Curves have *depth*
    ranks; by default as many as the longest ranking of these runs, for any topic. Curves at hand are returned as they
    are.
    """
    if isinstance(source, ShownCurves):
        return source
    refuse_nothing_relevant(1, source.judgments.levels)
    runs, notes = _choose_runs(source, run, most)
    lengths = source.judged.length.reshape(source.shape)[[source.runs.index(name) for name in runs]]
    if topic is None:
        topic = _first_topic(source, lengths[0])
    else:
        topic_named(topic, source.topics, source.provenance)
    ranks = int(lengths.max(initial=1)) if depth is None else depth
    curves = {name: whole_curve(source, topic, name, depth=ranks, length=length, gain=gain) for name in runs}
    return ShownCurves(topic, curves, depth, (*source.notes, *notes), source.provenance)


def _choose_runs(
    campaign: Campaign, run: str | Sequence[str] | None, most: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the runs, and a note if the figure has chosen the run."""
    if run is None:
        first = campaign.runs[0]
        said = f"{first} is shown, the first of {len(campaign.runs)} runs; --run names others"
        return (first,), (said,) if len(campaign.runs) > 1 else ()
    names = [run] if isinstance(run, str) else list(run)
    if not 0 < len(names) <= most:
        many = "one run" if most == 1 else f"1 to {most} runs"
        raise InputError(f"run: this figure shows {many}, got {len(names)}")
    return tuple(dict.fromkeys(run_named(name, campaign.runs, campaign.provenance) for name in names)), ()


def _first_topic(campaign: Campaign, length: Ints) -> str:
    """Return the first topic with relevant documents for which a run has documents; else one of the two, or any."""
    qrels = campaign.judgments
    relevant = qrels.counts[:, qrels.levels >= 1].sum(axis=1) > 0
    # Of equal values ``argmax`` returns the first.
    return campaign.topics[int(np.argmax(relevant * 2 + (relevant & (length > 0))))]
