"""Limits of the server: how many connections, how long a request or an answer may take, how much is logged."""

from __future__ import annotations

import logging
from typing import Any

MOST_CONNECTIONS = 256
"""Open connections; half of the files that the process may open where that is less."""
REQUEST_SECONDS = 30.0
"""From the beginning of a connection, or the end of the last answer, to the end of the next request."""
ANSWER_SECONDS = 30.0
"""For which an answer may stand still because its reader does not take it."""
BACKLOG = 100
"""Connections accepted at once. Python before 3.13 logs a traceback for each of them when it runs out of files."""
MOST_MESSAGES, MESSAGES_SECONDS = 10, 60.0


def most_connections() -> int:
    """Return how many connections may be open at once."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 2)


class RateLimit(logging.Filter):
    """Lets a few records pass in each period, and tells how many did not."""

    def __init__(self, most: int = MOST_MESSAGES, seconds: float = MESSAGES_SECONDS) -> None:
        super().__init__()
        self._most = most
        self._seconds = seconds
        self._begin = -seconds
        self._seen = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        if not 0 <= record.created - self._begin < self._seconds:
            dropped = self._seen - self._most
            if dropped > 0:
                record.msg, record.args = f"{record.getMessage()} ({dropped} messages before it are not shown)", None
            self._begin, self._seen = record.created, 0
        self._seen += 1
        return self._seen <= self._most


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
