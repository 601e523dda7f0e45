"""Campaigns for the explorer, and an in-process client that can send arbitrary bytes."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Event, Thread
from typing import Any
from urllib.parse import quote, urlencode

import assay
from assay.simulation import simulate
from assay.views.explorer.app import application
from assay.views.explorer.server import LocalServer, browser_address, listen
from assay.views.explorer.state import ExplorerState

HOST = "127.0.0.1:8765"
HOSTILE = "<script>alert(1)</script>"


@dataclass(frozen=True)
class Answer:
    """Response of the explorer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        plain = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return plain.decode()

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.text, parse_constant=refuse)

    @property
    def error(self) -> str:
        """Message of an error response; the structure of the response is checked."""
        [(name, content)] = self.json.items()
        assert name == "error"
        assert set(content) == {"status", "message"}
        assert content["status"] == self.status
        assert "\n" not in content["message"]
        return str(content["message"])


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """Return the one event loop that answers the requests of all clients, as a server has one."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


class Client:
    """Client that sends requests to an ASGI application."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET", **query: Any) -> Answer:
        """Request a path; values of *query* may be lists."""
        text = urlencode([(name, one) for name, value in query.items() for one in as_list(value)])
        all_headers = {"host": HOST, **(headers or {})}
        return self.raw(path, text.encode(), [(k.encode(), v.encode()) for k, v in all_headers.items()], method)

    def api(self, name: str, **query: Any) -> Any:
        """Return the JSON of a successful response under ``/api/``."""
        answer = self.get(f"/api/{name}", **query)
        assert answer.status == 200, answer.text
        return answer.json

    def wrong(self, name: str, status: int = 400, **query: Any) -> str:
        """Return the message of an error response under ``/api/``."""
        answer = self.get(f"/api/{name}", **query)
        assert answer.status == status, answer.text
        return answer.error

    def raw(
        self, path: str, query: bytes, headers: list[tuple[bytes, bytes]], method: str = "GET", body: bytes = b""
    ) -> Answer:
        """Send a request with exactly these bytes."""
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path, safe="/%").encode(),
            "root_path": "",
            "query_string": query,
            "headers": headers,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8765),
        }
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        asyncio.run_coroutine_threadsafe(self.app(scope, receive, send), event_loop()).result()
        assert messages, "no answer"
        decoded = {name.decode().lower(): value.decode() for name, value in messages[0]["headers"]}
        assert len(decoded) == len(messages[0]["headers"]), "duplicate header"
        return Answer(messages[0]["status"], decoded, b"".join(part.get("body", b"") for part in messages[1:]))


@contextmanager
def serve_in_thread(state: ExplorerState) -> Iterator[str]:
    """Serve on a free port in another thread during a ``with`` block; yield the address."""
    with listen("127.0.0.1", 0) as listener:
        started = Event()
        app = application(state, "127.0.0.1", listener.getsockname()[1])
        server = LocalServer(app, listener, "127.0.0.1", lambda _: started.set())
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        started.wait()
        try:
            yield browser_address("127.0.0.1", listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def read_state(qrels: Any, runs: Any, **options: Any) -> ExplorerState:
    """Read a campaign as ``assay explore`` does."""
    return ExplorerState(assay.read(qrels, runs, keep="documents", **options))


def client_of(state: ExplorerState) -> Client:
    """Return a client of the explorer without the drawing library, which takes a second to build."""
    return Client(application(state, runtime=b"vega"))


def simulated_state(systems: int = 5, topics: int = 8, **options: Any) -> ExplorerState:
    """Return the state of a small simulated campaign."""
    collection = simulate(systems=systems, topics=topics, depth=60, pool=20, seed=3)
    return read_state(collection.qrels, collection.runs, **options)


QRELS = {
    "1": {"a": 2, "b": 1, "c": 0, "d": 1},
    "2": {"a": 1, "e": 0},
    "3": {"a": 0, "b": 0},
}
"""Topic 3 has no relevant documents."""
RUNS = {
    "x": {"1": {"a": 5.0, "c": 4.0, "b": 3.0, "u": 2.0}, "2": {"e": 2.0, "a": 1.0}, "3": {"a": 1.0}},
    "y": {"1": {"c": 5.0, "u": 4.0, "a": 3.0}, "2": {"a": 2.0, "v": 1.0}},
    "z": {"1": {"d": 2.0, "a": 1.0}, "2": {}, "3": {"w": 1.0}},
}
"""Run y lacks topic 3; run z has an empty ranking for topic 2."""


def small_state(**options: Any) -> ExplorerState:
    """Return the state of a campaign small enough to compute by hand."""
    return read_state(QRELS, RUNS, **options)


def hostile_state() -> ExplorerState:
    """Return a campaign in which a run, a topic and a document have hostile names."""
    qrels = {HOSTILE: {HOSTILE: 1, "d": 0}, "2": {"d": 1}}
    runs = {
        HOSTILE: {HOSTILE: {"d": 2.0, HOSTILE: 1.0}, "2": {"d": 1.0}},
        'b"&=#%/\\\u2028;': {HOSTILE: {HOSTILE: 1.0}, "2": {"e": 2.0, "d": 1.0}},
    }
    return read_state(qrels, runs)
