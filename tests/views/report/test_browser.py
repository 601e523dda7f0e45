"""Tests of a report in a real browser: drawing, no network requests, no policy violations, saving and printing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import read, simulate
from assay.views.report.build import build_report
from assay.views.report.settings import ReportSettings
from report_cases import HOSTILE


def find_chromium() -> str:
    """Return the path of the browser; without one, skip the tests."""
    configured = os.environ.get("ASSAY_CHROMIUM")
    path = configured or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium: install chromium, or set ASSAY_CHROMIUM to the path of one")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = find_chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium_browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium_browser
        chromium_browser.close()


@pytest.fixture(scope="module")
def report_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of a report on a few runs, with hostile, long and non-ASCII names."""
    collection = simulate(systems=6, topics=8, seed=3)
    replaced_names = [HOSTILE, "a-run-with-a-name-of-more-than-forty-letters-that-goes-on", "名前\u2028'\"\\"]
    runs = [
        run.with_name(replaced_names[i]) if i < len(replaced_names) else run for i, run in enumerate(collection.runs)
    ]
    path = tmp_path_factory.mktemp("report") / "report.html"
    campaign = read(collection.qrels, runs, keep="judgments")
    path.write_bytes(build_report(campaign, ReportSettings(measures=("AP", "nDCG@10", "RR"))).html)
    return path


class Tab:
    """An open page with its recorded errors and requests."""

    def __init__(
        self, browser: Any, report_path: Path, width: int, scheme: str, *, unfold: bool = True, **options: Any
    ) -> None:
        viewport = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=viewport, color_scheme=scheme, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(report_path.as_uri())
        if unfold:
            self.page.evaluate(
                """document.querySelectorAll('details.appendix').forEach(details => details.open = true);
                document.getElementById('leaderboard').scrollIntoView()"""
            )

    def count(self, selector: str) -> int:
        return int(self.page.locator(selector).count())

    def wait_until_drawn(self, number: int) -> None:
        """Wait until at least this number of figures is drawn."""
        self.page.wait_for_function("number => document.querySelectorAll('.chart.drawn').length >= number", arg=number)

    def scroll(self) -> None:
        """Scroll to every figure that is not folded."""
        self.page.evaluate(
            """async () => {
                for (const chart of document.querySelectorAll('.chart')) {
                    if (chart.closest('details:not([open])')) continue;
                    // Drawing a figure moves those below it, so scroll repeatedly until this one is drawn.
                    for (let step = 0; step < 200 && !chart.classList.contains('drawn'); step++) {
                        chart.scrollIntoView();
                        await new Promise(resolve => setTimeout(resolve, 25));
                    }
                }
            }"""
        )


@pytest.fixture
def open_tab(browser: Any, report_path: Path) -> Iterator[Any]:
    tabs: list[Tab] = []

    def open_page(width: int = 1280, scheme: str = "light", **options: Any) -> Tab:
        tabs.append(Tab(browser, report_path, width, scheme, **options))
        return tabs[-1]

    yield open_page
    for tab in tabs:
        tab.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_figures_are_drawn_without_errors(open_tab: Any, report_path: Path, width: int, scheme: str) -> None:
    tab = open_tab(width, scheme)
    unfolded = tab.count(".chart") - tab.count("details:not([open]) .chart")
    tab.scroll()
    tab.wait_until_drawn(unfolded)
    assert tab.errors == []
    assert [url for url in tab.requests if url != report_path.as_uri() and not url.startswith("blob:")] == []
    widths = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1], "the page does not scroll horizontally"
    background = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 24, 28)")
    drawn_variant = tab.page.locator("#leaderboard .chart").get_attribute("data-drawn")
    assert drawn_variant == f"{'wide' if width > 600 else 'narrow'} {scheme}"


def test_report_on_one_topic_is_drawn_without_errors(browser: Any, tmp_path: Path) -> None:
    collection = simulate(systems=3, topics=1, seed=3)
    path = tmp_path / "report.html"
    campaign = read(collection.qrels, list(collection.runs), keep="judgments")
    path.write_bytes(build_report(campaign, ReportSettings(measures=("AP", "RR"))).html)
    tab = Tab(browser, path, 1280, "light")
    tab.page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    tab.scroll()
    tab.wait_until_drawn(tab.count(".chart"))
    tab.context.close()
    assert tab.errors == []


def test_hidden_figures_are_drawn_when_visible(open_tab: Any) -> None:
    tab = open_tab()
    tab.wait_until_drawn(1)
    assert tab.count(".chart.drawn") < tab.count(".chart")
    details = tab.page.locator("details.system").first
    assert details.locator(".chart.drawn").count() == 0
    details.locator("summary").first.click()
    details.locator(".chart.drawn").wait_for()
    assert details.locator(".chart svg").count() == 1
    assert tab.errors == []


