"""Tests of the topic page in a real browser: queries, rankings side by side, movements and texts of documents."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from views.explorer.browser import (
    HOSTILE_DOCUMENT,
    HOSTILE_QUERY,
    HOSTILE_RUN,
    HOSTILE_TEXT,
    HOSTILE_TITLE,
    HOSTILE_TOPIC,
    Reader,
    find_chromium,
)

pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")


def test_hostile_texts_are_shown_as_text(reader: Reader) -> None:
    page = reader.page
    reader.open("/topic", topic=HOSTILE_TOPIC, run=["alpha1", HOSTILE_RUN], doc=HOSTILE_DOCUMENT)
    assert reader.read_text("#query") == HOSTILE_QUERY
    assert reader.read_text("#document h3") == HOSTILE_TITLE
    assert reader.read_text(".document-text") == HOSTILE_TEXT
    first = page.locator(".card", has_text=HOSTILE_DOCUMENT).first
    assert first.locator(".card-title").inner_text() == HOSTILE_TITLE
    assert HOSTILE_TEXT.replace("\n", " ").startswith(first.locator(".card-text").inner_text().rstrip("…"))
    assert HOSTILE_TITLE in page.locator("#misplaced").inner_text()
    assert any(
        HOSTILE_QUERY[:20] in text
        for text in page.get_by_label("Topic", exact=True).locator("option").all_inner_texts()
    )
    reader.open("/pair", a="alpha1", b=HOSTILE_RUN)
    assert page.locator("img, iframe, main script, main svg[onload], b[onmouseover]").count() == 0


def test_topic_page_compares_the_first_documents_of_runs(reader: Reader) -> None:
    reader.open("/topic", topic="402", run=["alpha1", "birch1", "alpha2"])
    page = reader.page
    answer = page.request.get(f"{reader.address}api/rankings?topic=402&run=alpha1&run=birch1&run=alpha2").json()
    assert reader.read_text("#query") == "harbour pilots"
    assert page.locator(".ranking h3 > .name").all_inner_texts() == ["alpha1", "birch1", "alpha2"]
    for number, run in enumerate(answer["runs"]):
        cards = page.locator(".ranking").nth(number).locator(".card")
        assert cards.locator(".card-name").all_inner_texts() == [row["document"] for row in run["documents"]]
        grades = ["unjudged" if row["grade"] is None else f"grade {row['grade']:g}" for row in run["documents"]]
        assert cards.locator(".grade").all_inner_texts() == grades
    common = [
        len({row["document"] for row in left["documents"]} & {row["document"] for row in right["documents"]})
        for left, right in zip(answer["runs"], answer["runs"][1:], strict=False)
    ]
    assert [page.locator(".slopes").nth(number).locator("path").count() for number in range(2)] == common
    words = [row["words"] for move in answer["moves"] for row in move["rows"] if row["relevant"]]
    shown = page.locator("#moves .moves > ul").all_inner_texts()
    assert words
    assert all(any(word in text for text in shown) for word in words)


def test_steps_between_different_topics_keep_the_runs(reader: Reader) -> None:
    reader.open("/topic", run=["alpha1", "birch2"], topic="402")
    page = reader.page
    seen = ["402"]
    for button in ("Next most different", "Previous most different"):
        if page.get_by_role("button", name=button).is_enabled():
            reader.perform(page.get_by_role("button", name=button).click)
            query = parse_qs(urlsplit(page.url).query)
            assert query["run"] == ["alpha1", "birch2"]
            seen.append(query["topic"][0])
    assert len(seen) > 1
    assert seen[1] != "402"
    assert page.locator(".ranking h3 > .name").all_inner_texts() == ["alpha1", "birch2"]


def test_document_opens_with_the_keyboard_and_has_an_address(reader: Reader) -> None:
    reader.open("/topic", topic="402", run=["alpha1", "birch1"])
    page = reader.page
    assert not page.locator("#document").is_visible()
    link = page.locator(".card-name").first
    name = link.inner_text()
    link.focus()
    reader.perform(lambda: page.keyboard.press("Enter"))
    assert parse_qs(urlsplit(page.url).query)["doc"] == [name]
    assert reader.read_text("#document h3") == f"Title of {name}"
    assert page.evaluate("document.activeElement.dataset.doc") == name
    reader.perform(page.reload)
    assert reader.read_text(".document-text") == "A text."
    reader.perform(page.locator(".card-name").first.click)  # a second choice closes the document
    assert not page.locator("#document").is_visible()


def test_pair_page_leads_to_the_documents_of_both_runs(reader: Reader) -> None:
    reader.open("/pair", a="alpha1", b="birch1")
    assert "Title of " in reader.page.locator("#documents").inner_text()
    reader.perform(
        reader.page.locator("#topics").get_by_role("link", name="First documents of both runs on topic 403").click
    )
    assert reader.page.locator(".ranking h3 > .name").all_inner_texts() == ["alpha1", "birch1"]


def test_tables_of_topics_show_the_queries(reader: Reader) -> None:
    reader.open("/system", run="alpha1")
    queries = dict(zip(reader.read_column("#topics", 1), reader.read_column("#topics", 2), strict=True))
    assert queries["402"] == "harbour pilots"
    assert queries[HOSTILE_TOPIC] == HOSTILE_QUERY
    assert queries["403"] == "–"
