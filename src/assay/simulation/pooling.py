"""The pool of a topic: the top documents of each contributing run."""

from __future__ import annotations

import numpy as np

from assay.simulation.ranking import SimulatedRankings


def select_pool(rankings: SimulatedRankings, systems: np.ndarray, id_rank: np.ndarray, depth: int) -> np.ndarray:
    """Return the candidates that any of the *systems* retrieves within the pool depth.

    Documents are sorted as in trec_eval: by descending score, and tied documents by descending id. *id_rank* is the
    position of each candidate in the ascending order of the ids.
    """
    # One integer key sorts by score first and by id second.
    candidate = rankings.candidate[systems]
    key = rankings.units[systems] * (int(id_rank.max()) + 1) + id_rank[candidate]
    not_retrieved = ~rankings.retrieved_mask()[systems]
    key[not_retrieved] = -np.iinfo(np.int64).max
    if depth < candidate.shape[1]:
        best = np.argpartition(-key, depth - 1, axis=1)[:, :depth]
        candidate = np.take_along_axis(candidate, best, axis=1)
        not_retrieved = np.take_along_axis(not_retrieved, best, axis=1)
    return np.unique(candidate[~not_retrieved])
