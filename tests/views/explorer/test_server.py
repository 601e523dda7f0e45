"""The server on a port, requested by a plain HTTP client, byte by byte where that matters."""

from __future__ import annotations

import errno
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from assay.errors import DependencyError, InputError
from assay.simulation import simulate
from assay.views.explorer import PACKAGES, app, require_packages
from assay.views.explorer.parameters import Query
from assay.views.explorer.server import browser_address, listen, serve_in_thread
from explorer_cases import small_state


@pytest.fixture(scope="module")
def server():
    with serve_in_thread(small_state()) as found:
        yield found


def test_asked_over_the_network(server: str) -> None:
    with urlopen(f"{server}api/leaderboard?measure=AP") as response:
        assert response.status == 200
        assert "Server" not in response.headers
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert [row["place"] for row in json.load(response)["rows"]] == [1, 2, 3]


def test_several_on_one_connection(server: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(server).netloc)
    for path in ("/", "/api/themes", "/none", "/static/style.css", "/api/curve?run=x&topic=1"):
        connection.request("GET", path)
        response = connection.getresponse()
        assert response.read()
        assert response.status == (404 if path == "/none" else 200)
    connection.close()


def test_head_has_no_body(server: str) -> None:
    with urlopen(Request(f"{server}api/campaign", method="HEAD")) as response:
        assert response.status == 200
        assert response.read() == b""
        assert int(response.headers["Content-Length"]) > 1000


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
    assert b"wrong host" in found


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
    with urlopen(f"{server}api/themes") as response:
        assert response.status == 200


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
    with serve_in_thread(small_state()) as found:
        with urlopen(f"{found}api/themes"):
            pass
        port = urlsplit(found).port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert set(threading.enumerate()) <= before


class Endless:
    """A slow request that goes on until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.made: list[str] = []
        monkeypatch.setitem(app.API, "med", self.answer)

    def response(self, _campaign, query: Query) -> dict[str, str]:
        name = query.text("name")
        self.begun.release()
        self.go.wait(30)
        self.made.append(name)
        return {"name": name}

    def ask(self, server: str, name: str) -> socket.socket:
        """Ask, and do not wait for the answer."""
        where = urlsplit(server)
        connection = socket.create_connection((where.hostname, where.port), timeout=30)
        connection.sendall(f"GET /api/med?name={name} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
        return connection


@pytest.fixture
def endless(monkeypatch) -> Iterator[Endless]:
    found = Endless(monkeypatch)
    yield found
    found.go.set()


def test_it_ends_though_something_slow_is_under_way(endless: Endless, capfd, caplog) -> None:
    with serve_in_thread(small_state()) as server:
        asked = [endless.ask(server, str(number)) for number in range(4)]
        for _ in range(2):
            assert endless.begun.acquire(timeout=30)
    for connection in asked:  # the slow work still goes on
        assert b"the explorer is stopping" in connection.recv(65536)
        connection.close()
    assert not endless.made
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_what_a_reader_who_has_gone_asked_for_is_not_begun(endless: Endless) -> None:
    with serve_in_thread(small_state()) as server:
        first = [endless.ask(server, name) for name in ("a", "b")]
        for _ in range(2):
            assert endless.begun.acquire(timeout=30)
        gone = endless.ask(server, "gone")
        with urlopen(f"{server}api/themes"):  # asked later, answered now: the server has heard of the one before
            pass
        gone.close()
        with urlopen(f"{server}api/themes"):
            pass
        last = endless.ask(server, "last")
        with urlopen(f"{server}api/themes"):
            pass
        endless.go.set()
        for connection in (*first, last):
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
            connection.close()
    assert sorted(endless.made) == ["a", "b", "last"]


def test_interrupted_while_something_slow_is_under_way(tmp_path: Path) -> None:
    """In a process of its own, as a reader at a terminal does it: one line, and no trace of what was broken off."""
    simulate(systems=2, topics=3, depth=10, pool=5, seed=1).write(str(tmp_path / "c"))
    code = (
        "import sys, threading\n"
        "from assay.views.explorer import app\n"
        "def slow(*_):\n"
        "    print('begun', flush=True)\n"
        "    threading.Event().wait()\n"
        "app.API['med'] = slow\n"
        "from assay.cli import command\n"
        f"sys.argv = ['assay', 'explore', {str(tmp_path / 'c' / 'qrels.txt')!r}, {str(tmp_path / 'c' / 'runs')!r}]\n"
        "sys.argv += ['--port', '0']\n"
        "command()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=PIPE, stderr=PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        where = urlsplit(found[0])
        with socket.create_connection((where.hostname, where.port), timeout=30) as connection:
            connection.sendall(f"GET /api/med HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30) == ("", "assay: stopped\n")
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0


def test_a_port_in_use() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is in use; choose another with --port, or --port 0"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "\x00", "a" * 300, "127.0.0.1/8"])
def test_an_address_of_another_machine(host: str) -> None:
    with pytest.raises(InputError, match=r"--host .* is not an address of this machine; use 127"):
        listen(host, 0)


def test_a_port_that_one_may_not_use(monkeypatch) -> None:
    def bind(self, address: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InputError, match="no permission to use port 80; choose one above 1023 with --port"):
        listen("127.0.0.1", 80)


def test_addresses() -> None:
    assert browser_address("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert browser_address("0.0.0.0", 8765) == "http://127.0.0.1:8765/"
    assert browser_address("::", 8765) == "http://[::1]:8765/"
    assert browser_address("::1", 8765) == "http://[::1]:8765/"
    assert browser_address("localhost", 1) == "http://localhost:1/"


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_that_are_missing(monkeypatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DependencyError, match=rf"the explorer needs {name}; pip install 'assay-ir\[explore\]'"):
        require_packages()
