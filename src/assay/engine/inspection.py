"""Read judgments and runs and collect every problem, instead of stopping at the first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign, assemble
from assay.engine.joining import join_sources
from assay.engine.sources import RunSource, SourceOptions, as_qrels, find_sources
from assay.engine.workers import Progress
from assay.errors import AssayError, InputError, escape_surrogates
from assay.io.problems import EmptySourceError, ProblemKind
from assay.io.source import note_ignored_entries
from assay.io.table import RowTable
from assay.model.checks import find_positions
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels


@dataclass(frozen=True, eq=False)
class Unreadable:
    """A source that cannot be read: the source, the message, and the problems of its rows.

    *is_named_twice* marks a run that is read, but that commands refuse because another run has its name.
    """

    source: str
    message: str
    problems: tuple[ProblemKind, ...] = ()
    is_named_twice: bool = False


@dataclass(frozen=True, eq=False)
class Inspection:
    """Judgments and runs, and the problems of their sources.

    Attributes
    ----------
    campaign
        The judgments and runs that can be read.
    tied
        The judged rankings with tied documents marked, unless the tie policy ignores scores.
    runs
        The runs of the campaign with their problems and facts. Their grade codes are in the campaign.
    unreadable
        The sources that cannot be read.
    notes
        Notes on ignored entries of directories.
    """

    campaign: Campaign
    tied: Judged
    runs: tuple[JoinedRun, ...]
    unreadable: tuple[Unreadable, ...]
    notes: tuple[str, ...]

    @property
    def has_judgments(self) -> bool:
        """True if judgments could be read."""
        return len(self.campaign.topics) > 0


def inspect_sources(
    qrels: Any,
    runs: Any,
    policies: Policies,
    *,
    options: SourceOptions = SourceOptions(),
    topics: str | Iterable[str] | None = None,
    grades: Mapping[float, float] | None = None,
    progress: Progress | None = None,
) -> Inspection:
    """Read judgments and runs leniently; sources that cannot be read are returned with their messages.

    *topics* are the judged topics to keep (None: all). Problems of lines, and facts about runs, concern all topics.
    """
    options = replace(options, lenient=True)
    unreadable: list[Unreadable] = []
    all_judgments = _read_judgments(qrels, options, grades, unreadable)
    judgments = all_judgments
    if topics is not None and judgments.topics:
        judgments = judgments.select(find_positions(judgments.topics, topics, "topic"))
    omitted = set(all_judgments.topics) - set(judgments.topics)
    sources = _find_sources(runs, options, unreadable)

    def add_failure(source: RunSource, error: AssayError) -> None:
        unreadable.append(_describe_failure(source.path or source.name or "runs", error))

    joined = join_sources(
        lambda: judgments, sources, policies, any_topics=True, facts=True, failed=add_failure, progress=progress
    )
    joined_runs = [run._replace(unjudged_topics=run.unjudged_topics - omitted) for run in joined.runs]
    named = joined._replace(runs=_make_names_unique(joined_runs, unreadable))
    campaign = assemble(named, sources, policies, lenient=True)
    tied = campaign.whole
    if policies.ties != "expected":
        campaign = replace(campaign, _whole=tied.without_ties())
    return Inspection(campaign, tied, tuple(named.runs), tuple(unreadable), tuple(_note_ignored_entries(runs)))


def _read_judgments(
    qrels: Any, options: SourceOptions, grades: Mapping[float, float] | None, unreadable: list[Unreadable]
) -> Qrels:
    """Return the judgments; if they cannot be read, empty judgments."""
    try:
        judgments = as_qrels(qrels, options)
    except AssayError as error:
        source = str(qrels) if isinstance(qrels, str | Path) else "qrels"
        unreadable.append(_describe_failure(source, error))
        schema = {"topic": pl.String, "doc": pl.String, "value": pl.Float64}
        table = RowTable(escape_surrogates(source), pl.DataFrame(schema=schema), np.zeros(0, dtype=np.uint64), str)
        return Qrels(table)
    return judgments.with_grades(grades) if grades else judgments


def _find_sources(runs: Any, options: SourceOptions, unreadable: list[Unreadable]) -> list[RunSource]:
    """Return the sources that *runs* names; names without files are unreadable."""
    if runs is None or (isinstance(runs, list | tuple) and not runs):
        return []
    try:
        return find_sources(runs, options)
    except AssayError as error:
        if not isinstance(runs, list | tuple):
            unreadable.append(_describe_failure(str(runs) if isinstance(runs, str | Path) else "runs", error))
            return []
    sources: list[RunSource] = []
    known: set[str] = set()
    for number, run in enumerate(runs, 1):
        try:
            is_path = isinstance(run, str | Path)
            run_sources = find_sources(run if is_path else [run], options, name=None if is_path else f"run{number}")
        except AssayError as error:
            unreadable.append(_describe_failure(str(run) if is_path else f"run{number}", error))
            continue
        for source in run_sources:
            path = None if source.path is None else os.path.realpath(source.path)
            if path is not None and path in known:
                message = f"{source.path}: named more than once; name each file once"
                unreadable.append(_describe_failure(str(source.path), InputError(message)))
                continue
            known |= set() if path is None else {path}
            sources.append(source)
    return sources


def _note_ignored_entries(runs: Any) -> list[str]:
    """Return notes on entries of the directories among *runs* that are not read."""
    notes = []
    for run in runs if isinstance(runs, list | tuple) else [runs]:
        with suppress(AssayError):  # a name without a file, which is already among the unreadable sources
            notes += note_ignored_entries(run)
    return notes


def _describe_failure(source: str, error: AssayError) -> Unreadable:
    problems = error.problems if isinstance(error, EmptySourceError) else ()
    return Unreadable(escape_surrogates(source), str(error), problems)


def _make_names_unique(runs: list[JoinedRun], unreadable: list[Unreadable]) -> list[JoinedRun]:
    """Number the runs of one source, and the runs named by the user, that have the same name."""
    known: set[tuple[str, str]] = set()
    named = []
    for run in runs:
        name, number = run.name, 1
        source = "" if run.is_named else run.source
        while (name, source) in known:
            number += 1
            name = f"{run.name} ({number})"
        if number > 1:
            message = f"{run.source}: two runs are both named {run.name}; name them with NAME=FILE"
            unreadable.append(Unreadable(run.source, message, is_named_twice=True))
        known.add((name, source))
        named.append(run._replace(name=name))
    return named
