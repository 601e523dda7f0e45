"""Features of a collection in plain loops, from dicts of judgments and of rankings (lists of documents)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Qrels = Mapping[str, Mapping[str, float]]
Rankings = Mapping[str, Sequence[str]]


def judged_to(qrels: Qrels, run: Rankings, depth: int) -> bool:
    """Return whether all documents of a run down to a depth are judged."""
    return all(doc in qrels[topic] for topic, docs in run.items() if topic in qrels for doc in docs[:depth])


def pool_depth(qrels: Qrels, runs: Sequence[Rankings]) -> int:
    """Return the largest depth, at most the length of the longest ranking, to which all runs are judged."""
    longest = max((len(docs) for run in runs for topic, docs in run.items() if topic in qrels), default=0)
    return max(depth for depth in range(longest + 1) if all(judged_to(qrels, run, depth) for run in runs))


def unjudged_share(qrels: Qrels, run: Rankings, depth: int) -> float | None:
    """Return the share of unjudged documents among the documents that a run retrieved down to a depth."""
    docs = [(topic, doc) for topic, docs in run.items() if topic in qrels for doc in docs[:depth]]
    return sum(doc not in qrels[topic] for topic, doc in docs) / len(docs) if docs else None
