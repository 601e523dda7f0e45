"""Ideal rankings of judgments with subtopics, as in ndeval: at each rank, the document with the largest gain."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged


def rank_greedily(member: Bools, ids: list[str], weights: Floats, alpha: float, size: int) -> tuple[list[str], Floats]:
    """Return the documents of the greedy ideal ranking, and their gains.

    Finding the best ranking is NP-hard. The greedy ranking has at each rank the document with the largest gain; of
    documents with the same gain, the one with the largest id. Documents without a subtopic are left out: their gain
    is 0.

    Parameters
    ----------
    member
        Documents x subtopics: True if the document is relevant to the subtopic.
    ids
        The ids of the documents; ids are compared byte by byte.
    weights
        The weight of each subtopic.
    alpha
        The fraction of the weight of a subtopic that each document takes away.
    size
        The largest number of documents.
    """
    sets, group = np.unique(member, axis=0, return_inverse=True)
    waiting: list[list[str]] = [[] for _ in sets]
    for doc, number in sorted(zip(ids, group.ravel().tolist(), strict=True)):
        waiting[number].append(doc)
    decay = np.ones(len(weights))
    documents: list[str] = []
    gains: list[float] = []
    is_open = np.asarray(sets.any(axis=1))
    while is_open.any() and len(documents) < size:
        # Gains are summed in the order of the subtopics, as in ndeval: rounding decides which documents are tied.
        gain = np.zeros(len(sets))
        for subtopic, weight in enumerate((weights * decay).tolist()):
            gain[sets[:, subtopic]] += weight
        best = float(gain[is_open].max())
        chosen = max(np.flatnonzero(is_open & (gain == best)).tolist(), key=lambda number: waiting[number][-1])
        documents.append(waiting[chosen].pop())
        gains.append(best)
        decay[sets[chosen]] *= 1 - alpha
        is_open[chosen] = bool(waiting[chosen])
    return documents, np.array(gains)


def find_ideal_gains(judged: Judged, counted: Bools, weights: Floats, *, rel: float, alpha: float, size: int) -> Floats:
    """Return topics x ranks: the gains of the greedy ideal ranking of each topic, 0 behind its end.

    *counted* and *weights* have the subtopics that count and their weights, which sum to 1: topics x subtopics.
    """
    table = judged.subtopic_table()
    ids = judged.subtopic_ids()
    relevant = table.grade >= rel
    topic, document, subtopic = table.topic[relevant], table.document[relevant], table.subtopic[relevant]
    border = np.searchsorted(topic, np.arange(len(counted) + 1))
    gains: list[Floats] = []
    for number in range(len(counted)):
        rows = slice(border[number], border[number + 1])
        docs, row = np.unique(document[rows], return_inverse=True)
        member = np.zeros((len(docs), counted.shape[1]), dtype=bool)
        member[row, subtopic[rows]] = True
        # Equal weights count as 1 until the documents are chosen, as in ndeval.
        positive = weights[number][counted[number]]
        unit = positive[0] if len(positive) and (positive == positive[0]).all() else 1.0
        names = [f"{doc:020d}" for doc in docs.tolist()] if ids is None else ids.gather(docs).to_list()
        gains.append(rank_greedily(member, names, weights[number] / unit, alpha, size)[1] * unit)
    result = np.zeros((len(gains), max(map(len, gains), default=0)))
    for number, of_topic in enumerate(gains):
        result[number, : len(of_topic)] = of_topic
    return result
