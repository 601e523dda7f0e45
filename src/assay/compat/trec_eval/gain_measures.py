"""Measures of trec_eval that use gains, which the user may assign to grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compat.trec_eval import gain_quirks, parameters
from assay.compat.trec_eval.measure_spec import FlaggedRankings, MeasureSettings, MeasureSpec, OutputColumn, score_with
from assay.compat.trec_eval.parameters import Gain
from assay.measures import Measure
from assay.model.arrays import Floats

GainScorer = Callable[[Floats, Floats], float]
"""A function that scores one ranking, given its gains and the gains of the ideal ranking."""


def build_gain_measure(name: str, kind: type[Measure], scorer: GainScorer, **options: Any) -> MeasureSpec:
    """Build a measure whose gains are the grades, or the gains that the user assigns to them.

    Without user-defined gains, values are those of the measure *kind*. With user-defined gains, *scorer* computes the
    values and reproduces the quirks of trec_eval.
    """

    def columns(label: str, gains: Sequence[Gain], settings: MeasureSettings) -> list[OutputColumn]:
        if not gains:
            return [OutputColumn(label, score_with(kind(), rel=False))]
        pairs = [gain.as_version_9() for gain in gains] if settings.profile == "9.0.8" else gains
        return [OutputColumn(label, lambda rankings: gain_quirks.score_rankings(scorer, pairs, rankings.judged))]

    return MeasureSpec(name, columns, parameters.parse_gains, (), **options)


def zero_without_relevant(spec: MeasureSpec) -> MeasureSpec:
    """Modify Rndcg as in trec_eval: its value is 0 for a topic whose grades are all below that of ``-l``.

    With ``-l 0`` every judged document is relevant. If then no document has a gain, trec_eval divides 0 by 0.
    """

    def columns(label: str, gains: Any, settings: MeasureSettings) -> list[OutputColumn]:
        [column] = spec.columns(label, gains, settings)

        def values(rankings: FlaggedRankings) -> Floats:
            relevant = rankings.relevant.recall_base(settings.rel) > 0
            value = column.values(rankings)
            if not gains:
                value = np.where(rankings.judged.recall_base(1) > 0, value, np.nan)
            return np.where(relevant, value, 0.0)

        return [OutputColumn(label, values)]

    return replace(spec, columns=columns)


def rbp(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of RBP; *pairs* are gains by grade, and optionally the persistence p."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp(rankings.judged, _persistence(pairs), pairs))]


def rbp_resid(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of the residual of RBP; only the persistence p among *pairs* has an effect."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp_resid(rankings.judged, _persistence(pairs)))]


def _persistence(pairs: Sequence[Gain]) -> float:
    return next((gain.value for gain in pairs if gain.name == "p"), 0.9)
