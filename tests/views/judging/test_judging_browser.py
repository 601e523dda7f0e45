"""Tests of the judging page in a real browser: keyboard, kill -9, two tabs, markup in texts, small windows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from views.explorer.browser import Reader, find_chromium
from views.judging.judging_cases import (
    HOSTILE_DOCUMENT,
    HOSTILE_QUERY,
    HOSTILE_TEXT,
    read_judgments,
    start_judging,
    write_files,
)

playwright = pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium_browser = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield chromium_browser
        chromium_browser.close()


def open_tab(browser: Any, address: str, **options: Any) -> Reader:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    return Reader(context.new_page(), address).open("")


def press(tab: Reader, key: str) -> None:
    """Press a key and wait until the server has answered."""
    tab.page.keyboard.press(key)
    tab.settle()


def current(tab: Reader) -> tuple[str, str]:
    """Return the topic and the document on the page."""
    topic = tab.read_text("#query .muted").removeprefix("Topic ")
    return topic, tab.read_text("#document .note")


def test_thirty_judgments_with_a_kill_in_between(browser: Any, tmp_path: Path) -> None:
    arguments, output = write_files(tmp_path), tmp_path / "judged.qrels"
    grades, expected = random.Random(3), {}
    with start_judging(tmp_path, *arguments) as (process, address):
        tab = open_tab(browser, address)
        for _ in range(15):
            grade = grades.randint(0, 3)
            expected[current(tab)] = grade
            press(tab, str(grade))
        interrupted = current(tab)
        process.kill()  # kill -9
        process.wait()
        press(tab, "2")
        assert "does not answer" in tab.read_text("#problem")
    assert read_judgments(output) == expected
    with output.open("a") as stream:
        stream.write("4 0 4-0")  # what a crash within a write would leave
    with start_judging(tmp_path, *arguments, port=urlsplit(address).port or 0) as (process, _):
        tab.problems.clear()  # the failed request
        tab.open("")
        assert "0 judged now, 15 in the file" in tab.read_text("#progress")
        assert current(tab) == interrupted
        for _ in range(15):
            pair, grade = current(tab), grades.randint(0, 3)
            assert pair not in expected
            expected[pair] = grade
            press(tab, str(grade))
        process.terminate()
        assert "removed the incomplete last line" in process.communicate()[1]
    assert len(expected) == 30
    assert read_judgments(output) == expected
    assert tab.problems == []


def test_page(browser: Any, tmp_path: Path) -> None:
    arguments, output = write_files(tmp_path), tmp_path / "judged.qrels"
    with start_judging(tmp_path, *arguments, "--stop", "top:1", "--pair", "one", "two") as (_, address):
        first, second = open_tab(browser, address), open_tab(browser, address, color_scheme="dark")
        # Two tabs show the same document; the second answer changes nothing.
        pair = current(first)
        assert current(second) == pair
        press(first, "1")
        press(second, "2")
        assert "already has grade 1" in second.read_text("#problem")
        assert read_judgments(output) == {pair: 1}
        assert current(second) == current(first) != pair
        # Undo, and a grade above the scale.
        press(first, "z")
        assert current(first) == pair
        assert read_judgments(output) == {}
        press(first, "7")
        assert "grades are 0 to 3" in first.read_text("#problem")
        # Skipped documents come again at the end, unsure documents do not.
        assert first.page.locator("#stop .holds").count() == 0
        assert "judgments more needed for the present order" in first.read_text("#stop")
        press(first, "s")
        skipped, unsure = pair, current(first)
        assert unsure != skipped
        press(first, "u")
        asked = []
        while first.page.locator("#grades button").count():
            pair = current(first)
            asked.append(pair)
            if pair == ("1", HOSTILE_DOCUMENT):
                assert first.read_text("#query h1") == HOSTILE_QUERY
                assert first.read_text("#document .text") == HOSTILE_TEXT
            if len(asked) % 2:
                press(first, "0")
            else:
                first.page.get_by_role("button", name="Grade 2").click()
                first.settle()
        assert asked[-1] == skipped
        assert ("1", HOSTILE_DOCUMENT) in asked
        assert unsure not in asked
        assert sorted(read_judgments(output)) == sorted(asked)
        assert "No more documents" in first.read_text("#query h1")
        assert (tmp_path / "judged.qrels.unsure").read_text() == f"{unsure[0]} 0 {unsure[1]} ?\n"
        assert second.problems == [
            "error: Failed to load resource: the server responded with a status of 409 (Conflict)"
        ]
        assert first.problems == [
            "error: Failed to load resource: the server responded with a status of 400 (Bad Request)"
        ]
        assert [url for tab in (first, second) for url in tab.requests if not url.startswith(address)] == []


def test_answers_stay_visible(browser: Any, tmp_path: Path) -> None:
    with start_judging(tmp_path, *write_files(tmp_path), "--max-grade", "9") as (_, address):
        for width in (390, 1280):
            tab = open_tab(browser, address, viewport={"width": width, "height": 844})
            tab.page.mouse.wheel(0, 400)
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
            for name in ("Grade 0", "Grade 9", "Skip", "Undo"):
                box = tab.page.get_by_role("button", name=name).bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= 844
            for _ in range(4):
                tab.page.keyboard.press("Tab")
            outline = "getComputedStyle(document.activeElement).outlineStyle"
            assert tab.page.evaluate(f"document.activeElement.tagName + ' ' + {outline}") == "BUTTON solid"
            assert tab.problems == []
