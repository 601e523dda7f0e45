"""Clients that take their time, too many of them, and errors without end; asked over real sockets."""

from __future__ import annotations

import http.client
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from assay.views.explorer import limits
from assay.views.explorer.app import API
from assay.views.explorer.limits import RateLimit
from assay.views.explorer.server import serve_in_thread
from explorer_cases import Client, client_of, small_state

LONG = 60  # seconds after which a test fails; nothing takes as long


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that does not wait long."""
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(limits, "RESPONSE_SECONDS", 1.0)
    with serve_in_thread(small_state()) as server:
        yield server


def connect(server: str) -> socket.socket:
    where = urlsplit(server)
    return socket.create_connection((where.hostname, where.port), timeout=LONG)


def is_closed(connection: socket.socket) -> bool:
    """Wait for the end of a connection; whatever is left to be read is read."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("begin", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-"])
def test_a_client_that_says_no_more(hasty: str, begin: bytes) -> None:
    with connect(hasty) as connection:
        connection.sendall(begin)
        assert is_closed(connection)


def test_a_client_that_sends_a_byte_now_and_then(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        sent = 0
        with suppress(ConnectionError):
            for sent in range(LONG * 20):  # noqa: B007
                connection.sendall(b"x")
                time.sleep(0.05)
        assert sent < LONG * 20 - 1


def test_a_client_that_sends_no_body(hasty: str) -> None:
    with connect(hasty) as connection:
        host = urlsplit(hasty).netloc
        connection.sendall(f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx".encode())
        assert is_closed(connection)


def test_a_client_that_does_not_read(hasty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is cut, although the answer waits in buffers; others are answered."""
    monkeypatch.setitem(API, "themes", lambda *_: {"long": "x" * (64 << 20)})
    with connect(hasty) as connection:
        host = urlsplit(hasty).netloc
        connection.sendall(f"GET /api/themes HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert connection.recv(10) == b"HTTP/1.1 2"
        time.sleep(4)  # longer than an answer may stand still
        with urlopen(f"{hasty}api/campaign", timeout=LONG) as response:
            assert response.status == 200
        found = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(1 << 20):
                found += piece
        assert not found.endswith(b'x"}')


def test_a_connection_may_be_used_again_in_time(hasty: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(hasty).netloc, timeout=LONG)
    for _ in range(4):
        connection.request("GET", "/favicon.ico")
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
        time.sleep(0.4)
    assert is_closed(connection.sock)
    connection.close()


def test_too_many_connections(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(limits, "MAX_CONNECTIONS", 20)
    with serve_in_thread(small_state()) as server:
        with ExitStack() as stack:
            several = [stack.enter_context(connect(server)) for _ in range(200)]
            refused = [one.recv(65536) for one in several[20:]]
            assert all(response.startswith(b"HTTP/1.1 503 ") for response in refused)
        with urlopen(f"{server}api/campaign", timeout=LONG) as response:  # they have gone
            assert response.status == 200
    assert capfd.readouterr().err == ""


def test_connections_leave_files_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert limits.max_connections() == 128
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert limits.max_connections() == limits.MAX_CONNECTIONS


def test_errors_without_end_do_not_fill_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(API, "themes", lambda *_: 1 / 0)
    with serve_in_thread(small_state()) as server:
        for number in range(100):
            with pytest.raises(HTTPError):
                urlopen(f"{server}api/themes?{number}", timeout=LONG)
    logged = capfd.readouterr().err
    assert logged.count("ZeroDivisionError: ") == limits.MAX_MESSAGES


def test_what_is_dropped_is_counted() -> None:
    rate = RateLimit(limit=2, seconds=60)

    def passes(created: float) -> str | None:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "message %d", (created,), None)
        record.created = created
        return record.getMessage() if rate.filter(record) else None

    assert [passes(time) for time in (1, 2, 3, 59)] == ["message 1", "message 2", None, None]
    assert passes(62) == "message 62 (2 earlier messages not shown)"
    assert passes(63) == "message 63"


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


@pytest.mark.parametrize("path", ["/", "/api/campaign", "/static/style.css"])
def test_origins(client: Client, path: str) -> None:
    for origin in ("http://127.0.0.1:8765", "HTTP://127.0.0.1:8765".replace("HTTP", "http")):
        assert client.get(path, {"origin": origin}).status == 200
    for origin in ("http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1:1", "null", "", "file://"):
        response = client.get(path, {"origin": origin})
        assert response.status == 403
        assert "another site" in response.error


def test_a_fault_is_a_page_of_ours(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.views.explorer.pages.PageRenderer.render_page", lambda *_: 1 / 0)
    response = client.get("/", {"accept": "text/html"})
    assert response.status == 500
    assert response.headers["content-type"].startswith("text/html")
    assert "the explorer failed" in response.text
    assert "Internal Server Error" not in response.text


def test_a_fault_over_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(API, "themes", lambda *_: 1 / 0)
    with serve_in_thread(small_state()) as server, pytest.raises(HTTPError) as failed:
        urlopen(Request(f"{server}api/themes", headers={"Accept": "application/json"}), timeout=LONG)
    assert failed.value.code == 500
    assert b"the explorer failed" in failed.value.read()
