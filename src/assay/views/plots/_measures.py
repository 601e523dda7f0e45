"""Default measures and line patterns of the figures that compare measures."""

from __future__ import annotations

from collections.abc import Sequence

from assay.views.plots._altair import alt
from assay.views.plots._style import SERIES

MEASURES = ("AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist")
"""The measures of the Twist study, and precision; they are few, so that readers can distinguish their lines."""
_DASHES = ((1, 0), (5, 2), (2, 2), (8, 2, 2, 2))


def dashes(field: str, names: Sequence[str]) -> alt.StrokeDash:
    """Return a dash pattern for each name; names that share a colour have different patterns."""
    patterns = [list(_DASHES[number // len(SERIES) % len(_DASHES)]) for number in range(len(names))]
    return alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=list(names), range=patterns), legend=None)
