"""Interpolated precision at recall levels, with trec_eval's behaviour for levels outside 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from assay.compat.trec_eval.measure_spec import FlaggedRankings, MeasureSettings, Values
from assay.compat.trec_eval.parameters import decimal_suffix
from assay.measures._document_counts import count_relevant
from assay.measures.precision import count_required, interpolate_precision
from assay.model.arrays import Floats


def interpolated_columns(levels: Sequence[float], settings: MeasureSettings) -> list[tuple[str, Values]]:
    """Return a column of interpolated precision for each recall level."""
    return [(decimal_suffix(recall), partial(_interpolate, recall=recall, settings=settings)) for recall in levels]


def _interpolate(rankings: FlaggedRankings, recall: float, settings: MeasureSettings) -> Floats:
    """Return interpolated precision; NaN if the ranking is empty and the level requires no relevant document.

    In this case trec_eval divides 0 by 0.
    """
    recall = _clip_level(recall)
    value = interpolate_precision(rankings.relevant, settings.rel, recall, settings.rounding)
    none_required = count_required(recall, rankings.relevant.recall_base(settings.rel), settings.rounding) <= 0
    return np.where(rankings.empty & none_required, np.nan, value)


def _clip_level(recall: float) -> float:
    """Clip a recall level to the range -1 to 2, so that it can be multiplied by R.

    All levels below 0 are equivalent, and so are all levels above 1.
    """
    return min(max(recall, -1.0), 2.0)


def mean_interpolated_column(levels: Sequence[float], settings: MeasureSettings) -> list[tuple[str, Values]]:
    """Return the column of the mean interpolated precision over recall levels.

    trec_eval expects ascending levels. It goes up the ranking and at the same time through the levels, from the last to
    the first. If a level requires more relevant documents than the next level in the list, trec_eval has already passed
    its rank. Then this level and all levels before it count as level 0.
    """

    def values(rankings: FlaggedRankings) -> Floats:
        judged, rel = rankings.relevant, settings.rel
        recall_base, retrieved = judged.recall_base(rel), count_relevant(judged, rel)
        at_zero = _interpolate(rankings, 0.0, settings)
        total = np.zeros(len(judged))
        # Number of relevant documents that the previous level required; inf until a level is reached.
        position = np.full(len(judged), np.inf)
        for recall in map(_clip_level, reversed(levels)):
            required = count_required(recall, recall_base, settings.rounding)
            is_passed = np.isfinite(position) & (required > position)
            is_unreached = np.isinf(position) & (required > retrieved)
            value = np.where(is_passed, at_zero, _interpolate(rankings, recall, settings))
            total += np.where(is_unreached, 0.0, value)
            position = np.where(is_unreached, position, np.where(is_passed, -1, required))
        return total / len(levels)

    return [("", values)]
