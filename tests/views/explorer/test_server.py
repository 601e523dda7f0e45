"""Tests of the server on a port with a plain HTTP client, and with raw bytes where they matter."""

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
from assay.views.explorer.server import browser_address, listen
from explorer_cases import serve_in_thread, small_state


@pytest.fixture(scope="module")
def server():
    with serve_in_thread(small_state()) as address:
        yield address


def test_request_over_the_network(server: str) -> None:
    with urlopen(f"{server}api/leaderboard?measure=AP") as response:
        assert response.status == 200
        assert "Server" not in response.headers
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert [row["place"] for row in json.load(response)["rows"]] == [1, 2, 3]


def test_several_requests_on_one_connection(server: str) -> None:
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


def send_raw(server: str, request: bytes) -> bytes:
    """Send these bytes to the server and return its response."""
    url = urlsplit(server)
    with socket.create_connection((url.hostname, url.port), timeout=10) as connection:
        connection.sendall(request)
        received = b""
        with suppress(ConnectionResetError):
            while chunk := connection.recv(65536):
                received += chunk
    return received


def test_other_hosts_are_rejected(server: str) -> None:
    response = send_raw(server, b"GET /api/campaign HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 421 ")
    assert b"wrong host" in response


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/..%2f..%2fetc/passwd", "//etc/passwd"]
)
def test_paths_are_not_normalized(server: str, path: str) -> None:
    host = urlsplit(server).netloc
    response = send_raw(server, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert response.startswith(b"HTTP/1.1 404 ")


def test_invalid_http_is_rejected(server: str) -> None:
    assert send_raw(server, b"\x16\x03\x01 no such thing\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    host = urlsplit(server).netloc.encode()
    long_request = b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"
    with suppress(BrokenPipeError, ConnectionResetError):
        assert b"HTTP/1.1 200" not in send_raw(server, long_request)
    with urlopen(f"{server}api/themes") as response:
        assert response.status == 200


def test_request_body_is_not_awaited(server: str) -> None:
    host = urlsplit(server).netloc
    head = f"POST /api/campaign HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n"
    assert send_and_receive_once(server, head.encode()).startswith(b"HTTP/1.1 405 ")


def send_and_receive_once(server: str, request: bytes) -> bytes:
    url = urlsplit(server)
    with socket.create_connection((url.hostname, url.port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(65536)


def test_shutdown_closes_the_port_and_ends_all_threads() -> None:
    threads = set(threading.enumerate())
    with serve_in_thread(small_state()) as address:
        with urlopen(f"{address}api/themes"):
            pass
        port = urlsplit(address).port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    for thread in set(threading.enumerate()) - threads:
        thread.join(10)
    assert set(threading.enumerate()) <= threads


class BlockingEndpoint:
    """Endpoint whose requests block until they are released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started = threading.Semaphore(0)
        self.release = threading.Event()
        self.finished: list[str] = []
        monkeypatch.setitem(app.API, "med", self.respond)

    def respond(self, _campaign, query: Query) -> dict[str, str]:
        name = query.text("name")
        self.started.release()
        self.release.wait(30)
        self.finished.append(name)
        return {"name": name}

    def send_request(self, server: str, name: str) -> socket.socket:
        """Send a request without waiting for the response."""
        url = urlsplit(server)
        connection = socket.create_connection((url.hostname, url.port), timeout=30)
        connection.sendall(f"GET /api/med?name={name} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
        return connection


@pytest.fixture
def blocking(monkeypatch) -> Iterator[BlockingEndpoint]:
    endpoint = BlockingEndpoint(monkeypatch)
    yield endpoint
    endpoint.release.set()


def test_shutdown_during_a_slow_request(blocking: BlockingEndpoint, capfd, caplog) -> None:
    with serve_in_thread(small_state()) as server:
        connections = [blocking.send_request(server, str(number)) for number in range(4)]
        for _ in range(2):
            assert blocking.started.acquire(timeout=30)
    for connection in connections:  # the slow computations are still running
        assert b"the explorer is stopping" in connection.recv(65536)
        connection.close()
    assert not blocking.finished
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_request_of_a_disconnected_client_is_not_started(blocking: BlockingEndpoint) -> None:
    with serve_in_thread(small_state()) as server:
        running = [blocking.send_request(server, name) for name in ("a", "b")]
        for _ in range(2):
            assert blocking.started.acquire(timeout=30)
        disconnected = blocking.send_request(server, "gone")
        with urlopen(f"{server}api/themes"):  # answered now, so the server has received the previous request
            pass
        disconnected.close()
        with urlopen(f"{server}api/themes"):
            pass
        pending = blocking.send_request(server, "last")
        with urlopen(f"{server}api/themes"):
            pass
        blocking.release.set()
        for connection in (*running, pending):
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
            connection.close()
    assert sorted(blocking.finished) == ["a", "b", "last"]


@pytest.mark.posix
def test_interrupt_during_a_slow_request(tmp_path: Path) -> None:
    """Ctrl-C in a separate process prints one line and no traceback of the cancelled request."""
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
        match = re.search(r"http://\S+", process.stdout.readline())
        assert match
        url = urlsplit(match[0])
        with socket.create_connection((url.hostname, url.port), timeout=30) as connection:
            connection.sendall(f"GET /api/med HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30) == ("", "assay: stopped\n")
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0


def test_port_in_use_is_reported() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is in use; choose another with --port, or --port 0"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "\x00", "a" * 300, "127.0.0.1/8"])
def test_address_of_another_machine_is_rejected(host: str) -> None:
    with pytest.raises(InputError, match=r"--host .* is not an address of this machine; use 127"):
        listen(host, 0)


def test_privileged_port_is_reported(monkeypatch) -> None:
    def bind(self, address: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InputError, match="no permission to use port 80; choose one above 1023 with --port"):
        listen("127.0.0.1", 80)


def test_browser_addresses() -> None:
    assert browser_address("127.0.0.1", 80) == "http://127.0.0.1:80/"
    assert browser_address("0.0.0.0", 8765) == "http://127.0.0.1:8765/"
    assert browser_address("::", 8765) == "http://[::1]:8765/"
    assert browser_address("::1", 8765) == "http://[::1]:8765/"
    assert browser_address("localhost", 1) == "http://localhost:1/"


@pytest.mark.parametrize("name", PACKAGES)
def test_missing_packages_are_reported(monkeypatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DependencyError, match=rf"the explorer needs {name}; pip install 'assay-ir\[explore\]'"):
        require_packages()
