"""One system: its indicators over topics, where it is best and worst, and what nobody has judged of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import Floats, subtract
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.parameters import Query

DEPTHS = (10, 100)
"""The ranks within which unjudged documents are counted."""


def system(of: Campaign, query: Query) -> dict[str, Any]:
    """A run, topic by topic, against the median of all runs."""
    run = query.run()
    measure = query.measure(DEFAULT_MEASURES[0])
    most = query.whole("most", 5, 1, 100)
    query.end()
    number = of.run_number[run]
    places = of.values(measure).places(measure)
    topics = against_others(of, number, measure)
    report = of.effort.frame(indicators=True).filter(pl.col("run") == run).drop("run")
    found = report.join(topics, on="topic", how="left", maintain_order="left")
    counted = found.filter(pl.col("gain").is_not_null()).sort("gain", "topic", descending=[True, False])
    return {
        "run": run,
        "measure": str(measure),
        "lower_is_better": measure.lower_is_better,
        "place": int(places[number]),
        "tied": int((places == places[number]).sum()) - 1,
        "runs": len(of.runs),
        "topics": found,
        "best": _names(counted.filter(pl.col("gain") > 0).head(most)),
        "worst": _names(counted.filter(pl.col("gain") < 0).reverse().head(most)),
        "unjudged": unjudged(of, number, most),
    }


def _names(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("topic", "value", "median", "gain", "place")


def against_others(of: Campaign, run: int, measure: Measure) -> pl.DataFrame:
    """For each topic: value, the median, lowest and highest of all runs, gain over the median, place among the runs.

    A *gain* is positive where the run is better than the median, also by a measure of cost.
    """
    values = of.values(measure).values[0]
    sign = -1.0 if measure.lower_is_better else 1.0
    own = values[run]
    middle, low, high = (_over_runs(how, values) for how in (np.nanmedian, np.nanmin, np.nanmax))
    place = np.where(np.isnan(own), np.nan, 1 + (sign * subtract(values, own) > 0).sum(axis=0))
    columns: dict[str, Floats] = {
        "value": own,
        "median": middle,
        "lowest": low,
        "highest": high,
        "gain": sign * subtract(own, middle) + 0.0,
        "place": place,
    }
    frame = pl.DataFrame({"topic": pl.Series(of.topics, dtype=pl.String), **columns})
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None)).with_columns(pl.col("place").cast(pl.Int64))


def _over_runs(how: Callable[..., Any], values: Floats) -> Floats:
    """For each topic; NaN for one for which no run has a value."""
    known = ~np.isnan(values).all(axis=0)
    found = np.full(values.shape[1], np.nan)
    found[known] = how(values[:, known], axis=0)
    return found


def unjudged(of: Campaign, run: int, most: int) -> list[dict[str, Any]]:
    """For each topic, how many documents nobody has judged (or with a negative grade), and the first of them."""
    rankings = of.whole
    settled = np.concatenate([[False], rankings.levels >= 0])
    found = []
    for topic, name in enumerate(of.topics):
        start, stop = int(rankings.start[run, topic]), int(rankings.stop[run, topic])
        rank = np.flatnonzero(~settled[rankings.code[start:stop]]) + 1
        first = rank[:most]
        names = rankings.doc.gather(start + first - 1).cast(pl.String).to_list()
        found.append(
            {
                "topic": name,
                "retrieved": stop - start,
                "unjudged": len(rank),
                **{f"unjudged_{depth}": int((rank <= depth).sum()) for depth in DEPTHS},
                "first": [{"rank": int(at), "document": document} for at, document in zip(first, names, strict=True)],
            }
        )
    return found
