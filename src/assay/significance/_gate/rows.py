"""Rows of a gate: one measure on all topics or in one slice of topics, with statistics and verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.checks import find_positions
from assay.results.results import Results
from assay.results.slices import Slice
from assay.significance._gate.baseline import Baseline, GateValues
from assay.significance._gate.coverage import Coverage, compare_topics
from assay.significance._gate.margins import Requirement
from assay.significance._gate.statistics import GateSettings, PairedValues, compute_columns
from assay.significance._gate.verdicts import (
    REQUIRED,
    STALE,
    UNDECIDED,
    WATCH,
    decide_rows,
    find_direction,
    name_finding,
)
from assay.significance.statistics import Margin
from assay.significance.values import prepare_values


@dataclass(frozen=True, eq=False)
class GateRow:
    """One measure of one candidate, on all topics or in one slice.

    *attribute* and *slice* are None for all topics. *numbers* are the statistics of
    :func:`.statistics.compute_columns`, and ``p_fail_adjusted``; NaN where a number is not defined.
    """

    candidate: str
    measure: Measure
    requirement: Requirement
    attribute: str | None
    slice: str | None
    role: str
    numbers: Mapping[str, float]
    verdict: str
    finding: str
    direction: str

    @property
    def title(self) -> str:
        """The measure and the slice, such as ``nDCG@10 [category=law]``."""
        return f"{self.measure}" if self.slice is None else f"{self.measure} [{self.attribute}={self.slice}]"


class AlignedValues(NamedTuple):
    """Values on the topics that can be used; the last run is the baseline."""

    results: Results
    coverage: Coverage


def align_values(values: GateValues, baseline: Baseline, candidates: Sequence[str]) -> AlignedValues:
    """Return the values of the candidates and of the baseline on the topics whose judgments did not change."""
    results = values.results
    unknown = [None] * max(len(baseline.topics), len(results.topics))
    coverage = compare_topics(
        dict(zip(baseline.topics, baseline.judgments or unknown, strict=False)),
        dict(zip(results.topics, values.digests or unknown, strict=False)),
    )
    if not coverage.used:
        reason = "the judgments of all shared topics changed" if coverage.changed else "no topic is shared"
        raise InputError(f"baseline {baseline.run}: cannot be compared, {reason}; write a new baseline with --save")
    old, new = (
        find_positions(baseline.topics, coverage.used, "topic"),
        find_positions(results.topics, coverage.used, "topic"),
    )
    rows = find_positions(results.runs, candidates, "run")
    candidate_values = results.values[:, rows][:, :, new]
    baseline_values = np.stack([baseline.values[str(measure)][old] for measure in results.measures])[:, None]
    combined = np.concatenate([candidate_values, baseline_values], axis=1)
    aligned = replace(
        results,
        runs=(*candidates, baseline.run),
        topics=coverage.used,
        values=combined,
        errors=np.broadcast_to(0.0, combined.shape),
    )
    return AlignedValues(aligned, coverage)


class _Entry(NamedTuple):
    """A row before its statistics are computed: the values of one measure on some topics, without NaN."""

    measure: Measure
    requirement: Requirement
    group: Slice | None
    margin: Margin
    baseline: Floats
    candidate: Floats


def judge(
    data: AlignedValues,
    number: int,
    requirements: Mapping[Measure, Requirement],
    slices: Sequence[Slice],
    settings: GateSettings,
) -> list[GateRow]:
    """Return the rows of the candidate with this number; with a stale baseline, all rows are undecided."""
    results, alpha = data.results, settings.alpha
    is_stale = data.coverage.share < settings.min_coverage
    entries = _list_entries(results, number, requirements, slices)
    if not is_stale:
        for entry in entries:
            _check_relative_margin(entry)
    columns = _compute_statistics(entries, settings)
    identical = columns["changed"] == 0
    blocked = columns["limit"] >= columns["margin"]
    adjusted, verdicts = decide_rows(columns["p_pass"], columns["p_fail"], blocked, identical, alpha)
    columns["p_fail_adjusted"] = adjusted
    rows = []
    for row, (entry, verdict) in enumerate(zip(entries, verdicts, strict=True)):
        direction = find_direction(columns, row, entry.measure.lower_is_better)
        finding = STALE if is_stale else name_finding(columns, row, verdict, direction, alpha)
        group = entry.group
        rows.append(
            GateRow(
                candidate=results.runs[number],
                measure=entry.measure,
                requirement=entry.requirement,
                attribute=None if group is None else group.attribute,
                slice=None if group is None else group.name,
                role=entry.requirement.role if group is None else WATCH,
                numbers={name: float(column[row]) for name, column in columns.items()},
                verdict=UNDECIDED if is_stale else verdict,
                finding=finding,
                direction=direction,
            )
        )
    return rows


def _list_entries(
    results: Results, number: int, requirements: Mapping[Measure, Requirement], slices: Sequence[Slice]
) -> list[_Entry]:
    """Return the values of each row: each measure on all topics, then the required measures in slices."""
    masks = [np.isin(results.topics, list(group.topics)) for group in slices]
    entries = []
    for measure, requirement in requirements.items():
        values = prepare_values(results, results.measures.index(measure))
        baseline, candidate = values[-1], values[number]
        known = ~(np.isnan(baseline) | np.isnan(candidate))
        margin = requirement.resolve(measure)
        groups: list[tuple[Slice | None, np.ndarray]] = [(None, known)]
        if requirement.role == REQUIRED:
            groups += [(group, known & mask) for group, mask in zip(slices, masks, strict=True)]
        entries += [
            _Entry(measure, requirement, group, margin, baseline[mask], candidate[mask]) for group, mask in groups
        ]
    return entries


def _check_relative_margin(entry: _Entry) -> None:
    """Raise an error for a relative margin if the mean of the baseline over all topics is not positive."""
    if entry.group is not None or not entry.margin.relative or not len(entry.baseline) or entry.baseline.mean() > 0:
        return
    problem = f"is a share of the mean of the baseline, which is {entry.baseline.mean():g}"
    remedy = f"write a difference, such as {entry.measure}=0.01"
    raise InputError(f"margins: {entry.requirement.measure}={entry.margin} {problem}; {remedy}")


def _compute_statistics(entries: Sequence[_Entry], settings: GateSettings) -> dict[str, Floats]:
    """Return the statistics of all rows by name; rows with the same number of topics are computed together."""
    counts = np.array([len(entry.baseline) for entry in entries])
    columns: dict[str, Floats] = {}
    for count in np.unique(counts):
        index = np.flatnonzero(counts == count)
        block = [entries[i] for i in index.tolist()]
        rows = PairedValues(
            baseline=np.stack([entry.baseline for entry in block]),
            candidate=np.stack([entry.candidate for entry in block]),
            sign=np.array([-1 if entry.measure.lower_is_better else 1 for entry in block]),
            size=np.array([entry.margin.size for entry in block]),
            relative=np.array([entry.margin.relative for entry in block]),
        )
        for name, numbers in compute_columns(rows, settings).items():
            columns.setdefault(name, np.full(len(entries), np.nan))[index] = numbers
    for i, entry in enumerate(entries):
        if entry.measure.aggregate == "geometric":
            for name in ("baseline", "candidate_value"):
                columns[name][i] = np.exp(columns[name][i])
            for name in ("change", "change_low", "change_high"):
                columns[name][i] = np.nan
    return columns
