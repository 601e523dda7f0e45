"""One topic: the values of all runs, and the misplaced documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort._indicators import MAIN, MORE
from assay.model.arrays import Floats, Ints, competition_ranks
from assay.model.rankings import TopicRankings
from assay.views.explorer.metadata import tabulate_grades
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.texts import add_titles

MAX_DOCUMENTS = 1_000
_UNLIMITED_RANK = np.iinfo(np.int64).max


def topic(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Values of all runs on a topic, best run first, and the most misplaced documents."""
    name = query.topic()
    measure = query.measure()
    most = query.integer("most", 50, 1, MAX_DOCUMENTS)
    query.reject_unknown_parameters()
    index = state.topic_index[name]
    qrels, rankings = state.campaign.judgments, state.rankings.topic(index)
    documents = misplaced_documents(state, index, rankings)
    return {
        "topic": name,
        "measure": str(measure),
        "lower_is_better": measure.lower_is_better,
        "relevant": int(state.relevant[index]),
        "judged": int(qrels.counts[index].sum()),
        "grades": tabulate_grades(qrels.levels, qrels.counts[index]),
        "ranks": int(state.effort.length[index]),
        "documents": int(rankings.rank.shape[1]),
        "unjudged": int((rankings.code == 0).sum()),
        "runs": _tabulate_runs(state, index, state.values(measure).values[0, :, index], measure.lower_is_better),
        "misplaced": add_titles(state, documents.head(most)),
        "misplaced_in_all": len(documents),
    }


def _tabulate_runs(state: ExplorerState, topic: int, values: Floats, lower_is_better: bool) -> pl.DataFrame:
    """Tabulate place, value and indicators of each run, best run first; runs without a value come last."""
    report = state.effort.frame().filter(pl.col("topic") == state.campaign.topics[topic])
    runs = report.with_columns(
        place=pl.Series(competition_ranks(values, lower_is_better)),
        value=pl.Series(values).fill_nan(None),
        retrieved=pl.Series(state.rankings.length[:, topic]),
        relevant_retrieved=pl.Series(state.effort.curves.relevant_retrieved().reshape(state.campaign.shape)[:, topic]),
    )
    columns = ("place", "run", "value", "archetype", "retrieved", "relevant_retrieved", *MAIN, *MORE, "still_growing")
    return runs.select(columns).sort("place", maintain_order=True)


def misplaced_documents(state: ExplorerState, topic: int, rankings: TopicRankings) -> pl.DataFrame:
    """Tabulate the documents that at least one run misplaces, largest total first.

    The columns are document, grade (null if unjudged), misplaced_by, early_by, late_by and retrieved_by (each the
    number of runs), mean_rp and mean_abs_rp (means over the runs that retrieve the document), best_rank, worst_rank,
    and total (the sum of the absolute relative positions).
    """
    rank, retrieved = rankings.rank, rankings.rank > 0
    position = _relative_positions(state, topic, rankings)
    total = np.abs(position).sum(axis=0)
    run_count = retrieved.sum(axis=0)
    grade = np.concatenate([[np.nan], rankings.levels])[rankings.code]
    frame = pl.DataFrame(
        {
            "document": pl.Series(state.rankings.names(rankings), dtype=pl.String),
            "grade": pl.Series(grade).fill_nan(None),
            "misplaced_by": (position != 0).sum(axis=0),
            "early_by": (position < 0).sum(axis=0),
            "late_by": (position > 0).sum(axis=0),
            "retrieved_by": run_count,
            "mean_rp": position.sum(axis=0) / run_count,
            "mean_abs_rp": total / run_count,
            "best_rank": np.where(retrieved, rank, _UNLIMITED_RANK).min(axis=0, initial=_UNLIMITED_RANK),
            "worst_rank": rank.max(axis=0, initial=0),
            "total": total,
        }
    )
    return frame.filter(pl.col("total") > 0).sort("total", "document", descending=[True, False])


def _relative_positions(state: ExplorerState, topic: int, rankings: TopicRankings) -> Ints:
    """Return the relative positions, runs x documents; 0 where a run does not retrieve the document."""
    scale, code = state.effort.curves.scale, rankings.code
    relevant = np.concatenate([[False], rankings.levels >= 1])[code]
    first_nonrelevant = int(scale.recall_base[topic]) + 1  # In the ideal ranking, non-relevant documents start here.
    low = np.where(relevant, scale.low[topic][code], first_nonrelevant)
    high = np.where(relevant, scale.high[topic][code], _UNLIMITED_RANK)
    position = np.minimum(rankings.rank - low, 0) + np.maximum(rankings.rank - high, 0)
    return np.where(rankings.rank > 0, position, 0)