def test_run_names_link_to_their_details(open_tab: Any) -> None:
    tab = open_tab(unfold=False)
    link = tab.page.locator("#verdict tbody a").first
    target = link.get_attribute("href").removeprefix("#")
    assert not tab.page.locator(f"#{target}").evaluate("details => details.open")
    link.click()
    tab.page.wait_for_function("id => document.getElementById(id).open", arg=target)


def test_figures_can_be_saved(open_tab: Any) -> None:
    tab = open_tab(1280, "dark", accept_downloads=True)
    tab.wait_until_drawn(1)
    contents: dict[str, bytes] = {}
    for file_format in ("png", "svg", "csv"):
        with tab.page.expect_download() as download:
            tab.page.locator(f"#leaderboard button[data-save={file_format}]").first.click()
        assert download.value.suggested_filename == f"leaderboard.{file_format}"
        contents[file_format] = Path(download.value.path()).read_bytes()
    assert contents["png"].startswith(b"\x89PNG")
    assert contents["svg"].startswith(b"<svg")
    assert b"#ffffff" in contents["svg"], "saved figures use the light theme in any colour scheme"
    assert contents["csv"].startswith(b"place,run,measure")
    assert HOSTILE.encode() in contents["csv"]
    assert tab.errors == []


def test_printing_shows_open_parts_in_the_light_theme(open_tab: Any, tmp_path: Path) -> None:
    tab = open_tab(1280, "dark", unfold=False)
    tab.page.locator("#leaderboard summary").first.click()
    tab.wait_until_drawn(1)
    drawn = tab.page.locator(".chart.drawn").first
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.page.wait_for_function("() => document.querySelector('.chart.drawn').dataset.drawn.endsWith('light')")
    tab.page.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.page.wait_for_function("() => document.querySelector('.chart.drawn').dataset.drawn.endsWith('dark')")
    assert drawn.is_visible()
    tab.page.pdf(path=tmp_path / "report.pdf")
    pdf = (tmp_path / "report.pdf").read_bytes()
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 10
    assert tab.errors == []


def test_links_open_folded_parts(open_tab: Any) -> None:
    tab = open_tab(unfold=False)
    assert tab.count("details[open]") == 0
    tab.page.locator("nav a[href='#significance']").click()
    tab.page.wait_for_selector("#significance > details[open]")
    assert tab.count("details[open]") == 1


def test_tables_are_sorted_and_filtered(open_tab: Any) -> None:
    tab = open_tab(unfold=False)
    table = tab.page.locator("#cases table").first
    values = "table => [...table.tBodies[0].rows].map(row => row.cells[2].textContent)"
    before = table.evaluate(values)
    assert before == sorted(before, key=float)
    table.locator("th button.sort").nth(2).click()
    assert table.evaluate(values) == before[::-1]
    assert table.locator("th[aria-sort=descending]").count() == 1
    tab.page.locator("nav a[href='#leaderboard']").click()
    tab.page.locator("#leaderboard details details summary").click()
    every = tab.page.locator("#leaderboard details details")
    rows = every.locator("tbody tr").count()
    every.locator("input.filter").fill("nDCG")
    assert every.locator("tbody tr:visible").count() == rows / 3
    assert tab.errors == []


def test_numbers_are_shown_without_scripts(open_tab: Any) -> None:
    tab = open_tab(1280, "light", unfold=False, java_script_enabled=False)
    assert "JavaScript is disabled" in tab.page.inner_text("noscript")
    assert tab.page.locator("#verdict table").first.is_visible()
    assert tab.page.locator("#verdict tbody svg").first.is_visible()


def test_figures_follow_the_colour_scheme_and_width(open_tab: Any) -> None:
    tab = open_tab(1280, "light")
    tab.wait_until_drawn(1)
    tab.page.emulate_media(color_scheme="dark")
    tab.page.wait_for_selector("#leaderboard .chart[data-drawn='wide dark']")
    tab.page.set_viewport_size({"width": 390, "height": 800})
    tab.page.wait_for_selector("#leaderboard .chart[data-drawn='narrow dark']")
    assert tab.errors == []


def test_page_is_accessible_by_keyboard(open_tab: Any) -> None:
    tab = open_tab(390)
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    assert tab.count(".scroll:not([tabindex])") == 0
    assert tab.count("th:not([scope])") == 0
    assert tab.count(".chart:not([aria-label])") == 0
    assert tab.count("figure:not(:has(figcaption))") == 0
