"""Design of the simulated runs of the figure balancing-simulation: the percentage of relevant documents by rank.

Each row is a run, divided into three parts. Down to the first rank on the axis (``--rank``), both runs have the same
percentage of relevant documents. Down to rank ``--top``, the first run has more relevant documents; below this rank,
the second run has more. The parts are not drawn to scale, and the percentages are those of each part. The figure
balancing-simulation moves the end of the first part from rank 0 to ``--top``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from assay.errors import InputError
from assay.model.provenance import Provenance
from assay.theory._trials import TOP, Design
from assay.views.plots._altair import alt
from assay.views.plots._figures import Data
from assay.views.plots._style import Style, empty_chart, rows, tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE = "Ferrante et al. (2015), Fig. 2"
RANK = 8
"""Default end of the first part: the balancing index of RBP with p = 0.8."""
_ROW_HEIGHT = 44


def data(
    *,
    rank: int = RANK,
    n: int = 1000,
    same: float = 20,
    first: Sequence[float] = (70, 10),
    second: Sequence[float] = (30, 70),
    top: int = TOP,
) -> Data:
    """Tabulate the parts of both runs: run, part, begin, end, percent.

    A part consists of the ranks from *begin* to *end*; parts without ranks are omitted. For the arguments see
    ``assay.theory.trials``; *rank* is the last rank of the first part.
    """
    design = Design(1, 2, n, 0.05, 0, same, list(first), list(second), top, "random-rounding")
    if not 0 <= rank <= top:
        raise InputError(f"rank must be from 0 to top={top}, got {rank}")
    table = [
        (name, number, part.begin + 1, part.end, float(part.percent))
        for name, percentages in (("first run", design.first), ("second run", design.second))
        for number, part in enumerate(design.parts(rank, percentages), 1)
        if part.end > part.begin
    ]
    numbers = {"part": pl.Int64, "begin": pl.Int64, "end": pl.Int64, "percent": pl.Float64}
    settings = {"rank": rank, "n": n, "same": same, "first": design.first, "second": design.second, "top": top}
    frame = pl.DataFrame(table, schema={"run": pl.String, **numbers}, orient="row")
    return Data(frame, provenance=Provenance().with_settings(**settings))


def draw(frame: pl.DataFrame, style: Style = Style()) -> alt.TopLevelMixin:
    """Draw a row of boxes for each run, with the last rank of each part on the axis."""
    if frame.is_empty():
        return empty_chart("no ranks", style)
    # Each part has the same width, because the third part is far longer than the others.
    ends = frame["end"].unique().sort().to_list()
    right = pl.col("end").replace_strict(ends, list(range(1, len(ends) + 1)), return_dtype=pl.Int64)
    table = frame.with_columns(left=right - 1, right=right, middle=right - 0.5)
    labels = ["0", *map(str, ends)]
    axis = alt.Axis(
        values=list(range(len(labels))), labelExpr=f"{labels}[datum.value]", title="rank (not to scale)", grid=False
    )
    scale = alt.Scale(domain=(0, len(ends)), nice=False)
    height = _ROW_HEIGHT * frame["run"].n_unique()
    base = alt.Chart(rows(table), width=style.total_width() - 100, height=height)
    fields = tooltip("run:N", "begin:Q", "end:Q", alt.Tooltip("percent:Q", title="relevant (%)"))
    row = alt.Y("run:N", title=None, sort=None, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1))
    shade = alt.FillOpacity("percent:Q", scale=alt.Scale(domain=(0, 100), range=(0.06, 0.65)), legend=None)
    boxes = base.mark_rect(color=style.colours.late)
    words = base.transform_calculate(label="format(datum.percent, '~g') + ' %'").mark_text(fontSize=11)
    return alt.layer(
        boxes.encode(alt.X("left:Q", axis=axis, scale=scale), alt.X2("right:Q"), row, shade, fields),
        words.encode(alt.X("middle:Q"), row, alt.Text("label:N")),
    )
