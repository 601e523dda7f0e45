"""Tests of the pins in one plot, of places in the sort order, and of tooltips, in a real browser."""

from __future__ import annotations

import pytest

from views.explorer.browser import Reader, find_chromium

pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")
dark = pytest.mark.parametrize("reader", [{"color_scheme": "dark"}], indirect=True)
_STROKES = """() => [...document.querySelectorAll("#overlay .curve")].map((node) => getComputedStyle(node).stroke)"""
_BORDERS = """() => [...document.querySelectorAll(".pin")].map((node) => getComputedStyle(node).borderLeftColor)"""


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
