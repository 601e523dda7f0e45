"""Tests of the page templates: they render, contain no data and load nothing external."""

from __future__ import annotations

import re

import pytest

from assay.views.explorer.pages import PAGES, TEMPLATES
from explorer_cases import HOSTILE, Client, client_of, hostile_state, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_is_served(client: Client, page) -> None:
    response = client.get(page.path, {"accept": "text/html"})
    assert response.status == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<title>{page.title}" in response.text
    assert response.headers["cache-control"] == "no-cache"
    assert client.get(page.path, {"if-none-match": response.headers["etag"]}).status == 304


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_pages_contain_nothing_that_the_policy_blocks(client: Client, page) -> None:
    text = client.get(page.path).text
    assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>", text), "inline script"
    assert not re.search(r"\son\w+\s*=", text), "inline event handler"
    assert not re.search(r"\sstyle\s*=|<style", text), "inline style"
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text), "external resource"
    for name in re.findall(r"(?:src|href)=\"(/static/[^\"?]+)", text):
        assert client.get(name).status == 200, name


def test_query_is_not_in_the_page(client: Client) -> None:
    """Scripts insert the parameters of the address as text."""
    response = client.get("/topic", topic=HOSTILE)
    assert response.status == 200
    assert "alert(1)" not in response.text


def test_names_of_the_campaign_are_not_in_the_page() -> None:
    client = client_of(hostile_state())
    for page in PAGES:
        assert HOSTILE not in client.get(page.path).text


def test_errors_are_pages_if_html_is_accepted(client: Client) -> None:
    response = client.get("/<script>alert(1)</script>", {"accept": "text/html,*/*"})
    assert response.status == 404
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "there is no page at this address" in response.text
    assert "alert(1)" not in response.text
    assert client.get("/none", {"accept": "application/json"}).error == "there is no page at this address"
    assert client.get("/api/none", {"accept": "text/html"}).error == "there is no page at this address"


def test_every_template_belongs_to_a_page() -> None:
    expected = {page.template for page in PAGES} | {"base.html", "error.html"}
    assert {path.name for path in TEMPLATES.glob("*.html") if not path.name.startswith("_")} == expected
