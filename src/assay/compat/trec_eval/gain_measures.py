"""The measures of trec_eval that use gains, which the user may define."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compat.trec_eval import gain_quirks
from assay.compat.trec_eval import parameters as read
from assay.compat.trec_eval.measure_spec import FlaggedRankings, MeasureSettings, MeasureSpec, OutputColumn, score_with
from assay.compat.trec_eval.parameters import Gain
from assay.measures import Measure
from assay.model.arrays import Floats

Walk = Callable[[Floats, Floats], float]


def graded(name: str, kind: type[Measure], walk: Walk, **more: Any) -> MeasureSpec:
    """Return a measure of gains: the grades, or the gains that the user assigns to them."""

    def columns(label: str, given: Sequence[Gain], settings: MeasureSettings) -> list[OutputColumn]:
        if not given:
            return [OutputColumn(label, score_with(kind(), rel=False))]
        pairs = [gain.as_version_9() for gain in given] if settings.profile == "9.0.8" else given
        return [OutputColumn(label, lambda rankings: gain_quirks.score_rankings(walk, pairs, rankings.judged))]

    return MeasureSpec(name, columns, read.gains, (), **more)


def relevant_only(spec: MeasureSpec) -> MeasureSpec:
    """Return Rndcg, which trec_eval leaves at 0 for a topic without documents of the grade of -l.

    With -l 0 every judged document is relevant, and where none has a gain it divides 0 by 0.
    """

    def columns(label: str, given: Any, settings: MeasureSettings) -> list[OutputColumn]:
        [column] = spec.columns(label, given, settings)

        def values(rankings: FlaggedRankings) -> Floats:
            relevant = rankings.relevant.recall_base(settings.rel) > 0
            value = column.values(rankings)
            if not given:
                value = np.where(rankings.judged.recall_base(1) > 0, value, np.nan)
            return np.where(relevant, value, 0.0)

        return [OutputColumn(label, values)]

    return replace(spec, columns=columns)


def rbp(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of RBP; *pairs* are gains by grade, and perhaps the persistence p."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp(rankings.judged, _persistence(pairs), pairs))]


def rbp_resid(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of the residual of RBP; only the persistence p among *pairs* has an effect."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp_resid(rankings.judged, _persistence(pairs)))]


def _persistence(pairs: Sequence[Gain]) -> float:
    return next((gain.value for gain in pairs if gain.name == "p"), 0.9)
