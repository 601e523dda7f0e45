"""Pools rebuilt from runs, with dicts and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from assay.measures import Measure

Qrels = Mapping[str, Mapping[str, float]]
Run = Mapping[str, Mapping[str, float]]


def rank_documents(scores: Mapping[str, float]) -> list[str]:
    """Score descending, then document id descending, as trec_eval does."""
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def pooled_documents(runs: Iterable[Run], depth: float) -> set[tuple[str, str]]:
    """The topics and documents among the first of some run."""
    return {
        (topic, doc)
        for run in runs
        for topic, scores in run.items()
        for rank, doc in enumerate(rank_documents(scores), 1)
        if rank <= depth
    }


def pool(qrels: Qrels, runs: Iterable[Run], depth: float) -> dict[str, dict[str, float]]:
    """The judgments that a pool would have."""
    inside = pooled_documents(runs, depth)
    return {t: {d: g for d, g in docs.items() if (t, d) in inside} for t, docs in qrels.items()}


def remove_unique_contributions(
    qrels: Qrels, mine: Iterable[Run], others: Iterable[Run], depth: float
) -> dict[str, dict[str, float]]:
    """All judgments but those that only some runs contributed."""
    alone = pooled_documents(mine, depth) - pooled_documents(others, depth)
    return {t: {d: g for d, g in docs.items() if (t, d) not in alone} for t, docs in qrels.items()}


def mean(measure: Measure, qrels: Qrels, run: Run) -> float:
    """The mean over all topics; one without relevant documents counts 0."""
    total = 0.0
    for topic, docs in qrels.items():
        counts = Counter(docs.values())
        found = [docs.get(doc) for doc in rank_documents(run.get(topic, {}))]
        total += measure.of(found, counts) if counts else 0.0
    return total / len(qrels)
