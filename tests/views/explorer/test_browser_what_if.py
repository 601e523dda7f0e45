"""Tests of the page What if in a real browser: edits with buttons, with the keyboard and by dragging."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from views.explorer.browser import HOSTILE_DOCUMENT, HOSTILE_TITLE, HOSTILE_TOPIC, Reader, find_chromium

pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")


def query_of(reader: Reader) -> dict[str, list[str]]:
    return parse_qs(urlsplit(reader.page.url).query)


def read_names(reader: Reader) -> list[str]:
    names = reader.page.locator(".edit .card-name").all_inner_texts()
    return [str(name).split(" was ")[0] for name in names]


def check_values(reader: Reader) -> list[dict[str, Any]]:
    """Compare the values on the page with those of the server, and return them."""
    data = reader.page.request.get(f"{reader.address}api/what-if?{urlsplit(reader.page.url).query}").json()
    shown = [text.split()[0] for text in reader.read_column("#values", 3)]
    assert shown == [f"{row['after']:.4f}" for row in data["values"]]
    return list(data["values"])


def test_moves_with_the_keyboard_change_the_values_and_the_address(reader: Reader) -> None:
    reader.open("/what-if", run="alpha1", topic="402")
    page = reader.page
    names = read_names(reader)
    before = check_values(reader)
    button = page.get_by_role("button", name=f"Move up: {names[2]}", exact=True)
    button.focus()
    reader.perform(lambda: page.keyboard.press("Enter"))
    reader.perform(lambda: page.keyboard.press("Enter"))  # the focus stays on the document
    assert read_names(reader)[:3] == [names[2], names[0], names[1]]
    assert query_of(reader)["move"] == ["3~1"]
    after = check_values(reader)
    assert [row["before"] for row in after] == [row["before"] for row in before]
    assert page.locator("#values .curve-plot").count() == 2
    reader.perform(page.reload)  # the address contains the edits
    assert read_names(reader)[:3] == [names[2], names[0], names[1]]
    reader.perform(page.get_by_role("button", name="Reset").click)
    assert read_names(reader) == names
    assert "move" not in query_of(reader)
    assert page.get_by_role("button", name="Reset").is_disabled()


def test_grades_change_the_values_and_the_place(reader: Reader) -> None:
    reader.open("/what-if", run="alpha1", topic="402")
    page = reader.page
    name = read_names(reader)[0]
    field = page.get_by_label(f"Grade of {name}", exact=True)
    original = field.input_value()
    other = "1" if original != "1" else "0"
    reader.perform(lambda: field.select_option(other))
    assert query_of(reader)["grade"] == [f"1~{other}"]
    value = check_values(reader)[0]
    assert value["after"] != value["before"]
    assert f"AP is {value['after']:.4f} instead of {value['before']:.4f}" in reader.read_text("#lede")
    reader.perform(lambda: page.get_by_label(f"Grade of {name}", exact=True).select_option(original))
    assert "grade" not in query_of(reader)


def test_documents_are_dragged(reader: Reader) -> None:
    reader.open("/what-if", run="alpha1", topic="402")
    names = read_names(reader)
    rows = reader.page.locator(".edit")
    reader.perform(lambda: rows.nth(3).locator(".rank").drag_to(rows.nth(1).locator(".rank")))
    assert query_of(reader)["move"] == ["4~2"]
    assert read_names(reader)[:4] == [names[0], names[3], names[1], names[2]]


def test_hostile_texts_are_shown_as_text(reader: Reader) -> None:
    reader.open("/what-if", run="alpha1", topic=HOSTILE_TOPIC, most=200)
    assert HOSTILE_DOCUMENT in read_names(reader)
    assert HOSTILE_TITLE in reader.page.locator("#ranking").inner_text()
    assert reader.page.locator("img, iframe, main script, main svg[onload], b[onmouseover]").count() == 0


def test_topic_page_leads_to_the_edits_of_a_run(reader: Reader) -> None:
    reader.open("/topic", topic="402", run=["birch1", "alpha1"])
    reader.perform(reader.page.get_by_role("link", name="what if …").first.click)
    assert query_of(reader) == {"run": ["birch1"], "topic": ["402"], "measure": ["AP"]}
    assert reader.read_text("#lede").startswith("birch1 on topic 402 has AP")
