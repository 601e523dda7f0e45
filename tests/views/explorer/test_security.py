"""Requests that are refused, and the security headers of every response."""

from __future__ import annotations

import logging

import pytest

from assay.views.explorer import security
from assay.views.explorer.app import API
from assay.views.explorer.pages import PAGES
from assay.views.explorer.parameters import LONGEST_QUERY
from assay.views.explorer.security import HEADERS, AllowedHosts, SecurityMiddleware, is_loopback
from explorer_cases import HOST, Client, client_of, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


def test_the_policy_lets_no_code_in() -> None:
    policy = dict(part.split(" ", 1) for part in HEADERS["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in HEADERS["content-security-policy"]
    assert "http" not in HEADERS["content-security-policy"]


ADDRESSES = [
    *(page.path for page in PAGES),
    *(f"/api/{name}" for name in API),
    "/api/figures/leaderboard",
    "/api/figures/leaderboard.csv",
    "/api/figures/none",
    "/static/vega.js",
    "/static/none.js",
    "/favicon.ico",
    "/none",
    "/api/",
    "/api/none",
    "//evil.example/",
]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_every_answer_has_the_headers(client: Client, path: str, method: str) -> None:
    answer = client.get(path, method=method)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "server" not in answer.headers
    assert "set-cookie" not in answer.headers
    assert answer.headers.get("cache-control") or answer.status == 204
    if method not in ("GET", "HEAD"):
        assert answer.status == 405
        assert answer.headers["allow"] == "GET, HEAD"
        assert "GET or HEAD" in answer.error


def test_answers_that_the_browser_has_have_them_too(client: Client) -> None:
    tag = client.get("/api/themes").headers["etag"]
    answer = client.get("/api/themes", {"if-none-match": tag})
    assert answer.status == 304
    assert answer.body == b""
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


# Hosts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [HOST, "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_names_of_this_machine(client: Client, host: str) -> None:
    assert client.get("/api/themes", {"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8765",
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:8766",
        "127.0.0.1:80",
        "127.0.0.1.evil.example:8765",
        "localhost.evil.example:8765",
        "localhost:8765.evil.example",
        "evil.example@127.0.0.1:8765",
        "192.168.1.5:8765",
        "0.0.0.0:8765",
        "127.1:8765",
        "2130706433:8765",
        "localhost:8765,evil.example",
        "localhost:8765/",
        "localhost:٨٧٦٥",
        "",
        ":8765",
        " localhost:8765",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/campaign", "/static/vega.js", "/none"])
def test_other_names_are_refused(client: Client, host: str, path: str) -> None:
    answer = client.get(path, {"host": host})
    assert answer.status == 421
    assert "wrong host" in answer.error
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_no_host_and_two_hosts(client: Client) -> None:
    for headers in ([], [(b"host", HOST.encode())] * 2, [(b"host", HOST.encode()), (b"Host", b"evil.example")]):
        answer = client.raw("/api/themes", b"", headers)
        assert answer.status == 400
        assert answer.error == "a request needs one Host header"


def test_the_host_that_was_chosen() -> None:
    hosts = AllowedHosts("Data.example", 9000)
    assert hosts.accept("data.example:9000")
    assert hosts.accept("localhost:9000")
    assert not hosts.accept("data.example:9001")
    assert not hosts.accept("192.168.1.5:9000")


def test_port_80_need_not_be_written() -> None:
    assert AllowedHosts("127.0.0.1", 80).accept("localhost")
    assert not AllowedHosts("127.0.0.1", 81).accept("localhost")


@pytest.mark.parametrize("every", ["0.0.0.0", "::"])
def test_listening_everywhere(monkeypatch, every: str) -> None:
    """Addresses are fine, and the machine's own name; other names may lead anywhere."""
    monkeypatch.setattr(security.socket, "gethostname", lambda: "Machine")
    monkeypatch.setattr(security.socket, "getfqdn", lambda: "machine.example.org")
    hosts = AllowedHosts(every, 9000)
    for name in ("192.168.1.5", "[2001:db8::1]", "machine", "MACHINE.example.org", "localhost"):
        assert hosts.accept(f"{name}:9000"), name
    for name in ("evil.example", "example.org", "[evil]"):
        assert not hosts.accept(f"{name}:9000"), name


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "localhost", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org", "", "127.0.0.1.example.org")))


# What may be asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("site", ["cross-site", "same-site", "odd"])
def test_other_sites_may_link_but_not_ask(client: Client, site: str) -> None:
    assert client.get("/", {"sec-fetch-site": site}).status == 200
    for path in ("/api/campaign", "/api/figures/leaderboard", "/api/none"):
        answer = client.get(path, {"sec-fetch-site": site})
        assert answer.status == 403
        assert "another site" in answer.error


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_explorer_itself_may_ask(client: Client, site: str) -> None:
    assert client.get("/api/campaign", {"sec-fetch-site": site}).status == 200


def test_an_address_can_be_too_long(client: Client) -> None:
    for path, query in (("/api/leaderboard", "filter=" + "a" * LONGEST_QUERY), ("/" + "a" * LONGEST_QUERY, "")):
        answer = client.raw(path, query.encode(), [(b"host", HOST.encode())])
        assert answer.status == 414
        assert answer.error == f"the address is longer than {LONGEST_QUERY} characters"


def test_too_much_at_once(client: Client, monkeypatch) -> None:
    monkeypatch.setattr(security, "MAX_REQUESTS", 0)
    answer = client.get("/api/themes")
    assert answer.status == 503
    assert answer.headers["retry-after"] == "1"
    monkeypatch.undo()
    assert client.get("/api/themes").status == 200


async def broken(scope, receive, send) -> None:
    raise RuntimeError("a secret of the inside")


def test_what_goes_wrong_inside_stays_inside(caplog) -> None:
    answer = Client(SecurityMiddleware(broken, AllowedHosts("127.0.0.1", 8765))).get("/api/campaign")
    assert answer.status == 500
    assert "the explorer failed" in answer.error
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "a secret of the inside" in caplog.text
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


@pytest.mark.parametrize("path", ["/api/leaderboard", "/api/figures/leaderboard"])
def test_what_goes_wrong_in_an_answer(path: str, caplog, monkeypatch) -> None:
    state = small_state()
    client = client_of(state)
    monkeypatch.setattr(type(state), "values", lambda self, measures: 1 / 0)
    answer = client.get(path)
    assert answer.status == 500
    assert "division" not in answer.text
    assert "ZeroDivisionError" in caplog.text
    monkeypatch.undo()
    assert client.get(path).status == 200


def test_after_an_answer_has_begun_nothing_is_added(caplog) -> None:
    async def half(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("too late")

    answer = Client(SecurityMiddleware(half, AllowedHosts("127.0.0.1", 8765))).get("/")
    assert answer.status == 200
    assert answer.body == b""
    assert "too late" in caplog.text


def test_only_http() -> None:
    import asyncio

    async def never(*_: object) -> None:
        raise AssertionError

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    asyncio.run(SecurityMiddleware(never, AllowedHosts("127.0.0.1", 8765))({"type": "websocket"}, never, send))
    assert sent == []
