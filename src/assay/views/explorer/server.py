"""The HTTP server: listens on a port and serves an application until it is interrupted."""

from __future__ import annotations

import errno
import gc
import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn

from assay.errors import InputError
from assay.views.explorer.connection import LimitedProtocol
from assay.views.explorer.limits import BACKLOG, REQUEST_SECONDS, logging_config
from assay.views.explorer.security import SecurityMiddleware

_UNKNOWN_HOST = "--host {!r} is not an address of this machine; use 127.0.0.1"


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 chooses a free port.

    Call this first, so that a port in use is reported before the runs are read.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise InputError(_UNKNOWN_HOST.format(host)) from None
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()  # "::" also accepts IPv4.
    try:
        return socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=dual)
    except OSError as error:
        messages = {
            errno.EADDRINUSE: f"port {port} is in use; choose another with --port, or --port 0 for any free port",
            errno.EACCES: f"no permission to use port {port}; choose one above 1023 with --port",
        }
        raise InputError(messages.get(error.errno or 0, _UNKNOWN_HOST.format(host))) from None


def browser_address(host: str, port: int) -> str:
    """Return the address to open in a browser."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


def serve(app: SecurityMiddleware, listener: socket.socket, host: str, ready: Callable[[str], None]) -> None:
    """Serve an application until interrupted; call *ready* with the address once requests are answered."""
    server = LocalServer(app, listener, host, ready)
    gc.collect()
    gc.freeze()  # The campaign is never freed; traversing it would add about 0.1 s to every garbage collection.
    server.run([listener])


class LocalServer(uvicorn.Server):
    """A uvicorn server with limits; it reports its address and stops without waiting for computations."""

    def __init__(
        self, app: SecurityMiddleware, listener: socket.socket, host: str, ready: Callable[[str], None]
    ) -> None:
        port = listener.getsockname()[1]
        self._app = app
        self._report_ready: Callable[[], None] = partial(ready, browser_address(host, port))
        super().__init__(
            uvicorn.Config(
                self._app,
                http=LimitedProtocol,
                ws="none",
                lifespan="off",
                access_log=False,
                log_config=logging_config(),
                log_level="error",
                backlog=BACKLOG,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=int(REQUEST_SECONDS),
                timeout_graceful_shutdown=1,
                h11_max_incomplete_event_size=64 << 10,
            )
        )

    async def startup(self, sockets: Any = None) -> None:
        """Start, then report the address."""
        await super().startup(sockets)
        self._report_ready()

    async def shutdown(self, sockets: Any = None) -> None:
        """Answer waiting requests with an error, then stop."""
        self._app.close()  # This comes first, so that uvicorn does not wait for running requests.
        # uvicorn logs the requests that it cancels as errors; internal errors are logged by the middleware.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
        await super().shutdown(sockets)
