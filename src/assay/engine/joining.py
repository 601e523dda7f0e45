"""Read the runs of all sources in parallel and join them with the judgments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import NamedTuple, TypeVar

from assay.engine.assembly import Assembly
from assay.engine.budget import default_budget, limited_budget
from assay.engine.chunk import Join
from assay.engine.source_join import GrowingRun, SourceJoin
from assay.engine.sources import RunSource
from assay.engine.workers import Progress, await_result, count_bytes, map_in_threads, thread_pool
from assay.errors import AssayError, InputError, escape_surrogates
from assay.io.spill import Directory
from assay.io.table import RowTable
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.notes import Note, TopicCoverage, no_shared_topic_message, order_notes, topic_notes
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.model.run import assign_run_names

Result = TypeVar("Result")
_Chunks = list[tuple[GrowingRun, JoinedRun]]


class Limits(NamedTuple):
    """Limits of reading.

    *memory* is a number of bytes, or None for no limit. *measures* is the number of measures whose values must fit into
    memory. *temporary_directory* is for temporary files.
    """

    memory: int | None = None
    measures: int = 0
    temporary_directory: Directory = None


class JoinedSources(NamedTuple):
    """Judgments and runs after the join.

    *runs* describe the runs, with documents if these are kept. *judged* holds the rankings of the judged topics with
    grade codes. *numbers* holds the same rankings with judgment numbers. *judged* and *numbers* are None if they are
    not kept.
    """

    qrels: Qrels | None
    runs: list[JoinedRun]
    judged: Judged | None = None
    numbers: Judged | None = None


def join_sources(
    read_qrels: Callable[[], Qrels | None],
    sources: Sequence[RunSource],
    policies: Policies,
    *,
    keep: str = "grades",
    any_topics: bool = False,
    facts: bool = False,
    failed: Callable[[RunSource, AssayError], None] | None = None,
    limits: Limits = Limits(),
    progress: Progress | None = None,
) -> JoinedSources:
    """Read and join judgments and runs; the first runs are parsed while the judgments are still being read.

    *keep* is as in ``join_run``. With *any_topics*, runs that share no topic with the qrels are accepted. With *facts*,
    the runs have ``JoinedRun.facts``. If *failed* is given, it is called with each source of runs that cannot be read
    and its error, and the other sources are joined. *progress* is called with the number of bytes read and the total.
    """
    report = None if progress is None else count_bytes(progress, sum(source.size() for source in sources))
    budget = default_budget(limits.temporary_directory)
    if limits.memory is not None:
        # Read the judgments first: their size determines how much memory is available for chunks.
        judgments = read_qrels()
        read_qrels = lambda: judgments  # noqa: E731
        budget = limited_budget(limits.memory, judgments, len(sources), limits.measures, limits.temporary_directory)
    if keep == "documents":
        budget = replace(budget, chunk=sys.maxsize)  # one chunk per source, since documents are not merged
    with thread_pool(budget.threads) as executor:
        qrels = executor.submit(read_qrels)
        join = Join(qrels.result, policies.ties, keep, facts)
        source_joins = [SourceJoin(source, join, budget, report) for source in sources]
        # One thread joins a small source. The chunks of a large source are distributed over all threads later.
        futures: list[Future[_Chunks] | None] = [
            executor.submit(list, source_join.chunks()) if source.is_small(budget.chunk) else None
            for source, source_join in zip(sources, source_joins, strict=True)
        ]
        assembly = Assembly(budget)
        runs: _Chunks = []
        try:
            for source, source_join, future in zip(sources, source_joins, futures, strict=True):
                mapping = map_in_threads(executor, budget.threads)
                try:
                    for run, chunk in source_join.chunks(mapping) if future is None else await_result(future):
                        assembly.add(run, chunk)
                    source_runs = source_join.runs()
                except AssayError as error:
                    if failed is None:
                        raise
                    failed(source, error)
                    continue
                for run, joined in source_runs:
                    runs.append((run, add_topic_notes(joined, await_result(qrels), policies, any_topics=any_topics)))
        except AssayError:
            await_result(qrels)  # report an error in the judgments before an error in a run
            raise
        judgments, joined_runs = await_result(qrels), [joined for _, joined in runs]
        if judgments is None or keep == "documents":
            return JoinedSources(judgments, joined_runs)
        return JoinedSources(judgments, joined_runs, *assembly.finish([run for run, _ in runs], judgments, policies))


def map_tables(
    sources: Sequence[RunSource],
    work: Callable[[RowTable], Result],
    *,
    needs_rank: bool,
    progress: Progress | None = None,
) -> list[Result]:
    """Apply *work* to each run of the sources, without keeping the runs in memory."""
    results: list[Result] = []
    with thread_pool(default_budget().threads) as executor:
        mapping = map_in_threads(executor, len(sources))
        by_source = mapping(lambda source: [work(table) for table in source.tables(needs_rank)], sources)
        for number, (_, source_results) in enumerate(by_source, 1):
            results += source_results
            if progress is not None:
                progress(number, len(sources))
    return results


def add_topic_notes(run: JoinedRun, qrels: Qrels | None, policies: Policies, *, any_topics: bool = False) -> JoinedRun:
    """Add notes on the topics and the order of a run; *any_topics* is as in ``join_sources``."""
    notes = order_notes(run.source, run.contradicted_topic_count, policies.ties)
    if qrels is not None:
        judged_count = len(run.topic) - (len(run.unjudged_topics) if run.documents is not None else 0)
        coverage = TopicCoverage(judged_count, len(run.unjudged_topics), run.unjudged_document_count)
        notes = note_topics(run.source, coverage, run.unjudged_topics, qrels, policies, any_topics=any_topics) + notes
    return run._replace(notes=(*run.notes, *notes))


def note_topics(
    source: str,
    coverage: TopicCoverage,
    unjudged_topics: Collection[str],
    qrels: Qrels,
    policies: Policies,
    *,
    any_topics: bool = False,
) -> list[Note]:
    """Return notes on differences between the topics of a run and of the judgments.

    A run that shares no topic with the qrels is an error unless *any_topics* is set.
    """
    if len(unjudged_topics) and not coverage.judged_topic_count and not any_topics:
        raise InputError(no_shared_topic_message(source, unjudged_topics, qrels.topics))
    return topic_notes(source, coverage, len(qrels.topics), unjudged_topics, policies.missing == "exclude")


def describe(
    qrels: Qrels | None, runs: Sequence[JoinedRun], policies: Policies, notes: Iterable[str] = ()
) -> tuple[tuple[str, ...], Provenance, tuple[str, ...]]:
    """Return unique names of the runs, provenance, and the notes of judgments and runs without repetitions."""
    names, naming_notes = assign_run_names(
        [(escape_surrogates(run.name), escape_surrogates(run.source)) for run in runs], [run.is_named for run in runs]
    )
    all_notes = [
        *(() if qrels is None else qrels.notes),
        *notes,
        *(note for run, naming in zip(runs, naming_notes, strict=True) for note in (*run.notes, *naming)),
    ]
    # The notes of a file with several runs occur in each of its runs.
    unique = {escape_surrogates(note): note for note in all_notes}
    unique_notes = tuple(
        note if text == note and isinstance(note, Note) else Note(text) for text, note in unique.items()
    )
    return tuple(names), Provenance.of(qrels, runs, names, policies), unique_notes
