"""Topics in buckets, and work on each bucket in executors: all that a job needs to know of Spark.

Rows of runs and of judgments go to the partition of their topic in one shuffle; there they are a :class:`Bucket`, which
holds what the functions of one machine take. Nothing depends on the order in which rows arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.io.keys import keys
from assay.io.table import RowTable
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.spark import _checks

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1_500_000
"""How many rows of runs a bucket should hold: about 100 MB in a Python worker, and a second of work or two."""
JUDGMENTS, RESULTS = 0, 1


@dataclass(frozen=True, eq=False)
class Bucket:
    """Some topics of a campaign with all that is known of them; what a job works on in an executor.

    Attributes
    ----------
    qrels
        The judgments of the topics. Its ``levels`` are the grades of the whole campaign.
    runs
        Every run of the campaign in the order of *names*, also those without documents here. Only of a topic with so
        many documents that it was split (see ``each_bucket``) some of the runs: look at their names.
    names
        The names of all the runs of the campaign.
    longest
        The length of the longest ranking of a judged topic in the whole campaign.
    condensed
        The same without unjudged documents, if a measure looks at it.
    """

    qrels: Qrels
    runs: list[Run]
    names: tuple[str, ...]
    longest: int
    condensed: int | None = None


Work = Callable[[Bucket], "pa.Table"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What executors must know of the whole campaign; it travels with the task.

    *hashes* are Spark's of the names, by which the runs of a *heavy* topic are told apart (its name with the number of
    pieces). *judgments* are all judgments as Arrow bytes if they are broadcast, else None.
    """

    names: tuple[str, ...]
    hashes: np.ndarray
    longest: int
    levels: np.ndarray
    heavy: Mapping[str, int]
    judgments: bytes | None = None
    condensed: int | None = None

    def buckets(self, rows: pl.DataFrame) -> Iterator[Bucket]:
        """The buckets of one partition: its usual topics together, and each piece of a heavy topic by itself.

        *rows* has the columns kind, run, topic, piece, doc, value, perhaps rank.
        """
        usual = rows if not self.heavy else rows.filter(~pl.col("topic").is_in(list(self.heavy)))
        if len(usual):
            yield from self._bucket(usual, np.arange(len(self.names)))
        if len(usual) < len(rows):
            parts = rows.filter(pl.col("topic").is_in(list(self.heavy))).partition_by("topic", "piece", as_dict=True)
            for (topic, piece), part in sorted(parts.items()):
                here = np.flatnonzero(self.hashes % self.heavy[str(topic)] == piece)
                yield from self._bucket(part, here)

    def _bucket(self, rows: pl.DataFrame, here: np.ndarray) -> Iterator[Bucket]:
        judged = rows["kind"] == JUDGMENTS
        runs = self._runs(rows.filter(~judged), here)
        judgments = rows.filter(judged).select("topic", "doc", "value")
        if len(judgments):
            yield Bucket(self._qrels(judgments), runs, self.names, self.longest, self.condensed)

    def _qrels(self, rows: pl.DataFrame) -> Qrels:
        if self.judgments is not None:
            rows = self._all_judgments.filter(pl.col("topic").is_in(rows["topic"].unique().implode()))
        else:
            _checks.judgments(rows)
        table = RowTable("qrels", rows, keys(rows["topic"], rows["doc"]), lambda row: "qrels")
        return Qrels(table).with_levels(self.levels)

    @cached_property
    def _all_judgments(self) -> pl.DataFrame:
        return pl.read_ipc_stream(BytesIO(self.judgments or b""))

    def _runs(self, rows: pl.DataFrame, here: np.ndarray) -> list[Run]:
        """Return the runs numbered *here*; with a rank column, rows are in its order."""
        if "rank" in rows.columns:
            rows = rows.sort(pl.col("rank").cast(pl.Int64, strict=False), maintain_order=True)
        number = rows["run"].cast(pl.Enum(self.names)).to_physical().to_numpy()
        if (number[1:] < number[:-1]).any():
            small = number.astype(np.uint16) if len(self.names) <= 1 << 16 else number  # sorted by their digits
            order = np.argsort(small, kind="stable")
            rows, number = rows[order], number[order]
        rows = rows.rechunk()
        key = keys(rows["topic"], rows["doc"])
        _checks.results(rows, number, key)
        kept = rows.drop("kind", "run", "piece")
        begin, end = np.searchsorted(number, here), np.searchsorted(number, here, side="right")
        return [
            _run(self.names[i], kept.slice(b, e - b), key[b:e])
            for i, b, e in zip(here.tolist(), begin.tolist(), end.tolist(), strict=True)
        ]


def _run(name: str, rows: pl.DataFrame, key: np.ndarray) -> Run:
    return Run(RowTable(name, rows, key, lambda row: _checks.place(name, rows, row), tag=name))


def worked(plan: Plan, work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What *work* makes of the rows of one partition."""
    import pyarrow as pa

    found = list(batches)
    if not found:
        return
    rows = pl.from_arrow(pa.Table.from_batches(found))
    del found
    for bucket in plan.buckets(pl.DataFrame(rows)):
        yield from work(bucket).to_batches()


def worked_in_parts(plan: Plan, works: Sequence[Work], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same of rows with a column ``part``, which tells the number of the work that they are for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = list(batches)
    if not found:
        return
    table = pa.Table.from_batches(found)
    for number in pc.unique(table["part"]).to_pylist():
        own = table.filter(pc.equal(table["part"], number)).drop_columns("part")
        yield from worked(plan, works[number], iter(own.to_batches()))


def as_arrow(frame: pl.DataFrame) -> pa.Table:
    """A frame as Spark takes it, NaN as null."""
    return plain(frame.with_columns(pl.col(pl.Float64).fill_nan(None)))


def plain(frame: pl.DataFrame) -> pa.Table:
    """A frame as Spark takes it: strings of the one kind that it knows."""
    import pyarrow as pa

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    texts = {field.name for field in table.schema if pa.types.is_large_string(field.type)}
    return table.cast(pa.schema([pa.field(f.name, pa.string() if f.name in texts else f.type) for f in table.schema]))
