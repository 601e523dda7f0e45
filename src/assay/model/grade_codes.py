"""Grade codes: 0 for an unjudged document, else 1 + the index of its grade among the distinct grades of the qrels."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Codes, Floats


def ungraded_codes(levels: Floats) -> Bools:
    """By code, whether a document has no grade yet: it is unjudged, or its grade is negative, as ``Judged@k`` counts.

    >>> ungraded_codes(np.array([-1.0, 0.0])).tolist()
    [True, True, False]
    """
    return np.concatenate([[True], levels < 0])


def ungraded(code: Codes, levels: Floats) -> Bools:
    """For each document, whether it has no grade yet."""
    return np.asarray(ungraded_codes(levels)[code])


def match_codes(code: Codes, wanted: Bools) -> Bools:
    """Return which codes are wanted, by a truth table; bytes are compared where the table allows, nearly always.

    >>> match_codes(np.array([0, 1, 2, 3], dtype=np.uint8), np.array([False, True, False, True])).tolist()
    [False, True, False, True]
    """
    chosen = np.flatnonzero(wanted)
    if len(chosen) and chosen[-1] == len(wanted) - 1 and chosen[-1] - chosen[0] == len(chosen) - 1:
        return np.asarray(code >= chosen[0])
    if len(chosen) <= 4:
        matches = np.zeros(len(code), dtype=bool)
        for one in chosen.tolist():
            matches |= code == one
        return matches
    return wanted.take(code)
