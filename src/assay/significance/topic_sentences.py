"""Sentences about the topics on which two runs differ, and about the documents that explain the differences.

The structure of the sentences is fixed. Values have four decimal places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.model.notes import pluralize
from assay.results.results import Results
from assay.significance.base import significance_test
from assay.significance.topic_changes import ChangeSummary, Pair, summarize_changes
from assay.significance.wording import get_test_title

MAX_DOCUMENTS, MAX_TOPICS = 3, 5
"""Maximum number of documents and of topics that a sentence names."""
ALPHA = 0.05
"""Level of the significance test and of its confidence interval."""
_ENDS = 3  # hardest and easiest topics to name
_UNCHANGED = 0.00005  # A smaller difference is printed as 0.0000.


class RankedDocument(NamedTuple):
    """A document with its grade (None: unjudged), its ranks (None: not retrieved) and its contribution."""

    document: str
    grade: float | None
    rank_a: int | None
    rank_b: int | None
    contribution: float


def format_signed(value: float) -> str:
    """Return a value with its sign and four decimal places."""
    return f"{value:+z.4f}"


def list_first(names: Sequence[str], limit: int = MAX_TOPICS) -> str:
    """Return the first names and the number of the others.

    >>> list_first(["1", "2", "3"], 2)
    '1, 2 and 1 more'
    """
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{more}"


def describe_overall(measure: str, means: tuple[float, float], counts: tuple[int, int, int]) -> str:
    """State how the mean changed; *counts* are the numbers of better, worse and unchanged topics."""
    difference = means[1] - means[0]
    verb = f"{'rose' if difference > 0 else 'fell'} by {abs(difference):.4f}"
    verb = "did not change" if abs(difference) < _UNCHANGED else verb
    better, worse, same = counts
    return (
        f"{measure} {verb} ({means[0]:z.4f} to {means[1]:z.4f}) over {pluralize(sum(counts), 'topic')}: "
        f"{better} better, {worse} worse, {same} unchanged."
    )


def describe_significance(p: float, low: float, high: float, test: str, alpha: float) -> str:
    """State whether the difference is significant, and its confidence interval."""
    text = "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
    verdict = "significant" if p < alpha else "not significant"
    interval = f"{format_signed(low)} to {format_signed(high)}"
    return f"The difference is {verdict} ({text}, {test}); the interval reaches from {interval}."


def describe_half(summary: ChangeSummary, lower_is_better: bool) -> str:
    """Name the topics that hold half of the gains or of the losses."""
    side = "gains" if (summary.difference > 0) != lower_is_better else "losses"
    verb = "holds" if len(summary.half) == 1 else "hold"
    return f"{pluralize(len(summary.half), 'topic')} {verb} half of the {side}: {list_first(summary.half)}."


def describe_largest(summary: ChangeSummary) -> str:
    """State the difference without the topic that has the largest one."""
    return f"Without topic {summary.largest} the difference would be {format_signed(summary.without_largest)}."


def describe_topic(
    topic: str, difference: float, documents: Sequence[RankedDocument], unjudged: tuple[int, int], top: int
) -> str:
    """Explain the difference on a topic by its documents.

    *unjudged* are the numbers of unjudged documents among the first *top* of the two rankings.
    """
    parts = [_describe_document(one) for one in documents[:MAX_DOCUMENTS]]
    more = len(documents) - MAX_DOCUMENTS
    parts += [f"and {more} more"] if more > 0 else []
    text = f"Topic {topic} ({format_signed(difference)})" + (f": {'; '.join(parts)}." if parts else ".")
    before, after = unjudged
    if max(unjudged) > 0:
        text += f" {after} of the top {top} {'is' if after == 1 else 'are'} unjudged (before: {before})."
    return text


def _describe_document(one: RankedDocument) -> str:
    grade = "unjudged" if one.grade is None else f"grade {one.grade:g}"
    return f"{one.document} ({grade}) {_describe_move(one.rank_a, one.rank_b)} ({format_signed(one.contribution)})"


def _describe_move(before: int | None, after: int | None) -> str:
    if before is None:
        return f"entered at {after}"
    if after is None:
        return f"left from {before}"
    if before == after:
        return f"stayed at {after}"
    return f"{'rose' if after < before else 'fell'} from {before} to {after}"


# All sentences about a pair of runs, or about one run -------------------------------------------------------------


def write_sentences(
    results: Results, pair: Pair, rows: pl.DataFrame, documents: pl.DataFrame | None, top: int
) -> pl.DataFrame:
    """Return all sentences: kind, topic (null for sentences about all topics) and text.

    *rows* are the topics, and *documents* the documents that explain some of them, as in the report.
    """
    a, b = pair
    sentences = [*(_describe_one_run(results, b, rows) if a is None else _describe_pair(results, rows))]
    sentences += _describe_topics(a, rows, documents, top)
    return pl.DataFrame(sentences, schema=dict.fromkeys(("kind", "topic", "text"), pl.String), orient="row")


Sentence = tuple[str, str | None, str]


def _describe_one_run(results: Results, run: str, rows: pl.DataFrame) -> Iterator[Sentence]:
    """Yield the mean of the only run, its failing topics, and the topics with the worst and the best value."""
    measure, values = results.measures[0], rows["value_b"].to_numpy()
    if not len(values):
        yield "overall", None, f"{run} has no value of {measure} on any topic."
        return
    yield "overall", None, f"{measure} of {run} is {values.mean():.4f} over {pluralize(len(rows), 'topic')}."
    answerable = rows.filter(pl.col("relevant") > 0)
    if len(answerable) > 1:
        ends = (answerable.head(_ENDS), answerable.tail(_ENDS).reverse())
        hardest, easiest = map(_list_values, ends)
        yield "ends", None, f"Hardest topics: {hardest}; easiest topics: {easiest}."
    failing = rows.filter(status="fails")["topic"].to_list()
    if failing:
        verb = "fails" if len(failing) == 1 else "fail"
        yield "failing", None, f"{pluralize(len(failing), 'topic')} {verb}: {list_first(failing)}."


def _list_values(rows: pl.DataFrame) -> str:
    """Return topics with their values."""
    topics, values = rows["topic"].to_list(), rows["value_b"].to_list()
    return ", ".join(f"{topic} ({value:z.4f})" for topic, value in zip(topics, values, strict=True))


def _describe_pair(results: Results, rows: pl.DataFrame) -> Iterator[Sentence]:
    """Yield the difference of two runs, its significance, and the topics that it depends on."""
    measure = results.measures[0]
    rows = rows.sort("topic")
    if rows.is_empty():
        yield "overall", None, f"No topic has a value of {measure} in both runs."
        return
    topics, before, after = rows["topic"].to_list(), rows["value_a"].to_numpy(), rows["value_b"].to_numpy()
    summary = summarize_changes(topics, rows["difference"].to_numpy(), measure.lower_is_better)
    means = float(before.mean()), float(after.mean())
    yield "overall", None, describe_overall(str(measure), means, (summary.better, summary.worse, summary.same))
    test = significance_test("t")
    outcome = test.compare(np.stack([before, after]), np.array([[1, 0]]), ALPHA)
    if not np.isnan(outcome.p[0]):
        numbers = float(outcome.p[0]), float(outcome.low[0]), float(outcome.high[0])
        yield "test", None, describe_significance(*numbers, get_test_title(test), ALPHA)
    if summary.half:
        yield "half", None, describe_half(summary, measure.lower_is_better)
    if summary.depends_on_largest:
        yield "largest", None, describe_largest(summary)
    for status in ("fixed", "broken"):
        chosen = rows.filter(status=status)["topic"].to_list()
        if chosen:
            yield "status", None, f"{pluralize(len(chosen), 'topic')} {status}: {list_first(chosen)}."
    more = int((rows["unjudged_b"] > rows["unjudged_a"]).sum())
    if more:
        verb = "has" if more == 1 else "have"
        text = f"{pluralize(more, 'topic')} {verb} more unjudged documents after than before"
        yield "unjudged", None, f"{text}; assay uncertainty bounds shows how much they may matter."


def _describe_topics(a: str | None, rows: pl.DataFrame, documents: pl.DataFrame | None, top: int) -> Iterator[Sentence]:
    """Yield a sentence for each of the topics with the largest differences, or with one run the worst values."""
    if a is not None:
        rows = rows.filter(pl.col("difference") != 0).sort("rank_of_change", maintain_order=True)
    else:
        rows = rows.filter(pl.col("relevant") > 0)
    for row in rows.head(MAX_TOPICS).iter_rows(named=True):
        ranked = []
        if documents is not None:
            chosen = documents.filter(pl.col("topic") == row["topic"])
            ranked = [RankedDocument(*one) for one in chosen.select(RankedDocument._fields).iter_rows()]
        contributing = [one for one in ranked if one.contribution]
        if a is not None:
            unjudged = row["unjudged_a"], row["unjudged_b"]
            text = describe_topic(row["topic"], row["difference"], contributing, unjudged, top)
        else:
            text = f"Topic {row['topic']} ({row['value_b']:z.4f})"
            text += _describe_recall(len(ranked), row["relevant"], contributing) if documents is not None else "."
            text += _describe_judging(row["unjudged_b"], top)
        yield "topic", row["topic"], text


def _describe_recall(retrieved: int, relevant: int, contributing: Sequence[RankedDocument]) -> str:
    """State how many relevant documents the only run retrieved, and which contribute most."""
    parts = [f"retrieved {retrieved} of {pluralize(relevant, 'relevant document')}"]
    parts += [
        f"{one.document} (grade {one.grade:g}) at {one.rank_b} ({format_signed(one.contribution)})"
        for one in contributing[:MAX_DOCUMENTS]
    ]
    more = len(contributing) - MAX_DOCUMENTS
    return f": {'; '.join([*parts, *([f'and {more} more'] if more > 0 else [])])}."


def _describe_judging(unjudged: int, top: int) -> str:
    """State how many documents of the first *top* are unjudged; empty if none is."""
    return f" {unjudged} of the top {top} {'is' if unjudged == 1 else 'are'} unjudged." if unjudged else ""
