"""Read the runs of all sources, side by side, and join them with the judgments."""

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
from assay.model.notes import TopicCoverage, no_shared_topic, order_notes, topic_notes
from assay.model.policies import Policies
from assay.model.qrels import Qrels

Result = TypeVar("Result")


class Limits(NamedTuple):
    """Limits of reading: bytes of memory (None: no limit), measures to evaluate, directory for temporary files."""

    memory: int | None = None
    measures: int = 0
    temporary: Directory = None


class JoinedSources(NamedTuple):
    """Judgments and runs after the join.

    *runs* describe the runs, with documents if these are kept. *judged* are the rankings of the judged topics with
    their grades, *numbers* the same rankings with the numbers of the judgments; None unless they are kept.
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
    """Read the judgments and the runs, and join them; the first runs are parsed while the judgments are read.

    *keep* is as in ``join_run``; with *any_topics*, runs that share no topic with the qrels are accepted. *progress* is
    called with the number of bytes read and their total.
    """
    report = ByteProgress(progress, sum(source.size() for source in sources))
    budget = default_budget(limits.temporary)
    if limits.memory is not None:
        known = read_qrels()
        read_qrels = lambda: known  # noqa: E731 - the size of the judgments decides how much is left for chunks
        budget = limited_budget(limits.memory, known, len(sources), limits.measures, limits.temporary)
    if keep == "documents":
        budget = replace(budget, chunk=sys.maxsize)  # documents of several chunks would have to be merged
    with thread_pool(budget.threads) as executor:
        qrels = executor.submit(read_qrels)
        join = Join(qrels.result, policies.ties, keep)
        waiting = [_submit(executor, SourceJoin(source, join, budget, report), source, budget) for source in sources]
        assembly = Assembly(policies, keep, budget)
        try:
            for number, (joining, future) in enumerate(waiting):
                mapping = map_in_threads(executor, budget.threads)
                for key, chunk in joining.chunks(mapping) if future is None else await_result(future):
                    assembly.add((number, key), chunk)
                for key, run in joining.runs():
                    noted = add_topic_notes(run, await_result(qrels), policies, any_topics=any_topics)
                    assembly.describe((number, key), noted)
        except AssayError:
            await_result(qrels)  # a problem of the judgments comes first
            raise
        judgments = await_result(qrels)
        return JoinedSources(judgments, list(assembly.runs.values()), *assembly.finish(judgments))


def _submit(
    executor: ThreadPoolExecutor, joining: SourceJoin, source: RunSource, budget: Budget
) -> tuple[SourceJoin, Future[list[tuple[RunKey, JoinedRun]]] | None]:
    """Have a small source joined by one thread; the chunks of a large one are left to all threads."""
    if not source.is_small(budget.chunk):
        return joining, None
    return joining, executor.submit(lambda: list(joining.chunks()))


def read_each(
    sources: Sequence[RunSource],
    work: Callable[[RowTable], Result],
    *,
    rank: bool,
    progress: Progress | None = None,
) -> list[Result]:
    """Apply *work* to each run of the sources; a run is forgotten when *work* is done with it."""
    results: list[Result] = []
    with thread_pool(default_budget().threads) as executor:
        mapping = map_in_threads(executor, len(sources))
        done = mapping(lambda source: [work(table) for table in source.tables(rank)], sources)
        for number, (_, several) in enumerate(done, 1):
            results += several
            if progress is not None:
                progress(number, len(sources))
    return results


def add_topic_notes(run: JoinedRun, qrels: Qrels | None, policies: Policies, *, any_topics: bool = False) -> JoinedRun:
    """Add notes on the topics of a run; one that shares none with the qrels is refused unless *any_topics* is set."""
    notes = order_notes(run.source, run.contradicted, policies.ties)
    if qrels is not None:
        answered = len(run.topic) - (len(run.unjudged_topics) if run.documents is not None else 0)
        if run.unjudged_topics and not answered and not any_topics:
            raise InputError(no_shared_topic(run.source, run.unjudged_topics, qrels.topics))
        coverage = TopicCoverage(answered, len(run.unjudged_topics), run.unjudged_rows)
        left_out = policies.missing == "exclude"
        notes = topic_notes(run.source, coverage, len(qrels.topics), run.unjudged_topics, left_out) + notes
    return run._replace(notes=(*run.notes, *notes))
