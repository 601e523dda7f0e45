"""Helpers for tests in a real browser: a campaign with hostile names, and a reader that records problems."""

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
HOSTILE_QUERY = "</blockquote><script>alert(4)</script><img src=x onerror=alert(5)>"
HOSTILE_TITLE = "<svg onload=alert(6)>title</svg>"
HOSTILE_TEXT = "<iframe srcdoc='<script>alert(7)</script>'></iframe>&lt;b&gt;\n{{7*7}}${alert(8)}"
TIMEOUT = 15.0
WINDOW: Any = {"width": 1280, "height": 900}

# Playwright's own waiting builds functions from strings, which the content security policy of the pages forbids.
# Therefore these scripts are evaluated repeatedly instead.
_PAGE_STATE = "() => `${performance.timeOrigin} ${document.body?.dataset.turn}`"
_IS_SETTLED = """() => document.body?.dataset.ready === "yes"
    && document.querySelectorAll('.figure[aria-busy="true"]').length === 0"""
_COUNT_COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4)
        if (data[i + 3]) colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
    return colours.size;
}"""


def find_chromium() -> str | None:
    """Return the path of a browser: ``ASSAY_CHROMIUM``, or an installed browser with a usual name."""
    configured = os.environ.get("ASSAY_CHROMIUM")
    return configured or shutil.which("chromium") or shutil.which("google-chrome")


def hostile_campaign(systems: int = 9, topics: int = 7) -> ExplorerState:
    """Return a simulated campaign in which one run, one topic and one document have markup as names."""
    collection = assay.simulate(systems=systems, topics=topics, depth=120, pool=40, seed=3)
    topic = collection.qrels.topics[0]
    document = collection.runs[0].frame().filter(pl.col("topic") == topic)["doc"][0]
    names = {"topic": {topic: HOSTILE_TOPIC}, "doc": {document: HOSTILE_DOCUMENT}}
    qrels = Qrels.from_frame(_rename(collection.qrels.frame(), names))
    runs = [Run.from_frame(_rename(run.frame(), names), name=run.name) for run in collection.runs]
    queries = {HOSTILE_TOPIC: HOSTILE_QUERY, "402": "harbour pilots"}
    shown = [name for run in runs for name in run.frame()["doc"].cast(pl.String)]
    docs = [{"id": name, "title": f"Title of {name}", "text": "A text."} for name in {*shown} - {HOSTILE_DOCUMENT}]
    docs.append({"id": HOSTILE_DOCUMENT, "title": HOSTILE_TITLE, "text": HOSTILE_TEXT})
    return read_state(qrels, [*runs[:-1], runs[-1].with_name(HOSTILE_RUN)], queries=queries, docs=docs)


def _rename(frame: pl.DataFrame, names: dict[str, dict[str, str]]) -> pl.DataFrame:
    return frame.with_columns(pl.col(column).replace(replacements) for column, replacements in names.items())


class Reader:
    """A tab of the browser with the problems and requests recorded in it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(TIMEOUT * 1000)
        self._listeners: dict[str, Callable[[Any], None]] = {
            "console": self._record_console_message,
            "pageerror": lambda error: self.problems.append(f"error: {error}"),
            "request": lambda request: self.requests.append(request.url),
            "dialog": self._record_dialog,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def reset(self) -> None:
        """Reset the tab for the next test."""
        self.page.evaluate("localStorage.clear()")
        self.page.goto(urljoin(self.address, "static/style.css"))  # same site: the browser keeps its process
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(WINDOW)
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def _record_console_message(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _record_dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: str, **query: Any) -> Reader:
        """Open a page and wait until it is drawn."""
        text = urlencode(query, doseq=True)
        self.page.goto(urljoin(self.address, path) + (f"?{text}" if text else ""))
        return self.settle()

    def settle(self) -> Reader:
        """Wait until all requested content is shown."""
        self.wait_until(lambda: self._evaluate(_IS_SETTLED), "the page to settle")
        return self

    def perform(self, action: Callable[[], Any]) -> Reader:
        """Perform an action that changes the address, and wait until the page has been updated."""
        state = self._evaluate(_PAGE_STATE)
        action()
        self.wait_until(lambda: self._evaluate(_PAGE_STATE) not in (None, state), "the page to be updated")
        return self.settle()

    def _evaluate(self, script: str) -> Any:
        """Return the result of a script; None while one page replaces another."""
        from playwright.sync_api import Error

        try:
            return self.page.evaluate(script)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return None

    def wait_until(self, condition: Callable[[], Any], description: str) -> None:
        """Wait until a condition is true."""
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline, f"timed out waiting for {description}; problems: {self.problems}"
            self.page.wait_for_timeout(30)

    def read_text(self, selector: str) -> str:
        """Return the visible text of the first matching element."""
        return str(self.page.locator(selector).first.inner_text())

    def read_column(self, table: str, number: int) -> list[str]:
        """Return the cells of a column of a table; columns are numbered from 1."""
        return [str(cell) for cell in self.page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()]

    def count_colours(self, figure: str) -> int:
        """Return the number of colours in a figure, which is 0 for a blank figure."""
        return int(self.page.locator(f'[data-figure="{figure}"] canvas').first.evaluate(_COUNT_COLOURS))

    def locate_point(self, run: str, topic: str) -> tuple[float, float]:
        """Return the position of a point of the effort-gain figure, in pixels of the window."""
        canvas = self.page.locator('[data-figure="effort-gain"] canvas')
        canvas.scroll_into_view_if_needed()
        position = canvas.evaluate(
            """async (canvas, [run, topic]) => {
                const { marks } = await import("/static/scene.js");
                const view = canvas.closest(".figure").view;
                const points = marks(view, "points_marks");
                const point = points.find(({ datum }) => datum.run === run && datum.topic === topic);
                const box = canvas.getBoundingClientRect();
                return [box.left + point.x, box.top + point.y];
            }""",
            [run, topic],
        )
        return float(position[0]), float(position[1])

    def locate_mark(self, figure: str, name: str, value: str) -> tuple[float, float]:
        """Return the centre of the mark whose field *name* has a value, in pixels of the window."""
        canvas = self.page.locator(f'[data-figure="{figure}"] canvas')
        canvas.scroll_into_view_if_needed()
        position = canvas.evaluate(
            """async (canvas, [name, value]) => {
                const { itemsOf } = await import("/static/scene.js");
                const view = canvas.closest(".figure").view;
                const box = canvas.getBoundingClientRect();
                for (const { item, x, y } of itemsOf(view))
                    if (item.datum?.[name] === value && item.bounds.width() > 0 && item.bounds.height() > 0)
                        return [
                            box.left + x + (item.bounds.x1 + item.bounds.x2) / 2,
                            box.top + y + (item.bounds.y1 + item.bounds.y2) / 2,
                        ];
            }""",
            [name, value],
        )
        return float(position[0]), float(position[1])

    def read_pins(self) -> list[str]:
        """Return the titles of the pinned rankings."""
        return [str(title) for title in self.page.locator(".pin h3").all_inner_texts()]
