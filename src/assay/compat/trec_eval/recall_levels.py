"""Interpolated precision at levels of recall, with what trec_eval does at the ends of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.compat.trec_eval.measure_spec import FlaggedRankings, MeasureSettings, OutputColumn
from assay.compat.trec_eval.parameters import decimals
from assay.measures.precision import count_required, interpolate_precision
from assay.model.arrays import Floats
from assay.model.judged import Judged


def iprec(label: str, given: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    """Interpolated precision: one value for each level."""

    def column(recall: float) -> OutputColumn:
        return OutputColumn(decimals(label, recall), lambda rankings: _interpolated(rankings, recall, settings))

    return [column(recall) for recall in given]


def _interpolated(rankings: FlaggedRankings, recall: float, settings: MeasureSettings) -> Floats:
    """Interpolated precision; where nothing is retrieved, trec_eval divides 0 by 0 for the levels that need nothing."""
    recall = _reachable(recall)
    value = interpolate_precision(rankings.relevant, settings.rel, recall, settings.rounding)
    none_needed = count_required(recall, rankings.relevant.recall_base(settings.rel), settings.rounding) <= 0
    return np.where(rankings.empty & none_needed, np.nan, value)


def _reachable(recall: float) -> float:
    """A recall level that can be counted: beyond these no number of documents is enough, or any is."""
    return min(max(recall, -1.0), 2.0)


def mean_iprec(label: str, given: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    """The mean over recall levels, taken from the last to the first.

    trec_eval expects them in ascending order. A level above one behind it is passed by, and it and all before it
    count as the level 0.
    """

    def values(rankings: FlaggedRankings) -> Floats:
        judged, rel = rankings.relevant, settings.rel
        base, reached = judged.recall_base(rel), judged.total(*_ones(judged, rel))
        lowest = _interpolated(rankings, 0.0, settings)
        total = np.zeros(len(judged))
        before = np.full(len(judged), np.inf)
        for recall in map(_reachable, reversed(given)):
            need = count_required(recall, base, settings.rounding)
            passed = np.isfinite(before) & (need > before)
            unreached = np.isinf(before) & (need > reached)
            total += np.where(unreached, 0.0, np.where(passed, lowest, _interpolated(rankings, recall, settings)))
            before = np.where(unreached, before, np.where(passed, -1, need))
        return total / len(given)

    return [OutputColumn(label, values)]


def _ones(judged: Judged, rel: float) -> tuple[Any, Floats]:
    rows = judged.rows(judged.relevance(rel))
    return rows.ranking, np.ones(len(rows.ranking))
