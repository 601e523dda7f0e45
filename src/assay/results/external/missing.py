"""Missing values: cells without a value although another run, or the table itself, has the topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.model.notes import join_names, pluralize
from assay.results.external.measures import ExternalMeasure

if TYPE_CHECKING:
    from assay.results.results import Results

POLICIES = {
    "error": "a missing value is an error",
    "zero": "a missing value counts as 0",
    "common": "only topics for which every run has a value count, measure by measure",
    "pairwise": "means count the values that a run has, comparisons the topics that both runs have",
}


def apply_policy(
    values: Floats,
    missing: Bools,
    policy: str,
    *,
    measures: Sequence[Measure],
    runs: Sequence[str],
    topics: Sequence[str],
) -> tuple[Floats, list[str]]:
    """Return the values (measures x runs x topics) with a policy on missing values applied, and notes."""
    values, notes = values.copy(), []
    for i, measure in enumerate(measures):
        lacking = missing[i]
        if not lacking.any():
            continue
        if policy == "error":
            raise InputError(_describe_missing(measure, lacking, values[i], runs, topics))
        if policy == "zero":
            _refuse_zero(measure)
            values[i][lacking] = 0.0
        is_incomplete = lacking.any(axis=0)
        if policy == "common":
            values[i][:, is_incomplete] = np.nan
            if np.isnan(values[i]).all():
                raise InputError(f"{measure}: no topic has a value of every run; select runs or measures")
        notes.append(_describe_policy(measure, lacking, policy, runs, topics))
    return values, notes


def refuse_pairwise(results: Results) -> None:
    """Raise an error if means of runs are over different topics, because values were read with ``pairwise``."""
    is_missing = np.isnan(results.values)
    if results.provenance.settings.get("missing") == "pairwise" and (is_missing != is_missing[:, :1]).any():
        raise InputError(
            "missing 'pairwise': the means of the runs are over different topics, so they cannot be ranked; "
            "use missing 'common' or missing 'zero'"
        )


def _describe_missing(
    measure: Measure, lacking: Bools, values: Floats, runs: Sequence[str], topics: Sequence[str]
) -> str:
    """Return the error message for the first run without some values."""
    run = int(np.flatnonzero(lacking.any(axis=1))[0])
    absent = np.flatnonzero(lacking[run]).tolist()
    total = int((lacking[run] | ~np.isnan(values).all(axis=0)).sum())
    share = f"{len(absent)} of {total} topics"
    if len(absent) == total:
        share = "the only topic" if total == 1 else f"all {total} topics"
    shown = "" if len(absent) == total else f" ({join_names(topics[topic] for topic in absent)})"
    return (
        f"{runs[run]} lacks {measure} on {share}{shown}; use missing 'zero' (count 0), missing 'common' (only "
        "topics of all runs) or missing 'pairwise', or select other measures"
    )


def _refuse_zero(measure: Measure) -> None:
    """Refuse to count 0 if it would be the best value, or if this is unknown."""
    if measure.lower_is_better:
        raise InputError(f"missing 'zero': {measure} is a cost, so 0 would be its best value; use common or pairwise")
    if isinstance(measure, ExternalMeasure) and measure.direction == "unstated":
        raise InputError(
            f"missing 'zero': whether 0 is a bad value of {measure} is unknown; state its direction with higher "
            f"'{measure}', or use common or pairwise"
        )


def _describe_policy(measure: Measure, lacking: Bools, policy: str, runs: Sequence[str], topics: Sequence[str]) -> str:
    """Return a note on what was done about missing values."""
    affected = [runs[run] for run in np.flatnonzero(lacking.any(axis=1)).tolist()]
    count = pluralize(int(lacking.sum()), "missing value")
    if policy == "zero":
        return f"{measure}: counted {count} of {join_names(affected)} as 0"
    absent = [topics[topic] for topic in np.flatnonzero(lacking.any(axis=0)).tolist()]
    if policy == "common":
        return (
            f"{measure}: excluded {pluralize(len(absent), 'topic')} without values of all runs: {join_names(absent)} "
            f"({join_names(affected)})"
        )
    return f"{measure}: {count} of {join_names(affected)}; each mean is over the topics of its run"
