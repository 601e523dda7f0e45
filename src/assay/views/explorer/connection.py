"""HTTP connections with limits on their number and on the time that a client may take.

uvicorn limits the time between requests and, with ``limit_concurrency``, the number of simultaneous requests. This does
not suffice: a client could keep its connection open for ever by sending nothing, by sending a byte now and then, or by
not reading its response.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.views.explorer import limits

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"


class LimitedProtocol(H11Protocol):
    """A connection that is aborted if a request does not arrive, or a response is not read, in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer; answer a connection above the limit with 503 and close it."""
        super().connection_made(transport)
        if len(self.connections) > limits.max_connections():
            transport.write(_FULL)
            transport.close()
        self._start_timer(limits.REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request; the timer is not reset."""
        if not self.transport.is_closing():
            super().data_received(data)
            self._update_timer()

    def on_response_complete(self) -> None:
        """Start the timer for the next request."""
        super().on_response_complete()
        self._update_timer()

    def pause_writing(self) -> None:
        """Start the timer for a client that does not read its response."""
        super().pause_writing()
        self._start_timer(limits.RESPONSE_SECONDS)

    def resume_writing(self) -> None:
        """Stop the timer, because the client has continued to read."""
        super().resume_writing()
        self._stop_timer()
        self._update_timer()

    def _update_timer(self) -> None:
        """Run the timer while a request is awaited, but not while it is answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_timer()
        elif self._timer is None:
            self._start_timer(limits.REQUEST_SECONDS)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
