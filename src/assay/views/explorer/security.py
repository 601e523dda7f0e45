"""The guard in front of the explorer: who may ask, what may be asked, and the headers of every answer.

The explorer shows what may be unpublished, to whoever can reach it, so it listens on this machine only unless told
otherwise. A page of another site must not read it through the reader's browser: a name of another site that leads to
this machine (DNS rebinding) is refused by its ``Host``, a request of another site by its ``Origin``, and there is no
CORS. Names of runs, topics and documents come from files of others: they are escaped wherever they are shown, and
scripts other than ours do not run.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.views.explorer.answers import JSON, failed
from assay.views.explorer.parameters import LONGEST_QUERY
from assay.views.explorer.working import Failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
MOST_AT_ONCE = 400
FOREIGN = "another site asked for this; open the explorer itself"
CRASHED = "the explorer failed; the terminal it was started from tells more"
_ANY = ("0.0.0.0", "::", "")
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>\d{1,5}))?", re.ASCII)
_log = logging.getLogger("assay.explorer")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Hosts:
    """The names under which the explorer may be asked: those of this machine, and the one it was told to listen on."""

    def __init__(self, host: str, port: int) -> None:
        self._port = port
        self._any = host in _ANY
        names = {*LOOPBACK, host.lower()}
        if self._any:
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self._names = names

    def known(self, header: str) -> bool:
        """Whether a ``Host`` header names this server."""
        match = _HOST.fullmatch(header)
        if match is None or int(match["port"] or 80) != self._port:
            return False
        name = match["name"].strip("[]").lower()
        return name in self._names or (self._any and _is_address(name))


def _is_address(name: str) -> bool:
    """An address cannot be made to lead elsewhere, as a name can."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Wraps the application: refuses what must not be asked, and adds the headers to every answer, also to errors.

    What is no HTTP, such as a request without a ``Host`` or with an empty one, does not come this far: the server
    library answers it with 400 and a line of plain text. That answer tells nothing of the campaign.

    *close* lets go of what the application holds; nothing may be asked behind it.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, close: Callable[[], None] = lambda: None) -> None:
        self._app = app
        self._hosts = hosts
        self._busy = 0
        self.close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        answer = _Answer(send)
        self._busy += 1
        try:
            self._check(scope)
            await self._app(scope, receive, answer)
        except Failure as failure:
            await answer.fail(failure.status, failure.message)
        except Exception:
            _log.exception("the explorer failed")
            await answer.fail(500, CRASHED)
        finally:
            self._busy -= 1

    def _check(self, scope: Scope) -> None:
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        host = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(host) != 1:
            raise Failure(400, "a request needs one Host header")
        if not self._hosts.known(host[0]):
            raise Failure(421, "this server does not answer to that host; use the address that assay explore printed")
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if any(origin.removeprefix("http://").lower() != host[0].lower() for origin in origins):
            raise Failure(403, FOREIGN)
        if scope["method"] not in ("GET", "HEAD"):
            raise Failure(405, "nothing can be changed here; only GET and HEAD are answered")
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > LONGEST_QUERY:
            raise Failure(414, f"the address is longer than {LONGEST_QUERY} characters")
        site = dict(headers).get(b"sec-fetch-site", b"same-origin")
        if scope["path"].startswith("/api/") and site not in (b"same-origin", b"none"):
            raise Failure(403, FOREIGN)
        if self._busy > MOST_AT_ONCE:
            raise Failure(503, "too much is asked for at once; try again in a moment")


class _Answer:
    """Sends an answer with the headers added, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await self._send(message)

    async def fail(self, status: int, message: str) -> None:
        if self._begun:
            return
        body = failed(status, message)
        headers: list[tuple[bytes, bytes]] = [
            (b"content-type", JSON.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        if status == 405:
            headers.append((b"allow", b"GET, HEAD"))
        if status == 503:
            headers.append((b"retry-after", b"1"))
        start: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": headers}
        await self(start)
        await self({"type": "http.response.body", "body": body})
