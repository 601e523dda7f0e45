"""One topic: all runs on it, and the documents that they put in wrong places."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort.indicators import MAIN, MORE
from assay.model.arrays import Floats, Ints, competition_ranks
from assay.model.rankings import Lists
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.parameters import Query

MOST_DOCUMENTS = 1_000


def topic(of: Campaign, query: Query) -> dict[str, Any]:
    """The runs on a topic, best first, and the documents that are misplaced most."""
    name = query.topic()
    measure = query.measure(DEFAULT_MEASURES[0])
    most = query.whole("most", 50, 1, MOST_DOCUMENTS)
    query.end()
    number = of.topic_number[name]
    found, lists = misplaced(of, number), of.rankings.lists(number)
    return {
        "topic": name,
        "measure": str(measure),
        "lower_is_better": measure.lower_is_better,
        "relevant": int(of.relevant[number]),
        "judged": int(of.qrels.counts[number].sum()),
        "grades": [
            {"grade": float(level), "judgments": int(many)}
            for level, many in zip(of.qrels.levels, of.qrels.counts[number], strict=True)
        ],
        "ranks": int(of.effort.length[number]),
        "documents": int(lists.rank.shape[1]),
        "unjudged": int((lists.code == 0).sum()),
        "runs": _runs(of, number, of.values(measure).values[0, :, number], measure.lower_is_better),
        "misplaced": found.head(most),
        "misplaced_in_all": len(found),
    }


def _runs(of: Campaign, topic: int, values: Floats, lower: bool) -> list[dict[str, Any]]:
    """A row for each run: its value and indicators, best first; runs without a value last."""
    ranks = competition_ranks(values, lower)
    report = of.effort.frame(indicators=True).filter(pl.col("topic") == of.topics[topic]).drop("topic", "r", "n")
    found = report.with_columns(
        value=pl.Series(values).fill_nan(None),
        retrieved=pl.Series(of.rankings.length[:, topic]),
        relevant_retrieved=pl.Series(of.curves.found().reshape(of.ready.shape)[:, topic]),
    )
    order = np.argsort(ranks, kind="stable")
    place = ranks[order].tolist()
    columns = ("run", "value", "archetype", "retrieved", "relevant_retrieved", *MAIN, *MORE, "still_growing")
    return [
        {"place": at, **row} for at, row in zip(place, found.select(columns)[order].iter_rows(named=True), strict=True)
    ]


def misplaced(of: Campaign, topic: int) -> pl.DataFrame:
    """The documents of a topic that any run has out of place, by how far they are in all runs together.

    Columns: document, grade (null if unjudged), misplaced_by, early_by, late_by, retrieved_by (runs), mean_rp and
    mean_abs_rp (over the runs that have the document), best_rank, worst_rank, total (of the absolute positions).
    """
    lists = of.rankings.lists(topic)
    there = lists.rank > 0
    position = _positions(of, topic, lists)
    total = np.abs(position).sum(axis=0)
    many = there.sum(axis=0)
    grade = np.concatenate([[np.nan], lists.levels])[lists.code]
    frame = pl.DataFrame(
        {
            "document": of.rankings.doc.gather(lists.place).cast(pl.String),
            "grade": pl.Series(grade).fill_nan(None),
            "misplaced_by": (position != 0).sum(axis=0),
            "early_by": (position < 0).sum(axis=0),
            "late_by": (position > 0).sum(axis=0),
            "retrieved_by": many,
            "mean_rp": position.sum(axis=0) / many,
            "mean_abs_rp": total / many,
            "best_rank": np.where(there, lists.rank, np.iinfo(np.int64).max).min(
                axis=0, initial=np.iinfo(np.int64).max
            ),
            "worst_rank": lists.rank.max(axis=0, initial=0),
            "total": total,
        }
    )
    kept = frame.filter(pl.col("total") > 0)
    return kept.sort("total", "document", descending=[True, False])


def _positions(of: Campaign, topic: int, lists: Lists) -> Ints:
    """Runs x documents: the relative position of each, 0 where a run does not have it."""
    scale = of.curves.scale
    relevant = np.concatenate([[False], lists.levels >= 1])[lists.code]
    behind = int(scale.relevant[topic]) + 1  # where documents that are not relevant belong, and all deeper ranks
    low = np.where(relevant, scale.low[topic][lists.code], behind)
    high = np.where(relevant, scale.high[topic][lists.code], np.iinfo(np.int64).max)
    position = np.minimum(lists.rank - low, 0) + np.maximum(lists.rank - high, 0)
    return np.where(lists.rank > 0, position, 0)
