"""Tests with real sockets of slow clients, too many connections and repeated errors."""

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
from explorer_cases import Client, client_of, serve_in_thread, small_state

TIMEOUT = 60  # seconds after which a test fails; all requests are much faster


@pytest.fixture
def impatient_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Server with short timeouts."""
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(limits, "RESPONSE_SECONDS", 1.0)
    with serve_in_thread(small_state()) as server:
        yield server


def connect(server: str) -> socket.socket:
    url = urlsplit(server)
    return socket.create_connection((url.hostname, url.port), timeout=TIMEOUT)


def is_closed(connection: socket.socket) -> bool:
    """Read until the connection ends; return whether it did."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("start", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-"])
def test_client_that_stops_sending_is_disconnected(impatient_server: str, start: bytes) -> None:
    with connect(impatient_server) as connection:
        connection.sendall(start)
        assert is_closed(connection)


def test_client_that_sends_slowly_is_disconnected(impatient_server: str) -> None:
    with connect(impatient_server) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        sent = 0
        with suppress(ConnectionError):
            for sent in range(TIMEOUT * 20):  # noqa: B007
                connection.sendall(b"x")
                time.sleep(0.05)
        assert sent < TIMEOUT * 20 - 1


def test_client_that_sends_no_body_is_disconnected(impatient_server: str) -> None:
    with connect(impatient_server) as connection:
        host = urlsplit(impatient_server).netloc
        connection.sendall(f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx".encode())
        assert is_closed(connection)


def test_client_that_does_not_read_is_disconnected(impatient_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is closed although part of the response is still buffered; other clients are served."""
    monkeypatch.setitem(API, "themes", lambda *_: {"long": "x" * (64 << 20)})
    with connect(impatient_server) as connection:
        host = urlsplit(impatient_server).netloc
        connection.sendall(f"GET /api/themes HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert connection.recv(10) == b"HTTP/1.1 2"
        time.sleep(4)  # longer than a response may stall
        with urlopen(f"{impatient_server}api/campaign", timeout=TIMEOUT) as response:
            assert response.status == 200
        received = b""
        with suppress(ConnectionResetError):
            while chunk := connection.recv(1 << 20):
                received += chunk
        assert not received.endswith(b'x"}')


def test_connection_is_reused_until_it_is_idle_too_long(impatient_server: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(impatient_server).netloc, timeout=TIMEOUT)
    for _ in range(4):
        connection.request("GET", "/favicon.ico")
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
        time.sleep(0.4)
    assert is_closed(connection.sock)
    connection.close()


def test_number_of_connections_is_limited(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(limits, "MAX_CONNECTIONS", 20)
    with serve_in_thread(small_state()) as server:
        with ExitStack() as stack:
            connections = [stack.enter_context(connect(server)) for _ in range(200)]
            responses = [connection.recv(65536) for connection in connections[20:]]
            assert all(response.startswith(b"HTTP/1.1 503 ") for response in responses)
        with urlopen(f"{server}api/campaign", timeout=TIMEOUT) as response:  # the connections are closed
            assert response.status == 200
    assert capfd.readouterr().err == ""


def test_connection_limit_depends_on_the_open_file_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert limits.max_connections() == 128
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert limits.max_connections() == limits.MAX_CONNECTIONS


def test_number_of_logged_errors_is_limited(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(API, "themes", lambda *_: 1 / 0)
    with serve_in_thread(small_state()) as server:
        for number in range(100):
            with pytest.raises(HTTPError):
                urlopen(f"{server}api/themes?{number}", timeout=TIMEOUT)
    logged = capfd.readouterr().err
    assert logged.count("ZeroDivisionError: ") == limits.MAX_MESSAGES


def test_suppressed_messages_are_counted() -> None:
    rate = RateLimit(limit=2, seconds=60)

    def filter_message(created: float) -> str | None:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "message %d", (created,), None)
        record.created = created
        return record.getMessage() if rate.filter(record) else None

    assert [filter_message(created) for created in (1, 2, 3, 59)] == ["message 1", "message 2", None, None]
    assert filter_message(62) == "message 62 (2 earlier messages not shown)"
    assert filter_message(63) == "message 63"


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


@pytest.mark.parametrize("path", ["/", "/api/campaign", "/static/style.css"])
def test_only_the_own_origin_is_accepted(client: Client, path: str) -> None:
    for origin in ("http://127.0.0.1:8765", "HTTP://127.0.0.1:8765".replace("HTTP", "http")):
        assert client.get(path, {"origin": origin}).status == 200
    for origin in ("http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1:1", "null", "", "file://"):
        response = client.get(path, {"origin": origin})
        assert response.status == 403
        assert "another site" in response.error


def test_internal_error_is_an_html_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.views.explorer.app.build_response", lambda *_: 1 / 0)
    response = client.get("/", {"accept": "text/html"})
    assert response.status == 500
    assert response.headers["content-type"].startswith("text/html")
    assert "the explorer failed" in response.text
    assert "Internal Server Error" not in response.text


def test_internal_error_over_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(API, "themes", lambda *_: 1 / 0)
    with serve_in_thread(small_state()) as server, pytest.raises(HTTPError) as failure:
        urlopen(Request(f"{server}api/themes", headers={"Accept": "application/json"}), timeout=TIMEOUT)
    assert failure.value.code == 500
    assert b"the explorer failed" in failure.value.read()
