"""Documents that decide the difference between two runs.

The effect of a relevant document is how much of the difference M(a) - M(b) on its topic it makes: the difference as it
is, less what it would be if that document alone were not relevant. A document counts for run a if its effect is
positive. Effects of several documents need not add up to the difference: only for sums such as P and RBP do they.
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
_TOGETHER = 1 << 22  # documents of rankings that are evaluated together


def rank_deciding_documents(
    campaign: Campaign, measure: str | Measure, a: str, b: str, *, topics: Iterable[str] | None = None
) -> pl.DataFrame:
    """Return the relevant documents of two runs by their effect, the largest first.

    Parameters
    ----------
    campaign
        Judgments and runs; ties must be broken.
    measure
        The measure by which the runs are compared.
    a, b
        The names of the runs.
    topics
        Only these topics (default: all).

    Returns
    -------
    Columns topic, document, grade, rank_a and rank_b (null where a run does not have the document), effect.
    """
    chosen = parse_measure(measure)
    for name in (a, b):
        if name not in campaign.runs:
            raise InputError(f"there is no run {name} in the campaign")
    rankings = select_rankings(campaign, a, b)
    wanted = campaign.topics if topics is None else tuple(topics)
    longest = campaign.judged.max_depth

    def value(judged: Judged) -> Floats:
        known = replace(judged, policies=campaign.policies, depth=longest)
        return np.nan_to_num(compute_values(chosen, known).value, nan=0.0)

    relevant = np.concatenate([[False], relevant_levels(chosen, rankings.levels)])
    frames = [_of_topic(rankings, rankings.topics.index(topic), relevant, value) for topic in wanted]
    frame = pl.concat([pl.DataFrame(schema=COLUMNS), *frames])
    return frame.sort(pl.col("effect").abs(), "topic", "document", descending=[True, False, False])


def select_rankings(campaign: Campaign, a: str, b: str) -> Rankings:
    """Return the rankings of two runs as measures see them: condensed if the policy says so."""
    reject_expected_ties(campaign.policies.ties, "two rankings are compared in an order")
    rankings = campaign.rankings(runs=(a, b))
    return rankings.condense() if campaign.policies.unjudged == "condensed" else rankings


class _RelevantDocuments(NamedTuple):
    """The relevant documents of a pair of rankings: code, place, and their ranks in both, 0 where they are not."""

    code: Ints
    place: Ints
    rank: Ints


Value = Callable[[Judged], Floats]


def _of_topic(rankings: Rankings, topic: int, relevant: Bools, value: Value) -> pl.DataFrame:
    places = [np.arange(rankings.start[run, topic], rankings.stop[run, topic]) for run in (0, 1)]
    documents = _relevant(rankings, places, relevant)
    effect = np.zeros(len(documents.position))
    step = max(1, _TOGETHER // max(1, sum(map(len, places))))
    for first in range(0, len(effect), step):
        some = _RelevantDocuments(*(column[..., first : first + step] for column in documents))
        effect[first : first + step] = _effects(rankings, topic, places, some, value)
    names = rankings.doc.gather(documents.position).cast(pl.String)
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


def _relevant(rankings: Rankings, places: list[Ints], relevant: Bools) -> _RelevantDocuments:
    """Find the relevant documents of two rankings; *relevant* is a table by code."""
    own = [place[relevant[rankings.code[place]]] for place in places]
    key, first, column = np.unique(rankings.key[np.concatenate(own)], return_index=True, return_inverse=True)
    rank = np.zeros((2, len(key)), dtype=np.int64)
    rank[0, column[: len(own[0])]] = own[0] - (places[0][0] if len(own[0]) else 0) + 1
    rank[1, column[len(own[0]) :]] = own[1] - (places[1][0] if len(own[1]) else 0) + 1
    place = np.concatenate(own)[first]
    return _RelevantDocuments(rankings.code[place].astype(np.int64), place, rank)


def _effects(rankings: Rankings, topic: int, places: list[Ints], some: _RelevantDocuments, value: Value) -> Floats:
    """Both rankings as they are, then once for each document as if that were not relevant."""
    many = len(some.code)
    zero = np.flatnonzero(rankings.levels == 0)[:1]
    nothing = 1 + int(zero[0]) if len(zero) else 0
    counts = np.tile(rankings.counts[topic], (many + 1, 1))
    counts[np.arange(1, many + 1), some.code - 1] -= 1
    counts[1:, zero] += 1
    codes = []
    for place, rank in zip(places, some.rank, strict=True):
        code = np.tile(rankings.code[place], (many + 1, 1))
        there = np.flatnonzero(rank)
        code[there + 1, rank[there] - 1] = nothing
        codes.append(code.ravel())
    lengths = np.repeat([len(place) for place in places], many + 1)
    judged = Judged(
        levels=rankings.levels,
        counts=counts,
        topic=np.tile(np.arange(many + 1), 2),
        start=np.concatenate([[0], np.cumsum(lengths)]),
        code=np.concatenate(codes),
        answered=lengths > 0,
    )
    first, second = value(judged).reshape(2, -1)
    difference = first - second
    return np.asarray(difference[0] - difference[1:])
