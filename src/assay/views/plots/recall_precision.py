"""Recall-precision curves of runs: means over topics, or one topic.

The x axis is recall, and the y axis is precision. By default a curve has eleven points, at recall 0, 0.1, …, 1. Their
height is the interpolated precision: the highest precision at any rank where recall is at least x, or 0 if recall x is
not reached. With ``--interpolation none``, a curve has a point for each rank k: recall and precision of the first k
documents. It starts at rank 1 and ends at the last rank, so its right end is the recall of the complete ranking. Both
coordinates of a point are means over topics. The default runs are the best four by mean average precision (AP).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.measures.average_precision import AP
from assay.measures.precision import IPrec, P
from assay.measures.sets import R
from assay.results._evaluate import evaluate
from assay.views.plots._altair import alt
from assay.views.plots._band_axes import BOLD_CHARACTER_WIDTH, max_characters, wrap_text
from assay.views.plots._figures import Data
from assay.views.plots._selection import check_choice, find_run, find_topic
from assay.views.plots._series import names_above, series_colours
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = None
HAS_HEIGHT = True
INTERPOLATIONS = ("11-point", "none")
CHOICES = {"interpolation": INTERPOLATIONS}
LEVELS = tuple(step / 10 for step in range(11))
DEFAULT_RUNS, MAX_RUNS = 4, 8
_ALL_RANKS, _MAX_RANKS = 100, 200  # a curve has every rank to 100, and at most about 200 ranks in total
_SCHEMA = {
    "run": pl.String,
    "topic": pl.String,
    "interpolation": pl.String,
    "rank": pl.Int64,
    "recall": pl.Float64,
    "precision": pl.Float64,
}


def data(
    source: Campaign,
    *,
    only: str | Sequence[str] | None = None,
    topic: str | None = None,
    interpolation: str = "11-point",
    rel: float = 1,
) -> Data:
    """Tabulate the points of each run: run, topic (null: mean over topics), interpolation, rank, recall, precision.

    *rank* is null for interpolated precision. Without interpolation, there is a row for every rank to 100 and for
    selected ranks below, about evenly spaced on a logarithmic scale.
    """
    check_choice("interpolation", interpolation, INTERPOLATIONS)
    if topic is not None:
        find_topic(topic, source.topics, source.provenance)
    campaign = source.select(choose_runs(source, only, rel), topic)
    interpolated = interpolation == INTERPOLATIONS[0]
    ranks = [None] * len(LEVELS) if interpolated else select_ranks(int(campaign.judged.length.max(initial=1)))
    measures: list[Measure] = (
        [IPrec(recall=level, rel=rel) for level in LEVELS]
        if interpolated
        else [kind(cutoff=rank, rel=rel) for kind in (R, P) for rank in ranks]
    )
    results = evaluate(campaign, measures)
    frames = [pl.DataFrame(schema=_SCHEMA)]
    for run, values in zip(results.runs, results.overall(), strict=True):
        recall, precision = (np.array(LEVELS), values) if interpolated else np.split(values, 2)
        point = {"run": run, "topic": topic, "interpolation": interpolation, "rank": ranks}
        frames.append(pl.DataFrame({**point, "recall": recall, "precision": precision}, schema=_SCHEMA))
    has_value = pl.col("recall").is_not_nan() & pl.col("precision").is_not_nan()
    return Data(pl.concat(frames).filter(has_value), results.notes, results.provenance)


def choose_runs(campaign: Campaign, only: str | Sequence[str] | None, rel: float) -> list[str]:
    """Return the names of the runs, by default the best by AP."""
    if only is None:
        by = AP(rel=rel)
        return evaluate(campaign, by).best(by)[:DEFAULT_RUNS]
    names = [only] if isinstance(only, str) else list(only)
    if not 0 < len(names) <= MAX_RUNS:
        raise InputError(f"only: this figure shows 1 to {MAX_RUNS} runs, got {len(names)}")
    return list(dict.fromkeys(find_run(name, campaign.runs, campaign.provenance) for name in names))


def select_ranks(length: int) -> list[int]:
    """Return every rank to 100, then ranks that are about evenly spaced on a logarithmic scale, and the last rank."""
    below = np.geomspace(_ALL_RANKS, max(length, _ALL_RANKS), _MAX_RANKS - _ALL_RANKS + 1).round().astype(int)
    return [*range(1, min(length, _ALL_RANKS) + 1), *(rank for rank in np.unique(below).tolist() if rank > _ALL_RANKS)]


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a line for each run, with points if precision is interpolated."""
    if frame.is_empty():
        return empty_chart("no run has a value", style)
    names = frame["run"].unique(maintain_order=True).to_list()
    width = style.total_width() - 60
    height = style.plot_height(min(width, 380))
    interpolated = frame["interpolation"][0] == INTERPOLATIONS[0]
    scale, axis = alt.Scale(domain=(0, 1), nice=False), alt.Axis(tickCount=5, labelFlush=False)
    x = alt.X("recall:Q", title="recall", scale=scale, axis=axis)
    title = "interpolated precision" if interpolated else "precision"
    y = alt.Y("precision:Q", title=title, scale=scale, axis=axis)
    colour = series_colours("run", names, style)
    base = alt.Chart(rows(frame), width=width, height=height).encode(x, y, colour)
    rank = [] if interpolated else [alt.Tooltip("rank:Q")]
    # The points of an uninterpolated curve are close together: they are invisible and only show the tooltip.
    visible = {"size": 30, "opacity": 1} if interpolated else {"size": 60, "opacity": 0.001}
    order = alt.Order("recall:Q") if interpolated else alt.Order("rank:Q")
    layers = [
        base.mark_line(strokeWidth=1.8).encode(order),
        base.mark_circle(**visible).encode(tooltip("run:N", *rank, *decimals("recall", "precision"))),
        *names_above(names, width, style.colours.series),
    ]
    topic = frame["topic"][0]
    heading = "mean over topics" if topic is None else f"topic {topic}"
    lines = wrap_text(heading, max_characters(width, BOLD_CHARACTER_WIDTH))
    return alt.layer(*layers, title=alt.Title(lines))
