"""Contributions of documents to the difference between two runs, topic by topic.

The contribution of a relevant document to the difference M(b) - M(a) is its contribution to the value of b minus its
contribution to the value of a (Shapley values, see ``measures._contributions``). The contributions on a topic add up to
the difference on this topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.measures._contributions import compute_contributions
from assay.measures._threshold import relevant_levels
from assay.model.arrays import Floats, Ints
from assay.model.policies import reject_expected_ties
from assay.model.rankings import Rankings, TopicRankings

COLUMNS = {
    "topic": pl.String,
    "document": pl.String,
    "grade": pl.Float64,
    "rank_a": pl.Int64,
    "rank_b": pl.Int64,
    "contribution": pl.Float64,
    "error": pl.Float64,
}


def explain_differences(
    campaign: Campaign, measure: Measure, runs: Sequence[str], topics: Sequence[str]
) -> pl.DataFrame:
    """Return the relevant documents that the runs retrieved, with their contributions to the difference.

    Parameters
    ----------
    campaign
        Judgments and runs; ties must be broken.
    measure
        A measure whose value is 0 for a ranking without relevant documents; other measures raise ``MeasureError``.
    runs
        The runs a and b; or one run, whose value the documents explain.
    topics
        The topics.

    Returns
    -------
    ``COLUMNS``, topic by topic, the largest absolute contribution first, then the best rank. A rank is null if the run
    did not retrieve the document. *error* is the standard error of a contribution; it is 0 if the contribution is
    exact.
    """
    rankings = select_rankings(campaign, runs)
    relevant = np.concatenate([[False], relevant_levels(measure, rankings.levels)])
    shares = _compute_shares(campaign, measure, runs, topics)
    tables = []
    for number, one in enumerate(_iterate_topics(rankings, topics)):
        shown = np.flatnonzero(relevant[one.code])
        share, error = shares.of_documents(number, one.rank[:, shown])
        contribution = share[-1] - (share[0] if len(runs) > 1 else 0.0)
        table = _tabulate(rankings, one, shown).with_columns(
            pl.Series("contribution", contribution), pl.Series("error", np.sqrt((error**2).sum(axis=0)))
        )
        size, best_rank = -pl.col("contribution").abs(), pl.min_horizontal("rank_a", "rank_b")
        tables.append(table.sort(size, best_rank, "document"))
    return pl.concat([pl.DataFrame(schema=COLUMNS), *tables])


def list_movers(campaign: Campaign, runs: Sequence[str], topics: Sequence[str], top: int) -> pl.DataFrame:
    """Return the documents that a run ranks among the first *top*, and how they moved from the first run to the second.

    Returns
    -------
    Columns topic, document, grade, rank_a, rank_b, change; topic by topic, in the order of document ids. *grade* is
    null for an unjudged document. *change* is ``entered`` or ``left`` (the first *top* documents), ``rose``, ``fell``
    or ``same``. With one run, *rank_a* and *change* are null.
    """
    rankings = select_rankings(campaign, runs)
    tables = []
    for one in _iterate_topics(rankings, topics):
        shown = np.flatnonzero(((one.rank > 0) & (one.rank <= top)).any(axis=0))
        tables.append(_tabulate(rankings, one, shown).sort("document"))
    columns = ("topic", "document", "grade", "rank_a", "rank_b")
    frame = pl.concat([pl.DataFrame(schema={name: COLUMNS[name] for name in columns}), *tables])
    if len(runs) == 1:
        return frame.with_columns(change=pl.lit(None, pl.String))
    a, b = (pl.col(name).fill_null(np.iinfo(np.int64).max) for name in ("rank_a", "rank_b"))
    moved = pl.when(b < a).then(pl.lit("rose")).when(b > a).then(pl.lit("fell")).otherwise(pl.lit("same"))
    crossed = pl.when((b <= top) & (a > top)).then(pl.lit("entered")).when((a <= top) & (b > top)).then(pl.lit("left"))
    return frame.with_columns(change=crossed.otherwise(moved))


def select_rankings(campaign: Campaign, runs: Sequence[str]) -> Rankings:
    """Return the rankings of some runs as measures see them: condensed if the policy is ``condensed``."""
    reject_expected_ties(campaign.policies.ties, "documents are compared in one order")
    rankings = campaign.rankings(runs=runs)
    return rankings.condense() if campaign.policies.unjudged == "condensed" else rankings


def _iterate_topics(rankings: Rankings, topics: Sequence[str]) -> list[TopicRankings]:
    position = {topic: number for number, topic in enumerate(rankings.topics)}
    return [rankings.topic(position[topic]) for topic in topics]


def _tabulate(rankings: Rankings, one: TopicRankings, shown: Ints) -> pl.DataFrame:
    """Return the documents *shown* of a topic with their grades and ranks."""
    ranks = np.where(one.rank[:, shown] > 0, one.rank[:, shown], -1)
    unretrieved = np.full(len(shown), -1)
    return pl.DataFrame(
        {
            "topic": pl.Series([one.topic] * len(shown), dtype=pl.String),
            "document": rankings.doc.gather(one.position[shown]).cast(pl.String),
            "grade": pl.Series(np.concatenate([[np.nan], one.levels])[one.code[shown]]).fill_nan(None),
            "rank_a": ranks[0] if len(ranks) > 1 else unretrieved,
            "rank_b": ranks[-1],
        }
    ).with_columns(pl.col("rank_a", "rank_b").replace(-1, None).cast(pl.Int64))


class _Shares(NamedTuple):
    """Contributions of the documents of several rankings by rank: rankings of the first run, then of the second.

    Ranking *i* has the entries from ``start[i]`` on. The first entry of a ranking is 0 and belongs to documents that
    were not retrieved; the entry at distance r belongs to the document at rank r.
    """

    start: Ints
    value: Floats
    error: Floats

    def of_documents(self, topic: int, rank: Ints) -> tuple[Floats, Floats]:
        """Return contributions and standard errors, runs x documents, given the ranks of documents (0: none)."""
        ranking = np.arange(len(rank)) * (len(self.start) // max(len(rank), 1)) + topic
        position = self.start[ranking][:, None] + rank
        return self.value[position], self.error[position]


def _compute_shares(campaign: Campaign, measure: Measure, runs: Sequence[str], topics: Sequence[str]) -> _Shares:
    """Return the contributions to the values of the rankings of *runs* on *topics*, run by run."""
    number = {topic: index for index, topic in enumerate(campaign.topics)}
    topic = np.array([number[one] for one in topics], dtype=np.int64)
    run = np.array([campaign.runs.index(name) for name in runs], dtype=np.int64)
    rankings = (run[:, None] * len(campaign.topics) + topic).ravel()
    judged = campaign.judged.select_rankings(rankings).drop_unused_topics()
    contributions = compute_contributions(measure, judged)
    start = np.cumsum(judged.length + 1) - (judged.length + 1)
    value, error = np.zeros((2, int((judged.length + 1).sum())))
    value[start[contributions.ranking] + contributions.rank] = contributions.value
    error[start[contributions.ranking] + contributions.rank] = contributions.error
    return _Shares(start, value, error)
