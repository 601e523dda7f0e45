"""Documents that decide the difference between two runs.

The effect of a relevant document is its contribution to the difference M(a) - M(b) on its topic: the observed
difference minus the difference if only this document were non-relevant. A positive effect favours run a. Effects add up
to the difference only for measures that are sums over documents, such as P and RBP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures._threshold import relevant_levels
from assay.measures._values import compute_values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import reject_expected_ties
from assay.model.rankings import Rankings

COLUMNS = {
    "topic": pl.String,
    "document": pl.String,
    "grade": pl.Float64,
    "rank_a": pl.Int64,
    "rank_b": pl.Int64,
    "effect": pl.Float64,
}
_BLOCK = 1 << 22  # documents of the rankings evaluated together


def rank_deciding_documents(
    campaign: Campaign, measure: str | Measure, a: str, b: str, *, topics: Iterable[str] | None = None
) -> pl.DataFrame:
    """Rank the relevant documents of two runs by the absolute value of their effect, largest first.

    Parameters
    ----------
    campaign
        Judgments and runs; ties must be broken.
    measure
        The measure by which the runs are compared.
    a, b
        Names of the runs.
    topics
        Only these topics; by default all.

    Returns
    -------
    Columns topic, document, grade, rank_a, rank_b (null if the run did not retrieve the document), effect.
    """
    chosen = parse_measure(measure)
    for name in (a, b):
        if name not in campaign.runs:
            raise InputError(f"there is no run {name} in the campaign")
    rankings = select_rankings(campaign, a, b)
    selected = campaign.topics if topics is None else tuple(topics)
    max_depth = campaign.judged.max_depth

    def evaluate(judged: Judged) -> Floats:
        with_campaign_policies = replace(judged, policies=campaign.policies, depth=max_depth)
        return np.nan_to_num(compute_values(chosen, with_campaign_policies).value, nan=0.0)

    relevant = np.concatenate([[False], relevant_levels(chosen, rankings.levels)])
    frames = [_tabulate_topic(rankings, rankings.topics.index(topic), relevant, evaluate) for topic in selected]
    frame = pl.concat([pl.DataFrame(schema=COLUMNS), *frames])
    return frame.sort(pl.col("effect").abs(), "topic", "document", descending=[True, False, False])


def select_rankings(campaign: Campaign, a: str, b: str) -> Rankings:
    """Return the rankings of two runs as measures see them: condensed if the policy is ``condensed``."""
    reject_expected_ties(campaign.policies.ties, "two rankings are compared in an order")
    rankings = campaign.rankings(runs=(a, b))
    return rankings.condense() if campaign.policies.unjudged == "condensed" else rankings


class _RelevantDocuments(NamedTuple):
    """Relevant documents of two rankings, each listed once.

    *code* is the grade code, *row* is a row of the rankings that contains the document, and *rank* (2 x documents) is
    its rank in each ranking, 0 if it was not retrieved.
    """

    code: Ints
    row: Ints
    rank: Ints


Evaluate = Callable[[Judged], Floats]


def _tabulate_topic(rankings: Rankings, topic: int, relevant: Bools, evaluate: Evaluate) -> pl.DataFrame:
    """Return the relevant documents of one topic and their effects."""
    rows = [np.arange(rankings.start[run, topic], rankings.stop[run, topic]) for run in (0, 1)]
    documents = _collect_relevant(rankings, rows, relevant)
    effect = np.zeros(len(documents.row))
    step = max(1, _BLOCK // max(1, sum(map(len, rows))))
    for first in range(0, len(effect), step):
        block = _RelevantDocuments(*(column[..., first : first + step] for column in documents))
        effect[first : first + step] = _compute_effects(rankings, topic, rows, block, evaluate)
    names = rankings.doc.gather(documents.row).cast(pl.String)
    return pl.DataFrame(
        {
            "topic": pl.Series([rankings.topics[topic]] * len(names), dtype=pl.String),
            "document": names,
            "grade": rankings.levels[documents.code - 1],
            "rank_a": documents.rank[0],
            "rank_b": documents.rank[1],
            "effect": effect,
        },
        schema=COLUMNS,
    ).with_columns(pl.col("rank_a", "rank_b").replace(0, None))


def _collect_relevant(rankings: Rankings, rows: list[Ints], relevant: Bools) -> _RelevantDocuments:
    """Return the relevant documents in *rows* of two rankings; *relevant* is a mask by grade code."""
    relevant_rows = [run_rows[relevant[rankings.code[run_rows]]] for run_rows in rows]
    joined = np.concatenate(relevant_rows)
    # A document that both runs retrieved has one key and thus one column.
    key, first, column = np.unique(rankings.key[joined], return_index=True, return_inverse=True)
    rank = np.zeros((2, len(key)), dtype=np.int64)
    size = len(relevant_rows[0])
    # The rows of a ranking are consecutive, so the distance from its first row gives the rank.
    for run, columns in enumerate((column[:size], column[size:])):
        rank[run, columns] = relevant_rows[run] - (rows[run][0] if len(relevant_rows[run]) else 0) + 1
    row = joined[first]
    return _RelevantDocuments(rankings.code[row].astype(np.int64), row, rank)


def _compute_effects(
    rankings: Rankings, topic: int, rows: list[Ints], documents: _RelevantDocuments, evaluate: Evaluate
) -> Floats:
    """Return the effect of each document.

    Both rankings are evaluated with all judgments (row 0 of the arrays), and then once for each document, with only
    this document made non-relevant.
    """
    document_count = len(documents.code)
    zero = np.flatnonzero(rankings.levels == 0)[:1]
    nonrelevant = 1 + int(zero[0]) if len(zero) else 0  # without a level 0 the document becomes unjudged
    counts = np.tile(rankings.counts[topic], (document_count + 1, 1))
    counts[np.arange(1, document_count + 1), documents.code - 1] -= 1
    counts[1:, zero] += 1
    codes = []
    for run_rows, rank in zip(rows, documents.rank, strict=True):
        code = np.tile(rankings.code[run_rows], (document_count + 1, 1))
        retrieved = np.flatnonzero(rank)
        code[retrieved + 1, rank[retrieved] - 1] = nonrelevant
        codes.append(code.ravel())
    lengths = np.repeat([len(run_rows) for run_rows in rows], document_count + 1)
    judged = Judged(
        levels=rankings.levels,
        counts=counts,
        topic=np.tile(np.arange(document_count + 1), 2),
        start=np.concatenate([[0], np.cumsum(lengths)]),
        code=np.concatenate(codes),
        answered=lengths > 0,
    )
    value_a, value_b = evaluate(judged).reshape(2, -1)
    difference = value_a - value_b
    return np.asarray(difference[0] - difference[1:])
