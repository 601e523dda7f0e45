"""Grade codes: 0 for an unjudged document, else 1 + the index of its grade among the distinct grades of the qrels.

A document is *ungraded* if it is unjudged or has a negative grade.
"""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Bools, Codes, Floats


def ungraded_codes(levels: Floats) -> Bools:
    """Return for each code whether its documents are ungraded.

    >>> ungraded_codes(np.array([-1.0, 0.0])).tolist()
    [True, True, False]
    """
    return np.concatenate([[True], levels < 0])


def mask_ungraded(code: Codes, levels: Floats) -> Bools:
    """Return for each document whether it is ungraded."""
    return np.asarray(ungraded_codes(levels)[code])


def match_codes(code: Codes, selected: Bools) -> Bools:
    """Return for each document whether its code is selected; *selected* is a mask by code.

    >>> match_codes(np.array([0, 1, 2, 3], dtype=np.uint8), np.array([False, True, False, True])).tolist()
    [False, True, False, True]
    """
    codes = np.flatnonzero(selected)
    # Comparisons of bytes are faster than a table look-up. They suffice if all codes from some code on are selected
    # (grades of at least rel) or only a few.
    if len(codes) and codes[-1] == len(selected) - 1 and codes[-1] - codes[0] == len(codes) - 1:
        return np.asarray(code >= codes[0])
    if len(codes) <= 4:
        matches = np.zeros(len(code), dtype=bool)
        for selected_code in codes.tolist():
            matches |= code == selected_code
        return matches
    return selected.take(code)
