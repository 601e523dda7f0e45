"""Responses: content as JSON or CSV, compressed once and cached; all errors have the same format."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable, Hashable
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from cachetools import LRUCache
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from assay.errors import AssayError
from assay.views.explorer.workers import Workers
from assay.views.plots._style import replace_nonfinite

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
HTML = "text/html; charset=utf-8"
CRASHED = "the explorer failed; see the terminal in which it was started"
CACHE_BYTES = 64 << 20
REVALIDATE = "no-cache"  # A browser may store the response, but must ask whether it has changed.
_OVERHEAD = 500  # Bytes of a cached response besides its body.
_SMALL = 1_000  # Bytes; smaller bodies are not compressed.


class Content(NamedTuple):
    """Content of a response.

    Attributes
    ----------
    body
        Bytes, gzip-compressed if *compressed*.
    compressed
        True if the body is compressed.
    media_type
        Value of ``Content-Type``.
    tag
        Digest of the uncompressed body, for ``ETag``.
    file_name
        Name under which a browser saves the body; None if the browser shows the body.
    """

    body: bytes
    compressed: bool
    media_type: str
    tag: str
    file_name: str | None = None

    @classmethod
    def of(cls, body: bytes, media_type: str, file_name: str | None = None) -> Content:
        """Return the content with this body, compressed unless the body is small."""
        compressed = len(body) > _SMALL
        tag = sha256(body).hexdigest()[:20]
        return cls(gzip.compress(body, 3, mtime=0) if compressed else body, compressed, media_type, tag, file_name)

    def plain(self) -> bytes:
        """Return the uncompressed body."""
        return gzip.decompress(self.body) if self.compressed else self.body


def to_json(value: Any) -> bytes:
    """Encode values as JSON; numbers that are not finite become null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=to_plain)
    except ValueError:
        # Some number is not finite. Replacing such numbers takes several times as long as encoding, so they are
        # replaced only if encoding fails.
        text = json.dumps(to_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()


def error_json(error: HTTPException) -> bytes:
    """Encode an error as JSON."""
    return to_json({"error": {"status": error.status_code, "message": error.detail}})


def to_http_error(error: Exception) -> HTTPException:
    """Return the error that a client sees; it hides the details of an internal error."""
    if isinstance(error, HTTPException):
        return error
    return HTTPException(400, str(error)) if isinstance(error, AssayError) else HTTPException(500, CRASHED)


def error_response(error: HTTPException, body: bytes | None = None, media_type: str = JSON) -> Response:
    """Build the response for an error, by default in JSON."""
    headers = {"cache-control": "no-store", **(error.headers or {})}
    return Response(error_json(error) if body is None else body, error.status_code, headers, media_type)


def build_response(request: Request, content: Content, caching: str = REVALIDATE) -> Response:
    """Build a response: compressed if the client accepts gzip, and empty (304) if it already has the content."""
    headers = {"etag": f'"{content.tag}"', "cache-control": caching, "vary": "accept-encoding"}
    client_tags = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if headers["etag"] in client_tags:
        return Response(status_code=304, headers=headers)
    if content.file_name is not None:
        headers["content-disposition"] = f'attachment; filename="{content.file_name}"'
    compressed = content.compressed and "gzip" in request.headers.get("accept-encoding", "")
    if compressed:
        headers["content-encoding"] = "gzip"
    return Response(content.body if compressed else content.plain(), headers=headers, media_type=content.media_type)


def to_plain(value: Any) -> Any:
    """Convert frames to lists of rows, arrays to lists, and numbers that are not finite to None."""
    if isinstance(value, pl.DataFrame):
        return replace_nonfinite(value).to_dicts()
    if isinstance(value, np.ndarray | np.generic):
        return to_plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class ResponseCache:
    """Least-recently-used cache of responses, bounded in bytes; worker threads compute missing responses."""

    def __init__(self, max_bytes: int = CACHE_BYTES, workers: Workers[Content] | None = None) -> None:
        self.contents: LRUCache[Hashable, Content] = LRUCache(max_bytes, lambda content: len(content.body) + _OVERHEAD)
        self.workers: Workers[Content] = Workers(max(2, os.cpu_count() or 1)) if workers is None else workers
        self._lock = Lock()  # Worker threads write to the cache, the event loop reads it.

    async def get(self, key: Hashable, compute: Callable[[], Content], slow: bool = False) -> Content:
        """Return the cached content of a key, or compute it; *slow* means that this may take seconds."""
        with self._lock:
            content = self.contents.get(key)
        if content is not None:
            return content
        return await self.workers.run(key, lambda: self._store(key, compute()), slow)

    def _store(self, key: Hashable, content: Content) -> Content:
        # This runs in the worker thread, so that an overdue response is cached even if no request waits for it.
        with self._lock, suppress(ValueError):  # The response is larger than the whole cache.
            self.contents[key] = content
        return content

    def close(self) -> None:
        """Stop the workers."""
        self.workers.close()
