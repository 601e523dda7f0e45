"""Join one source with the judgments, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from assay.engine.budget import Budget
from assay.engine.chunk import ChunkFacts, Failure, Join, JoinedChunk, join_carefully, join_fast
from assay.engine.partitions import Partitions
from assay.engine.sources import Reader, RunSource
from assay.engine.workers import OrderedMap, map_serially
from assay.errors import InputError, escape_surrogates
from assay.io.checks import RUN_ACTIONS
from assay.io.chunks import Chunk
from assay.io.problems import Problems
from assay.io.source import run_name
from assay.io.spill import SpillFile
from assay.io.stream import ByteCallback
from assay.io.table import RowTable
from assay.model.joined import JoinedRun
from assay.model.run_facts import RunFacts


class ReadAgainError(Exception):
    """The source must be read again: a topic occurs in several chunks, or the custom reader is needed."""


class GrowingRun:
    """One run of a source while its chunks arrive.

    Attributes
    ----------
    name
        The name of the run in a table; None for text.
    checks
        Problems of rows, such as duplicates.
    failure
        The first failure; None if there is none.
    row_count
        Number of rows.
    chunks
        The chunks, without grade codes unless documents are kept.
    starts
        The position of the first document of each chunk in the columns of ``Assembly``, which stores the grade codes.
    """

    def __init__(self, name: str | None, checks: Problems) -> None:
        self.name = name
        self.checks = checks
        self.failure: Failure | None = None
        self.row_count = 0
        self.chunks: list[JoinedRun] = []
        self.starts: list[int] = []
        self._answered = np.zeros(0, dtype=bool)
        self._unjudged_topics: set[str] = set()

    def add(self, chunk: JoinedRun, checks: Problems | None = None, failure: Failure | None = None) -> None:
        """Add a chunk; raise ReadAgainError if one of its topics occurred in another chunk."""
        if not self.chunks:
            self._answered = chunk.answered
        elif self._answered[chunk.topic].any() or not self._unjudged_topics.isdisjoint(chunk.unjudged_topics):
            raise ReadAgainError
        self._answered[chunk.topic] = True
        self._unjudged_topics |= chunk.unjudged_topics
        self.row_count += int(chunk.length.sum()) + (chunk.unjudged_document_count if chunk.documents is None else 0)
        if chunk.documents is None:
            # A copy: a slice would keep all codes of the chunk in memory.
            chunk = chunk._replace(code=chunk.code[:0].copy(), tied=None, judgment=None)
        self.chunks.append(chunk)
        if checks is not None:
            self.checks.merge(checks)
        if failure is not None:
            self.failure = min(failure, self.failure or failure)

    def merge_chunks(self) -> JoinedRun:
        """Merge the chunks into one run without grade codes."""
        if len(self.chunks) == 1:
            return self.chunks[0]
        facts = [chunk.facts for chunk in self.chunks if chunk.facts is not None]
        return self.chunks[0]._replace(
            topic=np.concatenate([chunk.topic for chunk in self.chunks]),
            length=np.concatenate([chunk.length for chunk in self.chunks]),
            unjudged_topics=frozenset(self._unjudged_topics),
            unjudged_document_count=sum(chunk.unjudged_document_count for chunk in self.chunks),
            contradicted_topic_count=sum(chunk.contradicted_topic_count for chunk in self.chunks),
            facts=reduce(RunFacts.merge, facts) if facts else None,
        )


def merge_runs(chunks: Sequence[JoinedRun]) -> JoinedRun:
    """Merge the chunks of one run, without grade codes; raise ReadAgainError if a topic occurs in several chunks."""
    run = GrowingRun(None, Problems(""))
    for chunk in chunks:
        run.add(chunk)
    return run.merge_chunks()


class SourceJoin:
    """Joins the runs of one source.

    ``chunks`` yields the rankings; ``runs`` then returns the runs. If a topic occurs in several chunks, the source
    is read again. Callers must ignore the chunks of the first attempt: their runs are not among those that ``runs``
    returns.
    """

    def __init__(self, source: RunSource, join: Join, budget: Budget, report: ByteCallback | None = None) -> None:
        self._source = source
        self._join = join
        self._budget = budget
        self._report = report
        self._finished: list[tuple[GrowingRun, JoinedRun]] = []

    def chunks(self, mapping: OrderedMap = map_serially) -> Iterator[tuple[GrowingRun, JoinedRun]]:
        """Yield each chunk and its run; *mapping* applies the chunk function, possibly in several threads."""
        reader = self._source.open(self._join.needs_rank, self._budget)
        if isinstance(reader, list):
            yield from self._join_tables(reader)
            return
        runs = _SourceRuns(reader, self._source.lenient)
        try:
            yield from self._join_chunks(reader, runs, mapping)
        except ReadAgainError:
            if self._source.custom_reader:
                yield from self._join_tables(self._source.read(self._join.needs_rank))
                return
            runs = _SourceRuns(reader, self._source.lenient)
            yield from self._join_partitions(reader, runs, mapping)
        self._finished = runs.finish()

    def runs(self) -> list[tuple[GrowingRun, JoinedRun]]:
        """Return each run with its joined run (without grade codes), renamed as the user wants."""
        names = self._source.rename([joined.name for _, joined in self._finished])
        is_named = self._source.name is not None
        return [
            (run, joined._replace(name=name, is_named=is_named))
            for (run, joined), name in zip(self._finished, names, strict=True)
        ]

    def _join_tables(self, tables: list[RowTable]) -> Iterator[tuple[GrowingRun, JoinedRun]]:
        """Join runs that are read as a whole."""
        notes: tuple[str, ...] = ()
        if not self._budget.fits(self._source.text_size()):
            notes = (f"{self._source.path}: files of this format are read as a whole and may exceed the memory limit",)
        for table in tables:
            run = GrowingRun(table.tag, Problems(table.source))
            joined = self._join.join_table(replace(table, notes=(*table.notes, *notes)))
            run.add(joined)
            self._finished.append((run, run.merge_chunks()))
            yield run, joined
        if self._report is not None:
            self._report(self._source.size())

    def _join_chunks(
        self, reader: Reader, runs: _SourceRuns, mapping: OrderedMap
    ) -> Iterator[tuple[GrowingRun, JoinedRun]]:
        """Join the source chunk by chunk."""
        chunks: Iterator[Chunk] = reader.chunks(self._budget.chunk_size, self._report)
        for chunk, fast in mapping(partial(join_fast, join=self._join), chunks):
            # The fast join declines unusual chunks; they are joined carefully, in the order of the file.
            if fast is None and self._source.custom_reader:
                raise ReadAgainError
            joined = join_carefully(chunk, self._join, self._source.lenient, runs.line_count) if fast is None else fast
            runs.add_facts(joined.facts)
            yield from runs.add(joined)

    def _join_partitions(
        self, reader: Reader, runs: _SourceRuns, mapping: OrderedMap
    ) -> Iterator[tuple[GrowingRun, JoinedRun]]:
        """Read the source again, partition its rows by topic, and join the partitions."""
        spill = SpillFile(int(min(self._budget.spill_limit, 1 << 62)), self._budget.temporary_directory)
        partitions = Partitions(self._budget.partition_count(self._source.text_size()), spill)
        chunks: Iterator[Chunk] = reader.chunks(self._budget.chunk_size)
        origin: Chunk | None = None
        for chunk, fast in mapping(partitions.pack_fast, chunks):
            facts, rows = fast or partitions.pack_carefully(chunk, self._source.lenient, runs.line_count)
            partitions.add(rows, runs.line_count)
            runs.add_facts(facts)
            origin = chunk

        def join_partition(number: int) -> JoinedChunk | None:
            chunk = None if origin is None else partitions.load(number, origin)
            if chunk is None:
                return None
            return join_fast(chunk, self._join) or join_carefully(chunk, self._join, self._source.lenient)

        for _, joined in mapping(join_partition, range(len(partitions))):
            if joined is not None:
                yield from runs.add(joined)


class _SourceRuns:
    """The runs and problems of a source while its chunks arrive."""

    def __init__(self, reader: Reader, lenient: bool) -> None:
        self._reader = reader
        self._problems = Problems(reader.name, lenient)
        self._tags: frozenset[str] = frozenset()
        self._tag: str | None = None
        self._runs: dict[str | None, GrowingRun] = {}
        self.line_count = 0

    def add_facts(self, facts: ChunkFacts) -> None:
        """Add the facts about the source from the next chunk."""
        self.line_count += facts.line_count
        if facts.problems is not None:
            self._problems.merge(facts.problems)
        self._tags |= facts.tags
        self._tag = self._tag if facts.tag is None else facts.tag
        for name in facts.names:
            if name not in self._runs:
                self._runs[name] = GrowingRun(name, Problems(self._reader.name, self._problems.lenient))

    def add(self, joined: JoinedChunk) -> Iterator[tuple[GrowingRun, JoinedRun]]:
        """Add and yield the rankings of a chunk; raise ReadAgainError if a topic occurred in another chunk."""
        for name, chunk in joined.runs.items():
            run = self._runs[name]
            run.add(chunk, joined.checks.get(name), joined.failures.get(name))
            yield run, chunk

    def finish(self) -> list[tuple[GrowingRun, JoinedRun]]:
        """Return the runs; report problems in the same order as a reader of whole files."""
        self._problems.finish()
        runs = list(self._runs.values())
        for run in runs:
            run.checks.finish(RUN_ACTIONS)
            if not run.row_count:
                self._problems.merge(run.checks)
                self._problems.refuse_empty("results")
        for run in runs:
            if run.failure is not None:
                raise InputError(run.failure.message)
        return [(run, self._describe(run)) for run in runs]

    def _describe(self, run: GrowingRun) -> JoinedRun:
        """Return a run whose grade codes are not set yet, with its name, source, digest and notes."""
        source = self._reader.name
        several_tags = (
            f"{source}: contains {len(self._tags)} different tags; the run is named after the last one, {self._tag}"
        )
        notes = (
            *self._reader.notes,
            *([several_tags] if len(self._tags) > 1 else []),
            *self._problems.notes(),
            *run.checks.notes(),
        )
        return run.merge_chunks()._replace(
            name=run.name or self._tag or run_name(source),
            # The name of a file may contain bytes that are not UTF-8; tables and JSON need text.
            source=escape_surrogates(source),
            digest=self._reader.digest,
            notes=tuple(map(escape_surrogates, notes)),
            problems=(*self._problems.kinds, *run.checks.kinds),
        )
