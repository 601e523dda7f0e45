"""Pools rebuilt from runs, with dictionaries and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from assay.measures import Measure

Qrels = Mapping[str, Mapping[str, float]]
Run = Mapping[str, Mapping[str, float]]


def rank_documents(scores: Mapping[str, float]) -> list[str]:
    """Sort by score descending, then by document id descending, as trec_eval does."""
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def pooled_documents(runs: Iterable[Run], depth: float) -> set[tuple[str, str]]:
    """Return the (topic, document) pairs within the top *depth* of at least one run."""
    return {
        (topic, doc)
        for run in runs
        for topic, scores in run.items()
        for rank, doc in enumerate(rank_documents(scores), 1)
        if rank <= depth
    }


def pool(qrels: Qrels, runs: Iterable[Run], depth: float) -> dict[str, dict[str, float]]:
    """Return the judgments of the documents in the pool."""
    inside = pooled_documents(runs, depth)
    return {t: {d: g for d, g in docs.items() if (t, d) in inside} for t, docs in qrels.items()}


def remove_unique_contributions(
    qrels: Qrels, mine: Iterable[Run], others: Iterable[Run], depth: float
) -> dict[str, dict[str, float]]:
    """Return the judgments without those that only the runs *mine* contributed."""
    unique = pooled_documents(mine, depth) - pooled_documents(others, depth)
    return {t: {d: g for d, g in docs.items() if (t, d) not in unique} for t, docs in qrels.items()}


def mean(measure: Measure, qrels: Qrels, run: Run) -> float:
    """Return the mean over all topics; a topic without relevant documents counts 0."""
    total = 0.0
    for topic, docs in qrels.items():
        counts = Counter(docs.values())
        grades = [docs.get(doc) for doc in rank_documents(run.get(topic, {}))]
        total += measure.of(grades, counts) if counts else 0.0
    return total / len(qrels)
