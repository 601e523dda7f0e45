"""Security: checks of requests, and the security headers of every response.

The explorer may show unpublished data to everyone who can reach it. By default it therefore listens only on this
machine. A page of another site must not read it through the user's browser: the ``Host`` header reveals a foreign name
that resolves to this machine (DNS rebinding), the ``Origin`` header reveals requests from other sites, and CORS is not
enabled. Names of runs, topics and documents come from untrusted files: they are escaped wherever they are shown, and
the Content-Security-Policy blocks foreign scripts.
"""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable, Collection
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.views.explorer.parameters import MAX_QUERY_LENGTH
from assay.views.explorer.responses import error_response, to_http_error
from assay.views.explorer.workers import BUSY, unavailable

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_REQUESTS = 400
MAX_BODY = 16_000
FOREIGN = "this request comes from another site; open the explorer directly"
_ANY = ("0.0.0.0", "::", "")
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>\d{1,5}))?", re.ASCII)
_log = logging.getLogger("assay.explorer")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class AllowedHosts:
    """Values of the ``Host`` header that name this server: loopback names and the configured host, with its port.

    If the server listens on all interfaces, the names of this machine and all IP addresses are also allowed. Unlike a
    foreign name, an IP address cannot be made to resolve to this machine.
    """

    def __init__(self, host: str, port: int) -> None:
        self._port = port
        self._any = host in _ANY
        self._names = {*LOOPBACK, host.lower()}
        if self._any:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def accept(self, header: str) -> bool:
        """Return True if a ``Host`` header names this server."""
        match = _HOST.fullmatch(header)
        if match is None or int(match["port"] or 80) != self._port:
            return False
        name = match["name"].strip("[]").lower()
        return name in self._names or (self._any and _is_address(name))


class SecurityMiddleware:
    """Reject forbidden requests, and add the security headers to every response, including errors.

    It wraps the whole application instead of being part of Starlette's list of middleware, because the error page that
    Starlette's ``ServerErrorMiddleware`` sends after an internal error also needs the headers. Malformed HTTP, such as
    a request without ``Host``, does not arrive here: uvicorn answers it with 400 and a line of plain text.

    *close* releases the resources of the application; no request may follow. *writable* are the paths that accept POST,
    with JSON and from a page of this server only.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: AllowedHosts,
        close: Callable[[], None] = lambda: None,
        writable: Collection[str] = (),
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._writable = writable
        self._requests = 0
        self.close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self._requests += 1
        try:
            self._check(scope)
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            if not isinstance(error, HTTPException):
                _log.exception("the explorer failed")
            if not started:
                await error_response(to_http_error(error))(scope, receive, send_with_headers)
        finally:
            self._requests -= 1

    def _check(self, scope: Scope) -> None:
        """Raise an HTTP error if the request is forbidden or malformed."""
        headers = Headers(raw=[(name.lower(), value) for name, value in scope["headers"]])
        hosts = headers.getlist("host")
        if len(hosts) != 1:
            raise HTTPException(400, "a request needs exactly one Host header")
        if not self._hosts.accept(hosts[0]):
            raise HTTPException(421, "wrong host for this server; use the address that assay printed")
        if any(origin.removeprefix("http://").lower() != hosts[0].lower() for origin in headers.getlist("origin")):
            raise HTTPException(403, FOREIGN)
        if scope["method"] == "POST" and scope["path"] in self._writable:
            _check_post(headers)
        elif scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, "the explorer is read-only: use GET or HEAD", {"allow": "GET, HEAD"})
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > MAX_QUERY_LENGTH:
            raise HTTPException(414, f"the address is longer than {MAX_QUERY_LENGTH} characters")
        site = headers.get("sec-fetch-site", "same-origin")
        if scope["path"].startswith("/api/") and site not in ("same-origin", "none"):
            raise HTTPException(403, FOREIGN)
        if self._requests > MAX_REQUESTS:
            raise unavailable(BUSY)


def _check_post(headers: Headers) -> None:
    """Raise an HTTP error unless a page of this server sends a small JSON document.

    A browser states the origin of every POST request; ``_check`` compares it with the host. A form of another site
    cannot send this content type.
    """
    if len(headers.getlist("origin")) != 1:
        raise HTTPException(403, FOREIGN)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send application/json")
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 10):
        raise HTTPException(411, "a request needs a Content-Length")
    if int(length) > MAX_BODY:
        raise HTTPException(413, f"the request has more than {MAX_BODY} bytes")
