"""The judging page: a local web server that shows documents and appends their grades to a qrels file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.views.explorer import require_packages

if TYPE_CHECKING:
    from assay.views.judging.session import JudgingSession

HOST = "127.0.0.1"
"""The address of the server. Only this machine can reach it, because everyone who can reach it can write judgments."""


def serve_judging(start: Callable[[], JudgingSession], port: int, ready: Callable[[str], None]) -> None:
    """Serve the session that *start* returns until interrupted; a port in use is reported before it is called."""
    if not 0 <= port <= 65535:
        raise InputError(f"port must be from 0 to 65535, got {port}")
    require_packages()
    from assay.views.explorer.server import listen, serve
    from assay.views.judging.app import application

    with listen(HOST, port) as listener, closing(start()) as session, suppress(KeyboardInterrupt):
        serve(application(session, listener.getsockname()[1]), listener, HOST, ready)
