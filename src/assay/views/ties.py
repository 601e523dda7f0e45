"""The table of a tie report: for each run a row for each order of the tied documents."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.model.policies import TIES
from assay.uncertainty.ties import TieReport
from assay.views.tables import Table

# Columns of the wide table on documents, after the measures; the number of documents follows from the share.
_COUNTS = {"tied": pl.Int64, "share": pl.Float64, "groups": pl.Int64, "largest": pl.Int64, "mixed": pl.Int64}


def ties(report: TieReport, per_topic: bool = False) -> Table:
    """Tabulate a report: tidy ``run, measure, topic, ties, value, exact``, wide with a column for each measure."""
    provenance = report.provenance.as_dict()
    provenance["policies"]["ties"] = list(TIES)
    return Table(tidy=report.frame(per_topic), wide=_wide(report, per_topic), provenance=provenance, notes=report.notes)


def _wide(report: TieReport, per_topic: bool) -> pl.DataFrame:
    """Make a row for each order; counts are in the rows of the policies that compare 64-bit and 32-bit scores."""
    columns = {column.name: column for column in report.columns(per_topic)}
    shown = [str(measure) for measure in report.measures] + list(_COUNTS)
    topics = report.shown(per_topic)
    shape = (len(report.runs), len(topics), len(report.labels))
    run, topic, label = np.indices(shape).reshape(3, -1)
    heads = {"run": (report.runs, run), "topic": (topics, topic), "ties": (report.labels, label)}
    if not per_topic:
        del heads["topic"]
    frame = pl.DataFrame(
        [
            *(pl.Series(head, names, dtype=pl.String).gather(place) for head, (names, place) in heads.items()),
            *(pl.Series(name, columns[name].values.transpose(1, 2, 0).ravel()).fill_nan(None) for name in shown),
        ]
    )
    whole = [
        str(measure) for measure in report.measures if measure.aggregate == "sum" and _is_whole(frame[str(measure)])
    ]
    return frame.with_columns(
        pl.col(whole).cast(pl.Int64), *(pl.col(name).cast(kind) for name, kind in _COUNTS.items())
    )


def _is_whole(column: pl.Series) -> bool:
    return bool((column == column.round()).all())
