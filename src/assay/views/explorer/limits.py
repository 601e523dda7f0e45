"""Limits of the server: number of connections, duration of requests and responses, rate of log messages."""

from __future__ import annotations

import logging
from typing import Any

MAX_CONNECTIONS = 256
"""Maximum number of open connections, or half of the open files that the process is allowed if that is less."""
REQUEST_SECONDS = 30.0
"""Maximum time from the start of a connection, or from the end of a response, to the end of the next request."""
RESPONSE_SECONDS = 30.0
"""Maximum time for which a response may stall because the client does not read it."""
BACKLOG = 100
"""Maximum number of connections that wait to be accepted; kept low, because Python before 3.13 logs a traceback for
each of these connections when the process has no free file descriptor.
"""
MAX_MESSAGES, MESSAGES_SECONDS = 10, 60.0


def max_connections() -> int:
    """Return the maximum number of open connections."""
    try:
        import resource
    except ImportError:  # Windows has no limit on open files.
        return MAX_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS if files == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, files // 2)


class RateLimit(logging.Filter):
    """Filter that logs at most a few records per period, and reports how many were dropped."""

    def __init__(self, limit: int = MAX_MESSAGES, seconds: float = MESSAGES_SECONDS) -> None:
        super().__init__()
        self._limit = limit
        self._seconds = seconds
        self._start = -seconds
        self._count = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a record is to be logged."""
        if not 0 <= record.created - self._start < self._seconds:
            dropped = self._count - self._limit
            if dropped > 0:
                record.msg, record.args = f"{record.getMessage()} ({dropped} earlier messages not shown)", None
            self._start, self._count = record.created, 0
        self._count += 1
        return self._count <= self._limit


def logging_config() -> dict[str, Any]:
    """Return the logging configuration of the server: errors only, on standard error, at a limited rate."""
    errors = {"handlers": ["errors"], "level": "ERROR"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"rate": {"()": RateLimit}},
        "handlers": {"errors": {"class": "logging.StreamHandler", "filters": ["rate"]}},
        "loggers": {"uvicorn.error": errors, "asyncio": errors, "assay.explorer": errors},
    }
