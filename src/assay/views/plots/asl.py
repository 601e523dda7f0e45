"""Discriminative power of measures: achieved significance levels (ASL) of all pairs of runs, largest first.

Each pair of runs is compared by a test that resamples topics. The p-value of this test is called the achieved
significance level (ASL). The x axis lists the pairs by decreasing ASL, and the y axis is the ASL. The earlier a curve
falls, the more pairs the measure separates. The table lists two numbers for each measure. The discriminative power DP
is the fraction of pairs with an ASL below the significance level. Delta is an estimate of the difference in means that
suffices for significance. By default only the best 75 % of the runs by MAP are compared, as in the Twist study.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay import meta
from assay.meta._power import ALPHA, RESAMPLES, TESTS, Power
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._measures import MEASURES, dashes
from assay.views.plots._series import series_colours
from assay.views.plots._simplification import simplify
from assay.views.plots._style import Style, decimals, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

SOURCE = "Ferro et al. (2016), Fig. 14"
HAS_HEIGHT = True
CHOICES = {"test": TESTS}
_AXIS, _ROW, _TABLE = 58, 15, 250


def data(
    source: Campaign | Results | Power,
    *,
    measures: Iterable[str] = MEASURES,
    test: str = "bootstrap",
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    share: float = 0.75,
    seed: int = 0,
) -> Data:
    """Tabulate each measure and pair: measure, place, run, other, difference, asl, delta, dp, needed, alpha.

    *place* numbers the pairs by decreasing ASL, *difference* is the difference of the two means, and *delta* is the
    difference that the pair needs for significance. *dp* is the discriminative power of the measure, and *needed* is
    the estimated difference in means that suffices for significance. *alpha* is the significance level.
    """
    if isinstance(source, Power):
        report = source
    else:
        report = meta.power(source, measures, test=test, resamples=resamples, alpha=alpha, best=share, seed=seed)
    powers = report.frame().select("measure", "dp", needed="delta")
    curves = report.curves().join(powers, on="measure", how="left", maintain_order="left")
    return Data(curves.with_columns(alpha=pl.lit(report.alpha)), report.notes, report.provenance)


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a curve for each measure, and a table of the measures, highest power first."""
    known = frame.filter(pl.col("asl").is_not_null())
    if known.is_empty():
        return empty_chart("no pair of runs has a significance level", style)
    names = frame["measure"].unique(maintain_order=True).to_list()
    total_width = style.total_width()
    side_by_side = total_width >= 640
    width = total_width - _AXIS - ((_TABLE + 24) if side_by_side else 0)
    colour, dash = series_colours("measure", names, style), dashes("measure", names)
    pairs = max(frame["place"].to_list())
    x_scale = alt.Scale(domain=[1, pairs] if pairs > 1 else [0.5, 1.5], nice=False)
    ticks = alt.Axis(tickCount=5) if pairs > 5 else alt.Axis(values=list(range(1, pairs + 1)), format="d")
    x = alt.X("place:Q", title="pairs of runs, sorted by ASL", scale=x_scale, axis=ticks)
    y_scale, title = alt.Scale(domain=[0, 1]), "achieved significance level (ASL)"
    y = alt.Y("asl:Q", title=title, scale=y_scale, axis=alt.Axis(tickCount=5))
    fields = tooltip("measure:N", alt.Tooltip("place:Q", title="pair"), *decimals(asl="ASL"))
    base = alt.Chart(rows(_simplify(known)), width=width, height=style.plot_height(min(round(0.72 * width), 420)))
    base = base.encode(x, y, colour, fields)
    alpha = alt.Chart(rows(frame.select("alpha").head(1))).encode(alt.Y("alpha:Q"))
    alpha_label = alpha.mark_text(style="muted", align="right", baseline="bottom", dx=-2, dy=-2)
    curves = alt.layer(
        alpha.mark_rule(style="reference"),
        base.mark_line(strokeWidth=1.8).encode(dash) if pairs > 1 else base.mark_circle(size=50, opacity=1),
        alpha_label.encode(alt.Text("alpha:Q", format=".3~f"), x=alt.value("width")),
    )
    table = _table(frame, _TABLE if side_by_side else width, colour, dash)
    return alt.hconcat(curves, table, spacing=24) if side_by_side else alt.vconcat(curves, table, spacing=10)


def _simplify(known: pl.DataFrame) -> pl.DataFrame:
    """Drop points that the shape of a curve does not need, because there may be thousands of pairs."""
    curves = known.select("measure", "place", "asl").partition_by("measure", maintain_order=True)
    return pl.concat(simplify(curve, "asl", most=250, tolerance=0.001, span=1.0) for curve in curves)


def _table(frame: pl.DataFrame, width: int, colour: Any, dash: Any) -> Any:
    """Draw a table with a row for each measure: name, discriminative power and Delta."""
    powers = frame.unique("measure", keep="first", maintain_order=True).sort("dp", descending=True, maintain_order=True)
    texts = powers.select(
        "measure",
        "dp",
        "needed",
        line=np.arange(1, len(powers) + 1),
        short=pl.col("measure").replace_strict(shorten_names(powers["measure"], max((width - 150) // 6, 10))),
        power=pl.Series([f"{100 * dp:.1f} %" for dp in powers["dp"]], dtype=pl.String),
        takes=pl.Series(["-" if d is None else f"{d:.3f}" for d in powers["needed"]], dtype=pl.String),
    )
    headings = pl.DataFrame({"line": [0, 0], "x": [width - 70, width - 5], "text": ["DP", "Delta"]})
    y_scale = alt.Scale(domain=[-0.5, len(powers) + 0.5], reverse=True, nice=False)
    y = alt.Y("line:Q", scale=y_scale, axis=None)
    base = alt.Chart(rows(texts), width=width, height=_ROW * (len(powers) + 1))
    base = base.encode(y, tooltip("measure:N", *decimals(dp="DP", needed="Delta")))
    text = base.mark_text(style="label", align="right")
    heading = alt.Chart(rows(headings)).mark_text(style="muted", align="right")
    heading_x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    return alt.layer(
        base.mark_rule(strokeWidth=3).encode(colour, dash, x=alt.value(0), x2=alt.value(13)),
        base.mark_text(style="label", align="left").encode(alt.Text("short:N"), x=alt.value(18)),
        text.encode(alt.Text("power:N"), x=alt.value(width - 70)),
        text.encode(alt.Text("takes:N"), x=alt.value(width - 5)),
        heading.encode(heading_x, y, alt.Text("text:N")),
    )
