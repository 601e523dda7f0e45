"""Read the runs of all sources and join them with the judgments, side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from assay.engine.sources import RunSource
from assay.engine.workers import Progress, await_result, collect, thread_pool
from assay.errors import InputError
from assay.io import pieces, trec
from assay.model.joined import JoinedRun, join_run, merge_chunks
from assay.model.notes import TopicCoverage, no_shared_topic, order_notes, topic_notes
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run

Result = TypeVar("Result")


def join_sources(
    read_qrels: Callable[[], Qrels | None],
    sources: Sequence[RunSource],
    policies: Policies,
    *,
    keep: str = "grades",
    any_topics: bool = False,
    progress: Progress | None = None,
) -> tuple[Qrels | None, list[JoinedRun]]:
    """Read the judgments and the runs, and join them; the first runs are parsed while the judgments are read.

    Only a few runs are at work at once, so that only a few are in memory. *keep* is as in ``join_run``; with
    *any_topics*, runs that share no topic with the qrels are accepted.
    """

    def prepare() -> Qrels | None:
        qrels = read_qrels()
        return None if qrels is None else qrels.prepared()

    def join(source: RunSource) -> list[JoinedRun]:
        runs = _join_source(source, qrels, policies.ties, keep)
        judgments = qrels.result()
        return [add_topic_notes(run, judgments, policies, any_topics=any_topics) for run in runs]

    with thread_pool(len(sources) + 1) as executor:
        qrels = executor.submit(prepare)
        waiting = [executor.submit(join, source) for source in sources]
        judgments = await_result(qrels)
        return judgments, [run for runs in collect(waiting, progress) for run in runs]


def read_each(
    sources: Sequence[RunSource], work: Callable[[Run], Result], *, rank: bool, progress: Progress | None = None
) -> list[Result]:
    """Apply *work* to each run of the sources; a run is forgotten when *work* is done with it."""
    with thread_pool(len(sources)) as executor:
        waiting = [
            executor.submit(lambda source: [work(run) for run in source.runs(rank=rank)], source) for source in sources
        ]
        return [result for results in collect(waiting, progress) for result in results]


def _join_source(source: RunSource, qrels: Future[Qrels | None], ties: str, keep: str) -> list[JoinedRun]:
    # Chunks are parsed without the rank column, and their documents would have to be merged.
    if source.path is not None and ties != "rank" and keep in ("grades", "judgments"):
        large = pieces.opened(source.path)
        run = None if large is None else _join_chunks(large, qrels, ties, keep)
        if run is not None:
            return [run if source.name is None else run._replace(name=source.name)]
    # Reading comes first: the judgments may still be on their way.
    runs = source.runs(rank=ties == "rank")
    return [join_run(qrels.result(), run, ties, keep) for run in runs]


def _join_chunks(large: pieces.Pieces, qrels: Future[Qrels | None], ties: str, keep: str) -> JoinedRun | None:
    """Join a large run chunk by chunk; None if it must be read as a whole (an odd line, a topic in several places)."""

    def join(begin: int, end: int) -> JoinedRun | None:
        table = trec.piece(large.read(begin, end), large.path)
        return None if table is None else join_run(qrels.result(), Run(table), ties, keep)

    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as executor:
        digest = executor.submit(pieces.digest, large.path)
        joined = list(executor.map(lambda piece: join(*piece), large.ranges()))
        chunks = [chunk for chunk in joined if chunk is not None]
        if len(chunks) < len(joined) or len({chunk.name for chunk in chunks}) > 1:
            return None
        merged = merge_chunks(chunks)
        return None if merged is None else merged._replace(digest=digest.result())


def add_topic_notes(run: JoinedRun, qrels: Qrels | None, policies: Policies, *, any_topics: bool = False) -> JoinedRun:
    """Add notes on the topics of a run; one that shares none with the qrels is refused unless *any_topics* is set."""
    notes = order_notes(run.source, run.contradicted, policies.ties)
    if qrels is not None:
        answered = int(run.answered.sum()) - (len(run.unjudged_topics) if run.documents is not None else 0)
        if run.unjudged_topics and not answered and not any_topics:
            raise InputError(no_shared_topic(run.source, run.unjudged_topics, qrels.topics))
        coverage = TopicCoverage(answered, len(run.unjudged_topics), run.unjudged_rows)
        left_out = policies.topics == "intersection"
        notes = topic_notes(run.source, coverage, len(qrels.topics), run.unjudged_topics, left_out) + notes
    return run._replace(notes=(*run.notes, *notes))
