"""What figures about measures share: the measures that they compare unless others are named, and how lines differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.views.plots._style import SERIES, altair

if TYPE_CHECKING:
    import altair as alt

MEASURES = ("AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist")
"""Those of the study of Twist, and precision; few enough for their lines to be told apart."""
_DASHES = ((1, 0), (5, 2), (2, 2), (8, 2, 2, 2))


def dashes(field: str, names: Sequence[str]) -> alt.StrokeDash:
    """How lines are broken: where colours come again, in another way."""
    alt = altair()
    ways = [list(_DASHES[number // len(SERIES) % len(_DASHES)]) for number in range(len(names))]
    return alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=list(names), range=ways), legend=None)  # type: ignore[no-any-return]
