"""Answers: plain values as JSON or CSV, compressed once, kept for the next time; errors in one shape."""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import os
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from assay.views.explorer.keeping import Kept

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
MOST_BYTES = 64 << 20
MOST_WAITING = 500
_SMALL = 1_000  # bytes that are not worth compressing


class Answer(NamedTuple):
    """The body of an answer, perhaps compressed; what it is, a tag that changes with it, the name of a download."""

    body: bytes
    compressed: bool
    kind: str
    tag: str
    name: str | None = None

    @classmethod
    def of(cls, body: bytes, kind: str, name: str | None = None) -> Answer:
        """An answer with this body."""
        compressed = len(body) > _SMALL
        tag = sha256(body).hexdigest()[:20]
        return cls(gzip.compress(body, 3, mtime=0) if compressed else body, compressed, kind, tag, name)

    def plain(self) -> bytes:
        """The body as it was."""
        return gzip.decompress(self.body) if self.compressed else self.body


class Failure(Exception):  # noqa: N818 (what is told to a client, not a fault of the program)
    """An answer that is no success: a status and one clear line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def as_json(value: Any) -> bytes:
    """Plain values as JSON; what is no finite number is null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain)
    except ValueError:  # something is not finite; going through everything first takes several times as long
        text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()


def failed(status: int, message: str) -> bytes:
    """The one shape of errors."""
    return as_json({"error": {"status": status, "message": message}})


def plain(value: Any) -> Any:
    """Frames as lists of rows, arrays as lists, numbers as JSON has them."""
    if isinstance(value, pl.DataFrame):
        return rows(value)
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame; what is no finite number is null."""
    return frame.with_columns(pl.when(cs.float().is_finite()).then(cs.float()).name.keep()).to_dicts()


class Answers:
    """Makes answers in a few threads, each only once at a time, and keeps those that were asked for last.

    What may take seconds waits for a thread of its own, so that it does not hold up what is quick.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, workers: int | None = None) -> None:
        self.kept: Kept[Answer] = Kept(most_bytes, lambda answer: len(answer.body) + 500)
        self._quick = ThreadPoolExecutor(workers or max(2, os.cpu_count() or 1), "assay-explorer")
        self._slow = ThreadPoolExecutor(1, "assay-explorer-slow")
        self._waiting: dict[Hashable, Future[Answer]] = {}
        self._lock = Lock()

    async def get(self, key: Hashable, make: Callable[[], Answer], slow: bool = False) -> Answer:
        """The answer of a key."""
        found = self.kept.find(key)
        if found is not None:
            return found
        return await asyncio.shield(asyncio.wrap_future(self._made(key, make, slow)))

    def _made(self, key: Hashable, make: Callable[[], Answer], slow: bool) -> Future[Answer]:
        with self._lock:
            future = self._waiting.get(key)
            if future is not None:
                return future
            if len(self._waiting) >= MOST_WAITING:
                raise Failure(503, "too much is asked for at once; try again in a moment")
            future = self._waiting[key] = (self._slow if slow else self._quick).submit(make)
        future.add_done_callback(lambda done: self._done(key, done))
        return future

    def _done(self, key: Hashable, future: Future[Answer]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.kept.put(key, future.result())
        with self._lock:
            if self._waiting.get(key) is future:
                del self._waiting[key]

    def close(self) -> None:
        """Let the threads go."""
        for threads in (self._quick, self._slow):
            threads.shutdown(wait=False, cancel_futures=True)
