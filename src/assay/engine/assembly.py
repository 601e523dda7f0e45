"""Assemble the judged rankings of a campaign from the chunks of all runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.engine.budget import Budget
from assay.io.spill import SpillArray
from assay.model.arrays import Ints, expand_ranges
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Hashable

_GATHER_SIZE = 1 << 22  # documents copied in one step


class _ChunkRankings(NamedTuple):
    """Rankings of one chunk: topics and lengths, and the position of the first document of the chunk in the columns."""

    topic: Ints
    length: Ints
    first: int


class Assembly:
    """Collects chunks in any order; grade codes that exceed the budget are stored in memory-mapped files.

    Runs with documents are not assembled: they are only collected in ``runs``.
    """

    def __init__(self, policies: Policies, keep: str, budget: Budget) -> None:
        self._policies = policies
        self._keep = keep
        self._budget = budget
        self._columns: dict[str, SpillArray] = {}
        self._chunks: dict[Hashable, list[_ChunkRankings]] = {}
        self.runs: dict[Hashable, JoinedRun] = {}

    def add(self, key: Hashable, chunk: JoinedRun) -> None:
        """Add a chunk of a run."""
        if chunk.documents is None:
            columns: dict[str, Any] = {"code": chunk.code, "tied": chunk.tied, "judgment": chunk.judgment}
            first = 0
            for name, values in columns.items():
                if values is not None:
                    first = self._get_column(name, values.dtype).append(values)
            self._chunks.setdefault(key, []).append(_ChunkRankings(chunk.topic, chunk.length, first))

    def _get_column(self, name: str, dtype: np.dtype[Any]) -> SpillArray:
        if name not in self._columns:
            self._columns[name] = SpillArray(dtype, self._budget.spill_limit, self._budget.temporary_directory)
        return self._columns[name]

    def add_run(self, key: Hashable, run: JoinedRun) -> None:
        """Add the description of a complete run; chunks of runs that are never added are ignored."""
        self.runs[key] = run

    def finish(self, qrels: Qrels | None) -> tuple[Judged | None, Judged | None]:
        """Return the rankings with grade codes, and with judgment numbers; None if these are not kept."""
        if qrels is None or self._keep == "documents":
            return None, None
        chunks = [chunk for key in self.runs for chunk in self._chunks.get(key, [])]
        counts = [len(self._chunks.get(key, [])) for key in self.runs]
        run = np.repeat(np.repeat(np.arange(len(counts)), counts), [len(chunk.topic) for chunk in chunks])
        topic = _concatenate([chunk.topic for chunk in chunks])
        size = _concatenate([chunk.length for chunk in chunks])
        length = np.zeros((len(self.runs), len(qrels.topics)), dtype=np.int64)
        length[run, topic] = size
        columns = self._sort_columns(run * len(qrels.topics) + topic, size, chunks)
        code = columns.get("code", np.zeros(0, dtype=qrels.code_type))
        judged = Judged.from_columns(qrels, length, code, columns.get("tied"), self._policies)
        return judged, replace(judged, code=columns["judgment"]) if "judgment" in columns else None

    def _sort_columns(self, ranking: Ints, size: Ints, chunks: list[_ChunkRankings]) -> dict[str, np.ndarray]:
        """Return the columns in the order of the rankings, without ignored chunks."""
        columns = {name: column.array() for name, column in self._columns.items()}
        first = _concatenate([chunk.first + np.cumsum(chunk.length) - chunk.length for chunk in chunks])
        is_complete = all(len(column) == size.sum() for column in columns.values())
        if is_complete and all((values[1:] > values[:-1]).all() for values in (ranking, first)):
            return columns
        order = np.argsort(ranking)
        return {name: self._gather(column, first[order], size[order]) for name, column in columns.items()}

    def _gather(self, column: np.ndarray, first: Ints, size: Ints) -> np.ndarray:
        """Return the concatenated values of rankings, copied step by step to limit memory."""
        gathered = SpillArray(column.dtype, self._budget.spill_limit, self._budget.temporary_directory)
        ends = np.cumsum(size)
        begin = 0
        while begin < len(size):
            copied = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, copied + _GATHER_SIZE, side="right")), begin + 1)
            gathered.append(column[expand_ranges(first[begin:end], size[begin:end])])
            begin = end
        return gathered.array()


def _concatenate(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
