"""Assemble the judged rankings of a campaign from the chunks of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.engine.budget import Budget
from assay.engine.source_join import GrowingRun
from assay.io.spill import SpillArray
from assay.model.arrays import Ints, expand_ranges
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels

_GATHER_SIZE = 1 << 22  # documents copied in one step


class Assembly:
    """Collects the columns of chunks in any order; columns that exceed the budget are stored in memory-mapped files.

    The columns are grade codes, tie flags and judgment numbers. Documents are not assembled.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._columns: dict[str, SpillArray] = {}

    def add(self, run: GrowingRun, chunk: JoinedRun) -> None:
        """Add the next chunk of a run."""
        if chunk.documents is not None:
            return
        for name in ("judgment", "tied", "code"):
            values = getattr(chunk, name)
            if values is not None:
                if name not in self._columns:
                    self._columns[name] = self._create_column(values.dtype)
                start = self._columns[name].append(values)
        run.starts.append(start)  # the same in all columns; every chunk has grade codes

    def _create_column(self, dtype: np.dtype[Any]) -> SpillArray:
        return SpillArray(dtype, self._budget.spill_limit, self._budget.temporary_directory)

    def finish(self, runs: Sequence[GrowingRun], qrels: Qrels, policies: Policies) -> tuple[Judged, Judged | None]:
        """Return the rankings of *runs* with grade codes, and with judgment numbers (None if these are not kept).

        Chunks of other runs are ignored: they belong to sources that were read again.
        """
        chunks = [chunk for run in runs for chunk in run.chunks]
        starts = [start for run in runs for start in run.starts]
        run_number = np.repeat(np.arange(len(runs)), [sum(len(chunk.topic) for chunk in run.chunks) for run in runs])
        topic = _concatenate([chunk.topic for chunk in chunks])
        size = _concatenate([chunk.length for chunk in chunks])
        before = [np.cumsum(chunk.length) - chunk.length for chunk in chunks]
        first = _concatenate([start + offset for start, offset in zip(starts, before, strict=True)])
        length = np.zeros((len(runs), len(qrels.topics)), dtype=np.int64)
        length[run_number, topic] = size
        columns = self._sort_columns(run_number * len(qrels.topics) + topic, first, size)
        code = columns.get("code", np.zeros(0, dtype=qrels.code_type))
        judgment = columns.get("judgment")
        judged = Judged.from_columns(qrels, length, code, columns.get("tied"), policies, judgment=judgment)
        return judged, None if judgment is None else replace(judged, code=judgment, facets=None)

    def _sort_columns(self, ranking: Ints, first: Ints, size: Ints) -> dict[str, np.ndarray]:
        """Return the columns in the order of the rankings, without ignored chunks.

        *first* is the position of the first document of each ranking in the columns, and *size* is its number of
        documents.
        """
        columns = {name: column.array() for name, column in self._columns.items()}
        is_complete = all(len(column) == size.sum() for column in columns.values())
        if is_complete and all((values[1:] > values[:-1]).all() for values in (ranking, first)):
            return columns
        order = np.argsort(ranking)
        return {name: self._gather(column, first[order], size[order]) for name, column in columns.items()}

    def _gather(self, column: np.ndarray, first: Ints, size: Ints) -> np.ndarray:
        """Return the concatenated values of rankings, copied step by step to limit memory."""
        gathered = self._create_column(column.dtype)
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
