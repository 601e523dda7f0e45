"""Tests of rejected requests and of the security headers of every response."""

from __future__ import annotations

import logging

import pytest

from assay.views.explorer import is_loopback, security
from assay.views.explorer.app import API
from assay.views.explorer.pages import PAGES
from assay.views.explorer.parameters import MAX_QUERY_LENGTH
from assay.views.explorer.security import HEADERS, AllowedHosts, SecurityMiddleware
from explorer_cases import HOST, Client, client_of, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


def test_content_security_policy_allows_only_own_files() -> None:
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
def test_every_response_has_the_headers(client: Client, path: str, method: str) -> None:
    response = client.get(path, method=method)
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
    assert not [name for name in response.headers if name.startswith("access-control")]
    assert "server" not in response.headers
    assert "set-cookie" not in response.headers
    assert response.headers.get("cache-control") or response.status == 204
    if method not in ("GET", "HEAD"):
        assert response.status == 405
        assert response.headers["allow"] == "GET, HEAD"
        assert "GET or HEAD" in response.error


def test_not_modified_responses_have_the_headers(client: Client) -> None:
    tag = client.get("/api/themes").headers["etag"]
    response = client.get("/api/themes", {"if-none-match": tag})
    assert response.status == 304
    assert response.body == b""
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


# Hosts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [HOST, "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_hosts_of_this_machine_are_accepted(client: Client, host: str) -> None:
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
def test_other_hosts_are_rejected(client: Client, host: str, path: str) -> None:
    response = client.get(path, {"host": host})
    assert response.status == 421
    assert "wrong host" in response.error
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


def test_requests_need_exactly_one_host(client: Client) -> None:
    for headers in ([], [(b"host", HOST.encode())] * 2, [(b"host", HOST.encode()), (b"Host", b"evil.example")]):
        response = client.raw("/api/themes", b"", headers)
        assert response.status == 400
        assert response.error == "a request needs exactly one Host header"


def test_configured_host_is_accepted() -> None:
    hosts = AllowedHosts("Data.example", 9000)
    assert hosts.accept("data.example:9000")
    assert hosts.accept("localhost:9000")
    assert not hosts.accept("data.example:9001")
    assert not hosts.accept("192.168.1.5:9000")


def test_port_80_may_be_omitted() -> None:
    assert AllowedHosts("127.0.0.1", 80).accept("localhost")
    assert not AllowedHosts("127.0.0.1", 81).accept("localhost")


@pytest.mark.parametrize("wildcard", ["0.0.0.0", "::"])
def test_wildcard_address_accepts_addresses_and_own_names(monkeypatch, wildcard: str) -> None:
    """IP addresses and the machine's own names are accepted; other names could belong to other sites."""
    monkeypatch.setattr(security.socket, "gethostname", lambda: "Machine")
    monkeypatch.setattr(security.socket, "getfqdn", lambda: "machine.example.org")
    hosts = AllowedHosts(wildcard, 9000)
    for name in ("192.168.1.5", "[2001:db8::1]", "machine", "MACHINE.example.org", "localhost"):
        assert hosts.accept(f"{name}:9000"), name
    for name in ("evil.example", "example.org", "[evil]"):
        assert not hosts.accept(f"{name}:9000"), name


def test_loopback_addresses() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "localhost", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org", "", "127.0.0.1.example.org")))


# Requests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("site", ["cross-site", "same-site", "odd"])
def test_other_sites_may_link_to_pages_but_not_call_the_api(client: Client, site: str) -> None:
    assert client.get("/", {"sec-fetch-site": site}).status == 200
    for path in ("/api/campaign", "/api/figures/leaderboard", "/api/none"):
        response = client.get(path, {"sec-fetch-site": site})
        assert response.status == 403
        assert "another site" in response.error


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_may_call_the_api(client: Client, site: str) -> None:
    assert client.get("/api/campaign", {"sec-fetch-site": site}).status == 200


def test_long_addresses_are_rejected(client: Client) -> None:
    for path, query in (("/api/leaderboard", "filter=" + "a" * MAX_QUERY_LENGTH), ("/" + "a" * MAX_QUERY_LENGTH, "")):
        response = client.raw(path, query.encode(), [(b"host", HOST.encode())])
        assert response.status == 414
        assert response.error == f"the address is longer than {MAX_QUERY_LENGTH} characters"


def test_too_many_requests_are_rejected(client: Client, monkeypatch) -> None:
    monkeypatch.setattr(security, "MAX_REQUESTS", 0)
    response = client.get("/api/themes")
    assert response.status == 503
    assert response.headers["retry-after"] == "1"
    monkeypatch.undo()
    assert client.get("/api/themes").status == 200


async def failing_app(scope, receive, send) -> None:
    raise RuntimeError("an internal secret")


def test_details_of_errors_are_logged_but_not_sent(caplog) -> None:
    response = Client(SecurityMiddleware(failing_app, AllowedHosts("127.0.0.1", 8765))).get("/api/campaign")
    assert response.status == 500
    assert "the explorer failed" in response.error
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
    assert "an internal secret" in caplog.text
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


@pytest.mark.parametrize("path", ["/api/leaderboard", "/api/figures/leaderboard"])
def test_errors_of_a_response_are_logged_but_not_sent(path: str, caplog, monkeypatch) -> None:
    state = small_state()
    client = client_of(state)
    monkeypatch.setattr(type(state), "values", lambda self, measures: 1 / 0)
    response = client.get(path)
    assert response.status == 500
    assert "division" not in response.text
    assert "ZeroDivisionError" in caplog.text
    monkeypatch.undo()
    assert client.get(path).status == 200


def test_error_after_the_start_of_a_response_adds_nothing(caplog) -> None:
    async def start_and_fail(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("too late")

    response = Client(SecurityMiddleware(start_and_fail, AllowedHosts("127.0.0.1", 8765))).get("/")
    assert response.status == 200
    assert response.body == b""
    assert "too late" in caplog.text


def test_other_protocols_are_ignored() -> None:
    import asyncio

    async def fail(*_: object) -> None:
        raise AssertionError

    messages: list[object] = []

    async def send(message: object) -> None:
        messages.append(message)

    asyncio.run(SecurityMiddleware(fail, AllowedHosts("127.0.0.1", 8765))({"type": "websocket"}, fail, send))
    assert messages == []
