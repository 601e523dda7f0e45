"""On a port: asked by a plain HTTP client, byte by byte where that matters."""

from __future__ import annotations

import errno
import http.client
import json
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from assay.errors import DependencyError, InputError
from assay.views.explorer.serving import address, listening, running
from explorer_cases import small


@pytest.fixture(scope="module")
def server():
    with running(small()) as found:
        yield found


def test_asked_over_the_network(server: str) -> None:
    with urlopen(f"{server}api/leaderboard?measure=AP") as answer:
        assert answer.status == 200
        assert "Server" not in answer.headers
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert [row["place"] for row in json.load(answer)["rows"]] == [1, 2, 3]


def test_several_on_one_connection(server: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(server).netloc)
    for path in ("/", "/api/themes", "/none", "/static/style.css", "/api/curve?run=x&topic=1"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.read()
        assert answer.status == (404 if path == "/none" else 200)
    connection.close()


def test_head_has_no_body(server: str) -> None:
    with urlopen(Request(f"{server}api/campaign", method="HEAD")) as answer:
        assert answer.status == 200
        assert answer.read() == b""
        assert int(answer.headers["Content-Length"]) > 1000


def raw(server: str, request: bytes) -> bytes:
    """What the server answers to these bytes."""
    where = urlsplit(server)
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        connection.sendall(request)
        found = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                found += piece
    return found


def test_another_host_is_refused(server: str) -> None:
    found = raw(server, b"GET /api/campaign HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 421 ")
    assert b"does not answer to that host" in found


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/..%2f..%2fetc/passwd", "//etc/passwd"]
)
def test_paths_are_taken_as_they_are(server: str, path: str) -> None:
    host = urlsplit(server).netloc
    found = raw(server, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert found.startswith(b"HTTP/1.1 404 ")


def test_what_is_no_http(server: str) -> None:
    assert raw(server, b"\x16\x03\x01 no such thing\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    host = urlsplit(server).netloc.encode()
    endless = b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"
    with suppress(BrokenPipeError, ConnectionResetError):
        assert b"HTTP/1.1 200" not in raw(server, endless)
    with urlopen(f"{server}api/themes") as answer:
        assert answer.status == 200


def test_a_body_is_not_waited_for(server: str) -> None:
    host = urlsplit(server).netloc
    head = f"POST /api/campaign HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n"
    assert raw_start(server, head.encode()).startswith(b"HTTP/1.1 405 ")


def raw_start(server: str, request: bytes) -> bytes:
    where = urlsplit(server)
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(65536)


def test_nothing_is_left_when_it_ends() -> None:
    before = set(threading.enumerate())
    with running(small()) as found:
        with urlopen(f"{found}api/themes"):
            pass
        port = urlsplit(found).port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert set(threading.enumerate()) <= before


def test_a_port_in_use() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is in use; choose another with --port, or --port 0"):
            listening("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "\x00", "a" * 300, "127.0.0.1/8"])
def test_an_address_of_another_machine(host: str) -> None:
    with pytest.raises(InputError, match="is no address of this machine; write 127"):
        listening(host, 0)


def test_a_port_that_one_may_not_use(monkeypatch) -> None:
    def bind(self, address: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InputError, match="port 80 may not be used by you; choose one above 1023 with --port"):
        listening("127.0.0.1", 80)


def test_addresses() -> None:
    assert address("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert address("0.0.0.0", 8765) == "http://127.0.0.1:8765/"
    assert address("::", 8765) == "http://[::1]:8765/"
    assert address("::1", 8765) == "http://[::1]:8765/"
    assert address("localhost", 1) == "http://localhost:1/"


def test_without_uvicorn(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    with (
        pytest.raises(DependencyError, match=r"the explorer needs uvicorn; pip install 'assay\[explore\]'"),
        running(small()),
    ):
        pass
