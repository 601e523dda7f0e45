"""One run: indicators by topic, best and worst topics, and unjudged documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import subtract
from assay.model.grade_codes import mask_ungraded
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState
from assay.views.topic_summary import summarize_topics

DEPTHS = (10, 100)
"""Depths down to which unjudged documents are counted."""


def system(state: ExplorerState, query: Query) -> dict[str, Any]:
    """One run, topic by topic, compared with the median of all runs."""
    run = query.run()
    measure = query.measure()
    most = query.integer("most", 5, 1, 100)
    query.reject_unknown_parameters()
    index = state.run_index[run]
    places = state.values(measure).places(measure)
    topics = compare_with_others(state, index, measure)
    report = state.effort.frame().filter(pl.col("run") == run).drop("run")
    rows = report.join(topics, on="topic", how="left", maintain_order="left")
    compared = rows.drop_nulls("gain").select("topic", "value", "median", "gain", "place")
    ordered = compared.sort("gain", "topic", descending=[True, False])
    return {
        "run": run,
        "measure": str(measure),
        "lower_is_better": measure.lower_is_better,
        "place": int(places[index]),
        "tied": int((places == places[index]).sum()) - 1,
        "runs": len(state.campaign.runs),
        "topics": rows,
        "best": ordered.filter(pl.col("gain") > 0).head(most),
        "worst": ordered.filter(pl.col("gain") < 0).reverse().head(most),
        "unjudged": count_unjudged(state, index, most),
    }


def compare_with_others(state: ExplorerState, run: int, measure: Measure) -> pl.DataFrame:
    """Tabulate a run by topic: topic, value, median, lowest, highest, gain, place.

    *median*, *lowest* and *highest* are over all runs. *gain* is the difference from the median; it is positive if the
    run is better than the median, also for measures where lower is better.
    """
    values = state.values(measure).values[0]
    sign = -1.0 if measure.lower_is_better else 1.0
    run_values = values[run]
    median, low, high = summarize_topics(values)
    place = np.where(np.isnan(run_values), np.nan, 1 + (sign * subtract(values, run_values) > 0).sum(axis=0))
    frame = pl.DataFrame(
        {
            "topic": pl.Series(state.campaign.topics, dtype=pl.String),
            "value": run_values,
            "median": median,
            "lowest": low,
            "highest": high,
            "gain": sign * subtract(run_values, median) + 0.0,  # Adding 0.0 turns -0.0 into 0.0.
            "place": place,
        }
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None)).with_columns(pl.col("place").cast(pl.Int64))


def count_unjudged(state: ExplorerState, run: int, most: int) -> list[dict[str, Any]]:
    """Count the unjudged documents of a run on each topic, and list the first *most* of them.

    Documents with a negative grade count as unjudged.
    """
    rankings = state.all_rankings
    rows = []
    for topic, name in enumerate(state.campaign.topics):
        start, stop = int(rankings.start[run, topic]), int(rankings.stop[run, topic])
        ranks = np.flatnonzero(mask_ungraded(rankings.code[start:stop], rankings.levels)) + 1
        first_ranks = ranks[:most]
        names = rankings.doc.gather(start + first_ranks - 1).cast(pl.String).to_list()
        rows.append(
            {
                "topic": name,
                "retrieved": stop - start,
                "unjudged": len(ranks),
                **{f"unjudged_{depth}": int((ranks <= depth).sum()) for depth in DEPTHS},
                "first": [{"rank": int(rank), "document": doc} for rank, doc in zip(first_ranks, names, strict=True)],
            }
        )
    return rows
