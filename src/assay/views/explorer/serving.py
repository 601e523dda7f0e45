"""Serving the explorer on a port, until it is interrupted."""

from __future__ import annotations

import errno
import gc
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError, InputError
from assay.views.explorer.app import application
from assay.views.explorer.limits import BACKLOG, REQUEST_SECONDS, logging_config

if TYPE_CHECKING:
    from assay.views.explorer.campaign import Campaign


def needed() -> None:
    """Refuse to begin without the packages that serving needs."""
    for name in ("starlette", "jinja2", "uvicorn", "altair", "vl_convert"):
        try:
            import_module(name)
        except ImportError:
            raise DependencyError(f"the explorer needs {name}; pip install 'assay-ir[explore]'") from None


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port in use is known before anything is read; port 0 is any free one."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InputError(f"--host {host!r} is no address of this machine; write 127.0.0.1") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    if os.name == "posix":  # elsewhere it would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise InputError(_why(error, host, port)) from None
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; choose another with --port, or --port 0 for any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by you; choose one above 1023 with --port"
    return f"--host {host!r} is no address of this machine; write 127.0.0.1"


def address(host: str, port: int) -> str:
    """Where a browser finds the explorer."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


def serve(
    campaign: Campaign,
    listener: socket.socket,
    host: str,
    ready: Callable[[str], None],
    runtime: bytes | None = None,
) -> None:
    """Serve until interrupted; *ready* is called with the address once requests are answered."""
    server = _server(campaign, listener, host, ready, runtime)
    gc.collect()
    gc.freeze()  # what is there now stays; to look through it again and again would take a tenth of a second each time
    server.run([listener])


@contextmanager
def running(campaign: Campaign, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve beside what is done with the address, and no longer."""
    with listening(host, port) as listener:
        begun = Event()
        server = _server(campaign, listener, host, lambda _: begun.set())
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        begun.wait()
        try:
            yield address(host, listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def _server(
    campaign: Campaign,
    listener: socket.socket,
    host: str,
    ready: Callable[[str], None],
    runtime: bytes | None = None,
) -> Any:
    needed()
    import uvicorn

    from assay.views.explorer.connection import LimitedProtocol

    port = listener.getsockname()[1]
    app = application(campaign, host, port, runtime=runtime)

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            ready(address(host, port))

        async def shutdown(self, sockets: Any = None) -> None:
            app.close()  # first: who waits for an answer is told, so that nothing is left to be waited for
            # What is still going on then is broken off, which is no failure; those of ours the guard tells.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
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
    return Server(config)
