"""Cumulated relative position (CRP) and DCG of a ranking by rank, in two panels.

The upper panel shows the CRP curve with its bar, as in the figure ``crp``. The lower panel shows the DCG of the ranking
and of the ideal ranking. The bar below it compares the discounted gain at each rank with the ideal ranking: gain if it
is higher, loss if it is lower. The two bars may disagree at a rank: for example, where the ideal ranking has a relevant
document, a non-relevant document is "too early" in the upper bar and a loss in the lower bar. The paper uses the gains
-1, 1, 2, 3: ``--gain 'DCG(base=2, gains=negative)'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.measures import measure
from assay.views.plots._altair import alt
from assay.views.plots._crp_layers import (
    BAR_HEIGHT,
    GAIN_LABELS,
    SHARED,
    Channel,
    RankAxis,
    ValueAxis,
    bar_layer,
    bar_legend,
    hover_layers,
    layer,
    line_colour,
    merge_cells,
    quantitative,
    rank_rule,
    rank_selection,
    text_layer,
    zero_rule,
)
from assay.views.plots._figures import Data
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, empty_chart
from assay.views.plots.crp import DOCUMENT, RUN, CrpPanel, add_landmarks, heading

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Angelini et al. (2012), Fig. 2"
KEEP = "documents"
HEIGHT = 150


def data(
    source: Campaign | ShownCurves,
    *,
    topic: str | None = None,
    run: str | None = None,
    gain: str = "DCG",
    depth: int | None = None,
    length: str = "extend",
) -> Data:
    """Tabulate one row per rank.

    The columns are topic, run, rank, document, grade (null if unjudged), ideal (the grade in the ideal ranking at this
    rank), rp, crp, r (the number of relevant documents), turn_around, balance_point (null if there is none), gain (the
    variant of DCG), dcg, ideal_dcg and delta. *delta* is the discounted gain of the document minus the discounted gain
    of the ideal ranking at this rank. It is null after the last document, unless the ideal ranking has a relevant
    document at this rank.
    """
    selected = choose_curves(source, topic, run, depth=depth, length=length, gain=gain, most=1)
    frame = selected.curves[selected.run]
    both_empty = pl.col("document").is_null() & (pl.col("ideal") <= 0)
    gains = frame.select(
        gain=pl.lit(str(measure(gain))),
        dcg="dcg",
        ideal_dcg="ideal_dcg",
        delta=pl.when(~both_empty).then("delta_gain"),
    )
    frame = add_landmarks(frame, selected.topic, RUN, selected.run).drop("curve", "intensity").hstack(gains)
    return Data(frame[: selected.depth], selected.notes, selected.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw two panels with the same axis of ranks."""
    if frame.is_empty():
        return empty_chart("no ranking", style)
    if not frame["r"][0]:
        return empty_chart("the topic has no relevant documents", style)
    crp_panel = CrpPanel(frame.with_columns(curve=pl.lit(RUN), intensity=1.0), style, HEIGHT, labels=False)
    upper_selection, lower_selection = rank_selection("above"), rank_selection("below")
    gains = {"dcg": "DCG", "ideal_dcg": "ideal DCG", "delta": "difference in discounted gain"}
    tooltip = [*DOCUMENT, *(quantitative(name, title=title, format=".4f") for name, title in gains.items())]
    highlighted = upper_selection | lower_selection
    panels = (
        crp_panel.chart(upper_selection, highlighted, tooltip),
        _gains(frame, crp_panel, lower_selection, highlighted, tooltip),
    )
    title = heading(frame["run"][0], frame["topic"][0], crp_panel.width)
    return alt.vconcat(*panels, spacing=34, bounds="flush", title=title, data=crp_panel.shared)


def _gains(frame: pl.DataFrame, crp_panel: CrpPanel, selection: Any, highlighted: Any, tooltip: list[Channel]) -> Any:
    style, ranks = crp_panel.style, RankAxis(len(frame), crp_panel.width)
    own, ideal = frame["dcg"].to_numpy(), frame["ideal_dcg"].to_numpy()
    values = ValueAxis.spanning(min(own.min(), ideal.min()), max(own.max(), ideal.max()), HEIGHT, 14, 14)
    bottom = HEIGHT + 6 + BAR_HEIGHT
    x, title = ranks.axis(), frame["gain"][0]
    # A label spans several ranks; it must not touch the line at any of these ranks.
    label_ranks = max(1, round(34 / ranks.rank_width))
    highest_ideal, lowest_own = float(ideal[-label_ranks:].max()), float(own[-label_ranks:].min())
    labels = [
        ("muted", -8, {"rank": len(frame), "height": highest_ideal, "text": "ideal"}),
        ("label", 10, {"rank": len(frame), "height": lowest_own, "text": "run"}),
    ]
    dashed = {"style": "reference", "strokeWidth": 1.5}
    solid = {"color": line_colour(style), "strokeWidth": 1.8}
    layers = [
        bar_layer(merge_cells(frame, "delta", style), HEIGHT + 6, ranks),
        zero_rule(),
        *rank_rule(frame["r"][0], ranks, bottom),
        layer(SHARED, "line", dashed, x=x, y=values.axis("ideal_dcg", title)),
        layer(SHARED, "line", solid, x=x, y=values.axis("dcg", title)),
        *(
            text_layer((label,), x, values.axis("height", title), kind, align="right", dy=dy)
            for kind, dy, label in labels
        ),
        *bar_legend(GAIN_LABELS, bottom, ranks, style),
        *hover_layers(selection, highlighted, ranks, tooltip, bottom),
    ]
    return alt.layer(*layers, width=crp_panel.width, height=bottom)
