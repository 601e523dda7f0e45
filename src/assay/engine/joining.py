"""Read the runs of all sources in parallel and join them with the judgments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, TypeVar

from assay.engine.assembly import Assembly
from assay.engine.budget import Budget, default_budget, limited_budget
from assay.engine.chunk import Join
from assay.engine.source_join import RunKey, SourceJoin
from assay.engine.sources import RunSource
from assay.engine.workers import ByteProgress, Progress, await_result, map_in_threads, thread_pool
from assay.errors import AssayError, InputError
from assay.io.spill import Directory
from assay.io.table import RowTable
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.notes import TopicCoverage, no_shared_topic_message, order_notes, topic_notes
from assay.model.policies import Policies
from assay.model.qrels import Qrels

Result = TypeVar("Result")


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
    grade codes. *numbers* holds the same rankings with judgment numbers. Each is None if it is not kept.
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
    limits: Limits = Limits(),
    progress: Progress | None = None,
) -> JoinedSources:
    """Read and join judgments and runs; the first runs are parsed while the judgments are still being read.

    *keep* is as in ``join_run``. With *any_topics*, runs that share no topic with the qrels are accepted. *progress* is
    called with the number of bytes read and the total.
    """
    report = ByteProgress(progress, sum(source.size() for source in sources))
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
        join = Join(qrels.result, policies.ties, keep)
        submitted = [_submit(executor, SourceJoin(source, join, budget, report), source, budget) for source in sources]
        assembly = Assembly(policies, keep, budget)
        try:
            for number, (source_join, future) in enumerate(submitted):
                mapping = map_in_threads(executor, budget.threads)
                for key, chunk in source_join.chunks(mapping) if future is None else await_result(future):
                    assembly.add((number, key), chunk)
                for key, run in source_join.runs():
                    run_with_notes = add_topic_notes(run, await_result(qrels), policies, any_topics=any_topics)
                    assembly.add_run((number, key), run_with_notes)
        except AssayError:
            await_result(qrels)  # report an error in the judgments before an error in a run
            raise
        judgments = await_result(qrels)
        return JoinedSources(judgments, list(assembly.runs.values()), *assembly.finish(judgments))


def _submit(
    executor: ThreadPoolExecutor, source_join: SourceJoin, source: RunSource, budget: Budget
) -> tuple[SourceJoin, Future[list[tuple[RunKey, JoinedRun]]] | None]:
    """Submit a small source to one thread; the chunks of a large source are distributed over all threads later."""
    if not source.is_small(budget.chunk):
        return source_join, None
    return source_join, executor.submit(lambda: list(source_join.chunks()))


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
    """Add notes on the topics of a run.

    A run that shares no topic with the qrels is an error unless *any_topics* is set.
    """
    notes = order_notes(run.source, run.contradicted_topic_count, policies.ties)
    if qrels is not None:
        judged_count = len(run.topic) - (len(run.unjudged_topics) if run.documents is not None else 0)
        if run.unjudged_topics and not judged_count and not any_topics:
            raise InputError(no_shared_topic_message(run.source, run.unjudged_topics, qrels.topics))
        coverage = TopicCoverage(judged_count, len(run.unjudged_topics), run.unjudged_document_count)
        exclude_missing = policies.missing == "exclude"
        notes = topic_notes(run.source, coverage, len(qrels.topics), run.unjudged_topics, exclude_missing) + notes
    return run._replace(notes=(*run.notes, *notes))
