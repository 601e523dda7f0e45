"""Buckets of topics, and the work on each bucket in executors.

One shuffle moves the rows of runs and judgments to the partition of their topic. There the rows form a
:class:`Bucket`, which holds the same objects as an evaluation on one machine. Results do not depend on the order in
which rows arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.io.document_hash import hash_documents
from assay.io.table import RowTable
from assay.model.joined import join_run
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.spark import _frames

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 1_500_000
"""Target number of rows of runs in a bucket: about 100 MB in a Python worker, and one or two seconds of work."""
JUDGMENTS, RESULTS = 0, 1  # values of the column ``kind``


@dataclass(frozen=True, eq=False)
class Plan:
    """Properties of the whole campaign that executors need; sent with each task.

    Attributes
    ----------
    names
        The names of the runs, in order.
    hashes
        Spark's hash of each name, which assigns the runs of a split topic to its pieces.
    max_depth
        The length of the longest ranking of a judged topic.
    levels
        The grades of all judgments, ascending.
    split_topics
        Topics with too many documents for one bucket, and the number of pieces of each.
    judgments
        All judgments as Arrow bytes if they are broadcast; None otherwise.
    condensed_depth
        The length of the longest ranking after removing unjudged documents; None if no measure needs it.
    """

    names: tuple[str, ...]
    hashes: np.ndarray
    max_depth: int
    levels: np.ndarray
    split_topics: Mapping[str, int]
    judgments: bytes | None = None
    condensed_depth: int | None = None

    def build_buckets(self, rows: pl.DataFrame) -> Iterator[Bucket]:
        """Yield the buckets of one partition: one for all ordinary topics, and one for each piece of a split topic.

        *rows* has the columns kind, run, topic, piece, doc, value and optionally rank.
        """
        is_split = pl.col("topic").is_in(list(self.split_topics))
        ordinary = rows if not self.split_topics else rows.filter(~is_split)
        if len(ordinary):
            yield from self._build_bucket(ordinary, np.arange(len(self.names)))
        if len(ordinary) < len(rows):
            pieces = rows.filter(is_split).partition_by("topic", "piece", as_dict=True)
            for (topic, piece), piece_rows in sorted(pieces.items()):
                # The same formula as in _add_pieces of _campaign; both remainders are non-negative.
                run_indices = np.flatnonzero(self.hashes % self.split_topics[str(topic)] == piece)
                yield from self._build_bucket(piece_rows, run_indices)

    def _build_bucket(self, rows: pl.DataFrame, run_indices: np.ndarray) -> Iterator[Bucket]:
        """Yield a bucket with the runs at *run_indices*; yield nothing if there are no judgments."""
        is_judgment = rows["kind"] == JUDGMENTS
        runs = self._build_runs(rows.filter(~is_judgment), run_indices)
        judgments = rows.filter(is_judgment).select("topic", "doc", "value")
        if len(judgments):
            yield Bucket(self._build_qrels(judgments), runs, self)

    def _build_qrels(self, rows: pl.DataFrame) -> Qrels:
        if self.judgments is not None:
            # Only the topics were shuffled; their judgments come from the broadcast copy.
            rows = self._all_judgments.filter(pl.col("topic").is_in(rows["topic"].unique().implode()))
        else:
            _frames.check_judgments(rows)
        return build_qrels(rows, self.levels)

    @cached_property
    def _all_judgments(self) -> pl.DataFrame:
        return pl.read_ipc_stream(BytesIO(self.judgments or b""))

    def _build_runs(self, rows: pl.DataFrame, run_indices: np.ndarray) -> list[Run]:
        """Return the runs at *run_indices*; if there is a rank column, their rows are sorted by it."""
        if "rank" in rows.columns:
            rows = rows.sort(pl.col("rank").cast(pl.Int64, strict=False), maintain_order=True)
        run = rows["run"].cast(pl.Enum(self.names)).to_physical().to_numpy()
        if (run[1:] < run[:-1]).any():
            # Numpy sorts 16-bit integers with a radix sort, which is faster.
            sort_key = run.astype(np.uint16) if len(self.names) <= 1 << 16 else run
            order = np.argsort(sort_key, kind="stable")
            rows, run = rows[order], run[order]
        rows = rows.rechunk()
        key = hash_documents(rows["topic"], rows["doc"])
        _frames.check_results(rows, run, key)
        columns = rows.drop("kind", "run", "piece")
        begin, end = np.searchsorted(run, run_indices), np.searchsorted(run, run_indices, side="right")
        return [
            _build_run(self.names[i], columns.slice(b, e - b), key[b:e])
            for i, b, e in zip(run_indices.tolist(), begin.tolist(), end.tolist(), strict=True)
        ]


def build_qrels(rows: pl.DataFrame, levels: np.ndarray) -> Qrels:
    """Return the judgments in *rows* (topic, doc, value), with the grades of the whole campaign as *levels*."""
    table = RowTable("qrels", rows, hash_documents(rows["topic"], rows["doc"]), lambda row: "qrels")
    return Qrels(table).with_levels(levels)


def _build_run(name: str, rows: pl.DataFrame, key: np.ndarray) -> Run:
    return Run(RowTable(name, rows, key, lambda row: _frames.describe_place(name, rows, row), tag=name))


@dataclass(frozen=True, eq=False)
class Bucket:
    """Some topics of a campaign with their judgments and rankings: the input of a work function in an executor.

    Attributes
    ----------
    qrels
        The judgments of the topics. Their ``levels`` are the grades of the whole campaign.
    runs
        Every run of the campaign in the order of ``plan.names``, including runs without documents for these topics. A
        bucket with a piece of a split topic (see ``map_buckets``) has only some of the runs.
    plan
        Properties of the whole campaign.
    """

    qrels: Qrels
    runs: list[Run]
    plan: Plan

    def judge(self, policies: Policies) -> Judged:
        """Return the judged rankings, with the maximum depth of the whole campaign."""
        joined = [join_run(self.qrels, run.table, policies.ties) for run in self.runs]
        judged = Judged.assemble(self.qrels, joined, policies)
        return judged.with_max_depth(self.plan.max_depth, self.plan.condensed_depth).with_policies(policies)

    def build_campaign(self, policies: Policies) -> Campaign:
        """Return a campaign of the runs, with the maximum depth of the whole campaign."""
        names = tuple(run.name for run in self.runs)
        provenance = Provenance.of(self.qrels, self.runs, names, policies)
        judged = self.judge(replace(policies, unjudged="nonrelevant"))
        return Campaign(self.qrels, names, self.qrels.topics, policies, (), provenance, _whole=judged)


Work = Callable[[Bucket], "pa.Table"]
"""A work function: it computes the results of one bucket."""


def run_works(plan: Plan, works: Sequence[Work], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Apply work functions to the buckets of one partition, and yield the results.

    If there are several functions, the column ``work`` of a row has the index of its function.
    """
    import pyarrow as pa

    received = list(batches)
    if not received:
        return
    rows = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(received)))
    del received  # frees memory before the work starts
    parts = {(0,): rows} if len(works) == 1 else rows.partition_by("work", include_key=False, as_dict=True)
    for (number,), part in parts.items():
        for bucket in plan.build_buckets(part):
            yield from works[number](bucket).to_batches()
