"""uvicorn's connections, with limits on their number and on the time that a client may take.

uvicorn itself limits only the time between requests: a client that sends a byte now and then, or never reads its
answer, would keep its connection for ever.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.views.explorer import limits

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"


class LimitedProtocol(H11Protocol):
    """A connection that is cut when a request does not arrive, or an answer is not read, in time."""

    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; one connection too many is answered with 503 and closed."""
        super().connection_made(transport)
        if len(self.connections) > limits.most_connections():
            transport.write(_FULL)
            transport.close()
        self._start(limits.REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request; they do not set the clock back."""
        if not self.transport.is_closing():
            super().data_received(data)
            self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read as fast as the answer is written."""
        super().pause_writing()
        self._start(limits.ANSWER_SECONDS)

    def resume_writing(self) -> None:
        """The client has read on."""
        super().resume_writing()
        self._stop()
        self._watch()

    def _watch(self) -> None:
        """Let the clock run while a request is awaited, and not while it is answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._clock is None:
            self._start(limits.REQUEST_SECONDS)

    def _start(self, seconds: float) -> None:
        self._stop()
        self._clock = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
