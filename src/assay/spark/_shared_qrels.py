"""Judgments that every Python worker of a cluster keeps in memory once."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import numpy as np
import polars as pl

from assay.io.document_hash import hash_documents
from assay.io.table import RowTable
from assay.model.qrels import Qrels

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The judgments of a job by its key, on the driver and in each Python worker, which runs many tasks in sequence.
_CACHE: dict[str, Qrels] = {}


class SharedQrels:
    """Judgments that are sent to each executor once; ``get`` returns them on the driver and in tasks.

    The judgments are broadcast if the session has a context. With Spark Connect they are sent with each task. Leaving
    the ``with`` block frees all copies.
    """

    def __init__(self, spark: SparkSession, qrels: Qrels) -> None:
        from pyspark.errors import PySparkException

        self._key = uuid4().hex
        _CACHE[self._key] = qrels
        self._levels = qrels.levels
        buffer = BytesIO()
        qrels.frame().write_ipc_stream(buffer)
        self._payload: Any = buffer.getvalue()
        self._is_broadcast = False
        try:
            self._payload = spark.sparkContext.broadcast(self._payload)
            self._is_broadcast = True
        except (PySparkException, AttributeError):  # a Spark Connect session has no context
            pass

    def get(self) -> Qrels:
        """Return the judgments, on the driver or in a task."""
        if self._key not in _CACHE:
            _CACHE.clear()  # judgments of earlier jobs in this worker
            data = self._payload.value if self._is_broadcast else self._payload
            _CACHE[self._key] = _restore(data, self._levels)
        return _CACHE[self._key]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _CACHE.pop(self._key, None)
        if self._is_broadcast:
            self._payload.destroy()


def _restore(data: bytes, levels: np.ndarray) -> Qrels:
    rows = pl.read_ipc_stream(BytesIO(data)).rename({"grade": "value"})
    qrels = Qrels(RowTable("qrels", rows, hash_documents(rows["topic"], rows["doc"]), lambda row: "qrels"))
    return qrels if np.array_equal(qrels.levels, levels) else qrels.with_levels(levels)
