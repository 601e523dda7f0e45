"""Which documents are judged: the pool of the best of each contributing run."""

from __future__ import annotations

import numpy as np

from assay.simulation.ranking import SimulatedRankings


def pooled(rankings: SimulatedRankings, systems: np.ndarray, place: np.ndarray, depth: int) -> np.ndarray:
    """Find the candidates among the first *depth* documents of any of the *systems*.

    The first documents are those that evaluation sees first: by score, tied documents by id, descending. *place* is
    the place of each candidate in the order of the ids.
    """
    candidate = rankings.candidate[systems]
    key = rankings.units[systems] * (int(place.max()) + 1) + place[candidate]
    beyond = ~rankings.retrieved()[systems]
    key[beyond] = -np.iinfo(np.int64).max
    if depth < candidate.shape[1]:
        best = np.argpartition(-key, depth - 1, axis=1)[:, :depth]
        candidate, beyond = np.take_along_axis(candidate, best, axis=1), np.take_along_axis(beyond, best, axis=1)
    return np.unique(candidate[~beyond])
