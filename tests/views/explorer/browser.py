"""A real browser for the tests of the pages, a campaign with hostile names, a reader that notes what goes wrong."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urljoin

import polars as pl

import assay
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.views.explorer.state import ExplorerState
from explorer_cases import read_state

HOSTILE_RUN = "<script>alert(1)</script>"
HOSTILE_TOPIC = '"><img src=x onerror=alert(2)>~%7E&pin='
HOSTILE_DOCUMENT = "<b onmouseover=alert(3)>first</b>"
PATIENCE = 15.0
WINDOW: Any = {"width": 1280, "height": 900}

# Playwright's own waiting makes functions of text, which the pages' policy forbids; so this is asked again and again.
_TURN = "() => `${performance.timeOrigin} ${document.body?.dataset.turn}`"
_SETTLED = """() => document.body?.dataset.ready === "yes"
    && document.querySelectorAll('.figure[aria-busy="true"]').length === 0"""
_PAINTED = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4)
        if (data[i + 3]) seen.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
    return seen.size;
}"""


def chromium() -> str | None:
    """The path of a browser: ``ASSAY_CHROMIUM``, or what is installed under a usual name."""
    named = os.environ.get("ASSAY_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("google-chrome")


def campaign() -> ExplorerState:
    """A simulated campaign; one run, one topic and one document have names that are markup."""
    drawn = assay.simulate(systems=9, topics=7, depth=120, pool=40, seed=3)
    topic = drawn.qrels.topics[0]
    first = drawn.runs[0].frame().filter(pl.col("topic") == topic)["doc"][0]
    names = {"topic": {topic: HOSTILE_TOPIC}, "doc": {first: HOSTILE_DOCUMENT}}
    qrels = Qrels.from_frame(_renamed(drawn.qrels.frame(), names))
    runs = [Run.from_frame(_renamed(run.frame(), names), name=run.name) for run in drawn.runs]
    return read_state(qrels, [*runs[:-1], runs[-1].named(HOSTILE_RUN)])


def _renamed(frame: pl.DataFrame, names: dict[str, dict[str, str]]) -> pl.DataFrame:
    return frame.with_columns(pl.col(column).replace(words) for column, words in names.items())


class Reader:
    """Someone who reads the pages: a tab of the browser, and all that went wrong in it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE * 1000)
        self._listeners: dict[str, Callable[[Any], None]] = {
            "console": self._heard,
            "pageerror": lambda error: self.problems.append(f"error: {error}"),
            "request": lambda request: self.requests.append(request.url),
            "dialog": self._asked,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def leave(self) -> None:
        """Leave the tab to the next reader as if it were new."""
        self.page.evaluate("localStorage.clear()")
        self.page.goto(urljoin(self.address, "static/style.css"))  # the same process goes on
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(WINDOW)
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: str, **query: Any) -> Reader:
        """Go to a page and wait until it is drawn."""
        text = urlencode(query, doseq=True)
        self.page.goto(urljoin(self.address, path) + (f"?{text}" if text else ""))
        return self.settle()

    def settle(self) -> Reader:
        """Wait until everything that was asked for is shown."""
        self.until(lambda: self._ask(_SETTLED), "the page to settle")
        return self

    def after(self, action: Callable[[], Any]) -> Reader:
        """Do something that changes the address, and wait until the page has followed."""
        before = self._ask(_TURN)
        action()
        self.until(lambda: self._ask(_TURN) not in (None, before), "the page to follow")
        return self.settle()

    def _ask(self, script: str) -> Any:
        """What the page answers; None while one page takes the place of another."""
        from playwright.sync_api import Error

        try:
            return self.page.evaluate(script)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return None

    def until(self, holds: Callable[[], Any], what: str) -> None:
        """Wait until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"waited in vain for {what}; problems: {self.problems}"
            self.page.wait_for_timeout(30)

    def text(self, selector: str) -> str:
        """What can be read there."""
        return str(self.page.locator(selector).first.inner_text())

    def column(self, table: str, number: int) -> list[str]:
        """The cells of a column of a table, from 1."""
        return [str(cell) for cell in self.page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()]

    def colours(self, figure: str) -> int:
        """How many colours a figure is painted with: a blank one has none."""
        return int(self.page.locator(f'[data-figure="{figure}"] canvas').first.evaluate(_PAINTED))

    def point(self, run: str, topic: str) -> tuple[float, float]:
        """Where a point of effort against gain is drawn, in pixels of the window."""
        canvas = self.page.locator('[data-figure="effort-gain"] canvas')
        canvas.scroll_into_view_if_needed()
        place = canvas.evaluate(
            """async (canvas, [run, topic]) => {
                const { marks } = await import("/static/scene.js");
                const view = canvas.closest(".figure").view;
                const all = marks(view, "points_marks");
                const found = all.find(({ datum }) => datum.run === run && datum.topic === topic);
                const box = canvas.getBoundingClientRect();
                return [box.left + found.x, box.top + found.y];
            }""",
            [run, topic],
        )
        return float(place[0]), float(place[1])

    def mark(self, figure: str, name: str, value: str) -> tuple[float, float]:
        """The middle of a mark of a figure whose datum has a value, in pixels of the window."""
        canvas = self.page.locator(f'[data-figure="{figure}"] canvas')
        canvas.scroll_into_view_if_needed()
        place = canvas.evaluate(
            """async (canvas, [name, value]) => {
                const { placed } = await import("/static/scene.js");
                const view = canvas.closest(".figure").view;
                const box = canvas.getBoundingClientRect();
                for (const { item, x, y } of placed(view))
                    if (item.datum?.[name] === value && item.bounds.width() > 0 && item.bounds.height() > 0)
                        return [
                            box.left + x + (item.bounds.x1 + item.bounds.x2) / 2,
                            box.top + y + (item.bounds.y1 + item.bounds.y2) / 2,
                        ];
            }""",
            [name, value],
        )
        return float(place[0]), float(place[1])

    def pins(self) -> list[str]:
        """The titles of the pinned rankings."""
        return [str(title) for title in self.page.locator(".pin h3").all_inner_texts()]
