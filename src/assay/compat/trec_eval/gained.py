"""The measures of trec_eval that look at gains, which may be given by the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compat.trec_eval import parameters as read
from assay.compat.trec_eval import worth
from assay.compat.trec_eval.entry import Column, Entry, Rankings, Settings, scored
from assay.compat.trec_eval.parameters import Gain
from assay.measures import Measure
from assay.model.arrays import Floats

Walk = Callable[[Floats, Floats], float]


def graded(name: str, kind: type[Measure], walk: Walk, **more: Any) -> Entry:
    """A measure of gains: the grades themselves, or what the user gives."""

    def columns(label: str, given: Sequence[Gain], settings: Settings) -> list[Column]:
        if not given:
            return [Column(label, scored(kind(), rel=False))]
        pairs = [gain.as_version_9() for gain in given] if settings.profile == "9.0.8" else given
        return [Column(label, lambda rankings: worth.walked(walk, pairs, rankings.judged))]

    return Entry(name, columns, read.gains, (), **more)


def relevant_only(entry: Entry) -> Entry:
    """Rndcg, which trec_eval leaves at 0 for a topic without documents of the grade of -l.

    With -l 0 every judged document is relevant, and where none has a gain it divides 0 by 0.
    """

    def columns(label: str, given: Any, settings: Settings) -> list[Column]:
        [column] = entry.columns(label, given, settings)

        def values(rankings: Rankings) -> Floats:
            relevant = rankings.relevant.recall_base(settings.rel) > 0
            value = column.values(rankings)
            if not given:
                value = np.where(rankings.judged.recall_base(1) > 0, value, np.nan)
            return np.where(relevant, value, 0.0)

        return [Column(label, values)]

    return replace(entry, columns=columns)


def rbp(label: str, pairs: Sequence[Gain], _settings: Settings) -> list[Column]:
    """Return the column of RBP; *pairs* are gains by grade, and perhaps the persistence p."""
    return [Column(label, lambda rankings: worth.rbp(rankings.judged, _persistence(pairs), pairs))]


def rbp_resid(label: str, pairs: Sequence[Gain], _settings: Settings) -> list[Column]:
    """Return the column of the residual of RBP; only the persistence p among *pairs* has an effect."""
    return [Column(label, lambda rankings: worth.rbp_resid(rankings.judged, _persistence(pairs)))]


def _persistence(pairs: Sequence[Gain]) -> float:
    return next((gain.value for gain in pairs if gain.name == "p"), 0.9)
