"""Fixtures: in-process clients of explorers, and a browser that reads the pages of a campaign with hostile names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from explorer_cases import Client, client_of, serve_in_thread, simulated_state, small_state
from views.explorer.browser import WINDOW, Reader, find_chromium, hostile_campaign


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(simulated_state())


@pytest.fixture(scope="module")
def small_client() -> Client:
    return client_of(small_state())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_in_thread(hostile_campaign()) as server_address:
        yield server_address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
    with playwright.sync_playwright() as driver:
        chromium_browser = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield chromium_browser
        chromium_browser.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """Tab shared by most tests, because opening a new one takes longer than loading a page."""
    context = browser.new_context(viewport=WINDOW, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def reader(browser: Any, tab: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """Reader of the pages; at the end, no problems may be left that the test has not checked and cleared."""
    own_context = browser.new_context(**request.param) if hasattr(request, "param") else None
    page_reader = Reader(own_context.new_page() if own_context else tab, address)
    yield page_reader
    if own_context:
        own_context.close()
    else:
        page_reader.reset()
    assert page_reader.problems == []
    assert [url for url in page_reader.requests if not url.startswith((address, "data:", "blob:"))] == []
