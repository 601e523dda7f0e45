"""Answers: plain values as JSON or CSV, compressed once, kept for the next time; errors in one shape."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable, Hashable
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.views.explorer.keeping import Kept
from assay.views.explorer.working import Work
from assay.views.plots._style import finite

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
MOST_BYTES = 64 << 20
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
    return finite(frame).to_dicts()


class Answers:
    """Makes answers in a few threads (see ``Work``), and keeps those that were asked for last."""

    def __init__(self, most_bytes: int = MOST_BYTES, work: Work[Answer] | None = None) -> None:
        self.kept: Kept[Answer] = Kept(most_bytes, lambda answer: len(answer.body) + 500)
        self.work: Work[Answer] = Work(max(2, os.cpu_count() or 1)) if work is None else work

    async def get(self, key: Hashable, make: Callable[[], Answer], slow: bool = False) -> Answer:
        """The answer of a key; *slow* says that it may take seconds."""
        found = self.kept.find(key)
        return await self.work.do(key, lambda: self._keep(key, make()), slow) if found is None else found

    def _keep(self, key: Hashable, made: Answer) -> Answer:
        self.kept.put(key, made)
        return made

    def close(self) -> None:
        """Let the threads go, and everyone who waits."""
        self.work.close()
