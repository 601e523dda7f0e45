"""The table of an evaluation: runs and measures, perhaps topic by topic."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.results.table import Results
from assay.views.tables import Table

ALL = "all"


def evaluation(results: Results, per_topic: bool = False) -> Table:
    """Results as a table: tidy ``run, measure, topic, value``, wide with a column for each measure.

    The topic ``all`` stands for the value over topics.
    """
    names = [str(measure) for measure in results.measures]
    pairs = zip(names, results.measures, strict=True)
    best = tuple(name for name, measure in pairs if measure.aggregate != "sum" and not measure.lower_is_better)
    return Table(
        tidy=_tidy(results, names, per_topic),
        wide=_wide(results, names, per_topic),
        best=() if per_topic else best,
        provenance=results.provenance.as_dict(),
        notes=results.notes,
    )


def _tidy(results: Results, names: list[str], per_topic: bool) -> pl.DataFrame:
    overall = results.overall()
    shape = (len(results.runs), len(names))
    run, measure = np.indices(shape).reshape(2, -1)
    columns = {"run": results.runs, "measure": names}
    frame = pl.DataFrame(
        {
            **{
                c: pl.Series(v, dtype=pl.String).gather(i)
                for (c, v), i in zip(columns.items(), (run, measure), strict=True)
            },
            "topic": pl.Series([ALL] * overall.size, dtype=pl.String),
            "value": overall.ravel(),
        }
    ).with_columns(pl.col("value").fill_nan(None))
    if not per_topic:
        return frame
    topics = results.frame().select("run", "measure", "topic", "value")
    place = pl.concat([topics.with_columns(last=pl.lit(0)), frame.with_columns(last=pl.lit(1))])
    order = {name: i for i, name in enumerate(results.runs)}
    by_measure = {name: i for i, name in enumerate(names)}
    return place.sort(
        pl.col("run").replace_strict(order), pl.col("measure").replace_strict(by_measure), "last", maintain_order=True
    ).drop("last")


def _wide(results: Results, names: list[str], per_topic: bool) -> pl.DataFrame:
    overall = pl.DataFrame(results.overall(), schema=dict.fromkeys(names, pl.Float64), orient="row")
    overall = overall.insert_column(0, pl.Series("run", results.runs, dtype=pl.String))
    if not per_topic:
        return _whole_counts(overall, results)
    frames = []
    for j, run in enumerate(results.runs):
        values = pl.DataFrame(results.values[:, j].T.copy(), schema=dict.fromkeys(names, pl.Float64), orient="row")
        heads = [
            pl.Series("run", [run] * len(values), dtype=pl.String),
            pl.Series("topic", results.topics, dtype=pl.String),
        ]
        frames.append(pl.DataFrame([*heads, *values.get_columns()]))
        frames.append(overall[[j]].insert_column(1, pl.Series("topic", [ALL])))
    return _whole_counts(pl.concat(frames), results)


def _whole_counts(frame: pl.DataFrame, results: Results) -> pl.DataFrame:
    """Numbers of documents and topics without digits behind the point."""
    counts = [str(m) for m in results.measures if m.aggregate == "sum"]
    return frame.with_columns(pl.col(counts).fill_nan(None).cast(pl.Int64)) if counts else frame
