"""Tests of rankings in a real browser: documents side by side, What if, pins in one plot, and tooltips."""

from __future__ import annotations

from typing import Any
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
dark = pytest.mark.parametrize("reader", [{"color_scheme": "dark"}], indirect=True)
_STROKES = """() => [...document.querySelectorAll("#overlay .curve")].map((node) => getComputedStyle(node).stroke)"""
_BORDERS = """() => [...document.querySelectorAll(".pin")].map((node) => getComputedStyle(node).borderLeftColor)"""


# Topics and documents ------------------------------------------------------------------------------------------


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


# What if -------------------------------------------------------------------------------------------------------


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


def test_hostile_texts_are_shown_as_text_next_to_the_edits(reader: Reader) -> None:
    reader.open("/what-if", run="alpha1", topic=HOSTILE_TOPIC, most=200)
    assert HOSTILE_DOCUMENT in read_names(reader)
    assert HOSTILE_TITLE in reader.page.locator("#ranking").inner_text()
    assert reader.page.locator("img, iframe, main script, main svg[onload], b[onmouseover]").count() == 0


def test_topic_page_leads_to_the_edits_of_a_run(reader: Reader) -> None:
    reader.open("/topic", topic="402", run=["birch1", "alpha1"])
    reader.perform(reader.page.get_by_role("link", name="what if …").first.click)
    assert query_of(reader) == {"run": ["birch1"], "topic": ["402"], "measure": ["AP"]}
    assert reader.read_text("#lede").startswith("birch1 on topic 402 has AP")


# Pins, places and tooltips -------------------------------------------------------------------------------------


def test_pins_are_overlaid_in_their_own_colours(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402"])
    assert not reader.page.locator("#overlay").is_visible()
    reader.open("/effort-gain", pin=["alpha1~402", "birch1~402"])
    page = reader.page
    assert page.locator("#overlay .legend").all_inner_texts() == ["1 alpha1 on 402", "2 birch1 on 402"]
    strokes = page.evaluate(_STROKES)
    assert len(set(strokes)) == 2
    assert strokes == page.evaluate(_BORDERS)
    relevant = page.request.get(f"{reader.address}api/curve?run=alpha1&topic=402").json()["relevant"]
    assert f"The first {max(4 * relevant, 10)} ranks" in reader.read_text("#overlay .note")
    reader.perform(page.get_by_role("button", name="Remove the pin of birch1 on topic 402").click)
    assert not page.locator("#overlay").is_visible()


@dark
def test_pins_have_other_colours_in_the_dark_theme(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402", "birch1~402"])
    assert reader.page.evaluate(_STROKES) == ["rgb(86, 180, 233)", "rgb(240, 137, 58)"]


def test_places_follow_the_sort_order(reader: Reader) -> None:
    reader.open("/", sort="P@10")
    rows = reader.page.request.get(f"{reader.address}api/leaderboard?sort=P@10").json()["rows"]
    assert reader.read_column("#leaderboard", 2) == [str(row["places"]["P@10"]) for row in rows]
    assert [row["place"] for row in rows] != [row["places"]["P@10"] for row in rows]


def test_tooltips_name_the_measure_and_disappear_on_scroll(reader: Reader) -> None:
    reader.open("/effort-gain", measure="nDCG@10")
    x, y = reader.locate_point("alpha1", "402")
    reader.page.mouse.move(x, y)
    assert "Gain (nDCG@10)" in reader.read_text(".tip")
    reader.page.evaluate("dispatchEvent(new Event('scroll'))")
    assert not reader.page.locator(".tip").is_visible()
