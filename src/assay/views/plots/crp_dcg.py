"""Relative position and cumulated gain of a ranking, one above the other over the same ranks.

Above, the curve of cumulated relative position with its bar, as in the figure ``crp``. Below, DCG of the ranking and of
the ideal one. The bar under it tells for each rank by how much the discounted gain of the document there differs from
that of the ideal ranking: a loss, a gain or no difference. At one rank the bars may differ: a document that is not
relevant and comes too early is a loss. The paper takes the gains -1, 1, 2, 3: ``--gain 'DCG(base=2, gains=negative)'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.measures import measure
from assay.views.plots._crp import (
    BAR,
    GAIN,
    SHARED,
    Channel,
    Heights,
    Ranks,
    bar,
    cells,
    ground,
    key,
    layer,
    line_colour,
    number,
    pointer,
    under,
    upright,
    word,
)
from assay.views.plots._figures import Data
from assay.views.plots._shown_curves import ShownCurves, choose_curves
from assay.views.plots._style import Style, altair, nothing
from assay.views.plots.crp import DOCUMENT, RUN, Panel, add_landmarks, heading

if TYPE_CHECKING:
    import altair as alt

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
    """Tabulate a row for each rank.

    Columns topic, run, rank, document, grade (null if unjudged), ideal (the grade that the ideal ranking has there),
    rp, crp, r (relevant documents), turn_around, balance_point (null if there is none), gain (the form of DCG), dcg,
    ideal_dcg, delta (the discounted gain of the document minus that of the ideal ranking at this rank; null behind the
    last document, unless a relevant one is due there).
    """
    shown = choose_curves(source, topic, run, depth=depth, length=length, gain=gain, most=1)
    frame = shown.curves[shown.run]
    nothing_there = pl.col("document").is_null() & (pl.col("ideal") <= 0)
    more = frame.select(
        gain=pl.lit(str(measure(gain))),
        dcg="dcg",
        ideal_dcg="ideal_dcg",
        delta=pl.when(~nothing_there).then("delta_gain"),
    )
    whole = add_landmarks(frame, shown.topic, RUN, shown.run).drop("curve", "intensity").hstack(more)
    return Data(whole[: shown.depth], shown.notes, shown.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Two panels over one axis of ranks."""
    alt = altair()
    if frame.is_empty():
        return nothing("no ranking", style)
    if not frame["r"][0]:
        return nothing("the topic has no relevant documents", style)
    above = Panel(frame.with_columns(curve=pl.lit(RUN), intensity=1.0), style, HEIGHT, labels=False)
    here, there = pointer("above"), pointer("below")
    gains = {"dcg": "DCG", "ideal_dcg": "ideal DCG", "delta": "difference of gains"}
    tooltip = [*DOCUMENT, *(number(name, title=title, format=".4f") for name, title in gains.items())]
    panels = above.chart(here, here | there, tooltip), _gains(frame, above, there, here | there, tooltip)
    title = heading(frame["run"][0], frame["topic"][0], above.width)
    return alt.vconcat(*panels, spacing=34, bounds="flush", title=title, data=above.shared)  # type: ignore[no-any-return]


def _gains(frame: pl.DataFrame, above: Panel, at: Any, seen: Any, tooltip: list[Channel]) -> alt.LayerChart:
    style, ranks = above.style, Ranks(len(frame), above.width)
    own, ideal = frame["dcg"].to_numpy(), frame["ideal_dcg"].to_numpy()
    heights = Heights.around(min(own.min(), ideal.min()), max(own.max(), ideal.max()), HEIGHT, 14, 14)
    bottom = HEIGHT + 6 + BAR
    x, title = ranks.axis(), frame["gain"][0]
    wide = max(1, round(34 / ranks.each))  # ranks under a label: it stands clear of the line over all of them
    ends = {"ideal": ("muted", -8, ideal[-wide:].max()), "run": ("label", 10, own[-wide:].min())}
    dashed = {"style": "reference", "strokeWidth": 1.5}
    solid = {"color": line_colour(style), "strokeWidth": 1.8}
    layers = [
        bar(cells(frame, "delta", style), HEIGHT + 6, ranks),
        ground(),
        *upright(frame["r"][0], ranks, bottom),
        layer(SHARED, "line", dashed, x=x, y=heights.axis("ideal_dcg", title)),
        layer(SHARED, "line", solid, x=x, y=heights.axis("dcg", title)),
        *(
            layer(
                ({"rank": len(frame), "height": float(height), "text": name},),
                "text",
                {"style": kind, "align": "right", "dy": dy},
                x=x,
                y=heights.axis("height", title),
                text=word("text"),
            )
            for name, (kind, dy, height) in ends.items()
        ),
        *key(GAIN, bottom, ranks, style),
        *under(at, seen, ranks, tooltip, bottom),
    ]
    return altair().layer(*layers, width=above.width, height=bottom)  # type: ignore[no-any-return]
