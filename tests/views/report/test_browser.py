"""A report in a real browser: it draws, asks nobody for anything, breaks no rule, and can be kept and printed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import read, simulate
from assay.views.report.build import build_report
from assay.views.report.settings import ReportSettings
from report_cases import HOSTILE


def chromium() -> str:
    """The browser; without one the tests are skipped, saying so."""
    named = os.environ.get("ASSAY_CHROMIUM")
    found = named or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("no Chromium: install chromium, or set ASSAY_CHROMIUM to the path of one")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a few runs, one with a hostile name and one with a long one."""
    collection = simulate(systems=6, topics=8, seed=3)
    names = [HOSTILE, "a-run-with-a-name-of-more-than-forty-letters-that-goes-on", "名前\u2028'\"\\"]
    runs = [run.named(names[i]) if i < len(names) else run for i, run in enumerate(collection.runs)]
    path = tmp_path_factory.mktemp("report") / "report.html"
    campaign = read(collection.qrels, runs, keep="judgments")
    path.write_bytes(build_report(campaign, ReportSettings(measures=("AP", "nDCG@10", "RR"))).html)
    return path


class Tab:
    """A page that was opened, and all it complained about or asked for."""

    def __init__(self, browser: Any, file: Path, width: int, scheme: str, **more: Any) -> None:
        viewport = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=viewport, color_scheme=scheme, **more)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())

    def count(self, selector: str) -> int:
        return int(self.page.locator(selector).count())

    def drawn(self, many: int) -> None:
        """Wait until so many figures are drawn."""
        self.page.wait_for_function("many => document.querySelectorAll('.chart.drawn').length >= many", arg=many)

    def scroll(self) -> None:
        """Look at everything that is not folded."""
        self.page.evaluate(
            """async () => {
                for (const chart of document.querySelectorAll('.chart')) {
                    if (chart.closest('details:not([open])')) continue;
                    // What is drawn above moves what is below: look until it is drawn, as a reader would.
                    for (let turn = 0; turn < 200 && !chart.classList.contains('drawn'); turn++) {
                        chart.scrollIntoView();
                        await new Promise(done => setTimeout(done, 25));
                    }
                }
            }"""
        )


@pytest.fixture
def tab(browser: Any, file: Path) -> Iterator[Any]:
    opened: list[Tab] = []

    def make(width: int = 1280, scheme: str = "light", **more: Any) -> Tab:
        opened.append(Tab(browser, file, width, scheme, **more))
        return opened[-1]

    yield make
    for one in opened:
        one.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_it_draws_without_a_complaint(tab: Any, file: Path, width: int, scheme: str) -> None:
    page = tab(width, scheme)
    unfolded = page.count(".chart") - page.count("details .chart")
    page.scroll()
    page.drawn(unfolded)
    assert page.complaints == []
    assert [url for url in page.asked if url != file.as_uri() and not url.startswith("blob:")] == []
    across = page.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert across[0] <= across[1], "the page itself does not scroll sideways"
    paper = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 24, 28)")
    wide = page.page.locator("#leaderboard .chart").get_attribute("data-drawn")
    assert wide == f"{'wide' if width > 600 else 'narrow'} {scheme}"


def test_a_report_on_one_topic_draws_without_a_complaint(browser: Any, tmp_path: Path) -> None:
    collection = simulate(systems=3, topics=1, seed=3)
    path = tmp_path / "report.html"
    campaign = read(collection.qrels, list(collection.runs), keep="judgments")
    path.write_bytes(build_report(campaign, ReportSettings(measures=("AP", "RR"))).html)
    page = Tab(browser, path, 1280, "light")
    page.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.scroll()
    page.drawn(page.count(".chart"))
    page.context.close()
    assert page.complaints == []


def test_what_is_far_away_or_folded_is_drawn_when_it_is_seen(tab: Any) -> None:
    page = tab()
    page.drawn(1)
    assert page.count(".chart.drawn") < page.count(".chart")
    first = page.page.locator("details.system").first
    assert first.locator(".chart.drawn").count() == 0
    first.locator("summary").first.click()
    first.locator(".chart.drawn").wait_for()
    assert first.locator(".chart svg").count() == 1
    assert page.complaints == []


def test_a_name_leads_to_the_page_of_its_run(tab: Any) -> None:
    page = tab()
    link = page.page.locator("#leaderboard tbody a").first
    target = link.get_attribute("href").removeprefix("#")
    assert not page.page.locator(f"#{target}").evaluate("one => one.open")
    link.click()
    page.page.wait_for_function("id => document.getElementById(id).open", arg=target)


def test_a_figure_can_be_kept(tab: Any) -> None:
    page = tab(1280, "dark", accept_downloads=True)
    page.drawn(1)
    kept: dict[str, bytes] = {}
    for kind in ("png", "svg", "csv"):
        with page.page.expect_download() as waiting:
            page.page.locator(f"#leaderboard button[data-save={kind}]").first.click()
        assert waiting.value.suggested_filename == f"leaderboard.{kind}"
        kept[kind] = Path(waiting.value.path()).read_bytes()
    assert kept["png"].startswith(b"\x89PNG")
    assert kept["svg"].startswith(b"<svg")
    assert b"#ffffff" in kept["svg"], "what is kept is on paper, whatever the screen looks like"
    assert kept["csv"].startswith(b"place,run,measure")
    assert HOSTILE.encode() in kept["csv"]
    assert page.complaints == []


def test_it_is_printed_whole_and_on_paper(tab: Any, tmp_path: Path) -> None:
    page = tab(1280, "dark")
    page.drawn(1)
    page.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.drawn(page.count(".chart"))
    assert page.count("details:not([open])") == 0
    themes = page.page.locator(".chart").evaluate_all("all => all.map(one => one.dataset.drawn.split(' ')[1])")
    assert set(themes) == {"light"}
    page.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.count("details[open]") == 0
    page.page.pdf(path=tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert page.complaints == []


def test_without_scripts_the_numbers_are_there(tab: Any) -> None:
    page = tab(1280, "light", java_script_enabled=False)
    assert "JavaScript is disabled" in page.page.inner_text("noscript")
    assert page.page.locator("#leaderboard table").first.is_visible()


def test_it_follows_the_reader_into_the_dark(tab: Any) -> None:
    page = tab(1280, "light")
    page.drawn(1)
    page.page.emulate_media(color_scheme="dark")
    page.page.wait_for_selector("#leaderboard .chart[data-drawn='wide dark']")
    page.page.set_viewport_size({"width": 390, "height": 800})
    page.page.wait_for_selector("#leaderboard .chart[data-drawn='narrow dark']")
    assert page.complaints == []


def test_keys_reach_what_scrolls_and_what_can_be_done(tab: Any) -> None:
    page = tab(390)
    page.page.keyboard.press("Tab")
    assert page.page.evaluate("document.activeElement.className") == "skip"
    assert page.count(".scroll:not([tabindex])") == 0
    assert page.count("th:not([scope])") == 0
    assert page.count(".chart:not([aria-label])") == 0
    assert page.count("figure:not(:has(figcaption))") == 0
