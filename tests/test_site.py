"""The documentation as a site: built without a warning, and nothing of it comes from the network."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from views.explorer.browser import chromium

pytest.importorskip("material", reason="the site is built with mkdocs-material: pip install 'assay-ir[docs]'")

ROOT = Path(__file__).parent.parent
LOADED = {"src", "srcset", "data", "poster"}
REMOTE = re.compile(r"(?:https?:)?//")
IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]*)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; the theme advertises its successor, which is no warning of ours."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


class Resources(HTMLParser):
    """What a browser loads to show a page; links that a reader may follow are none of it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.classes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.classes |= set(given.get("class", "").split())
        self.found += [value for name, value in given.items() if name in LOADED]
        if tag in ("link", "use", "image") and given.get("rel") not in ("next", "prev", "canonical"):
            self.found += [given.get("href", ""), given.get("xlink:href", "")]
        self.found += IN_STYLE.findall(given.get("style", ""))


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        text = page.read_text()
        reader = Resources()
        reader.feed(text)
        assert not [one for one in reader.found if REMOTE.match(one)], page
        assert not IN_STYLE.findall("".join(re.findall(r"<style.*?</style>", text, re.DOTALL))), page
        # The only thing that the script of the theme would fetch is what draws such a block.
        assert "mermaid" not in reader.classes, page
    for style in site.rglob("*.css"):
        assert not IN_STYLE.findall(style.read_text()), style


def test_every_formula_is_mathml(site: Path) -> None:
    text = (site / "reference" / "measures.html").read_text()
    assert text.count("<math") > 70
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(), page


def test_blocks_of_files_show_their_names(site: Path) -> None:
    assert '<span class="filename">qrels.txt</span>' in (site / "guide" / "evaluate.html").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "_build").glob("*.py")), ids=lambda path: path.stem)
def test_examples_of_the_build(path: Path) -> None:
    spec = spec_from_file_location(f"docs_build_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module).failed == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.mark.skipif(chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_from_a_disk_stay_on_it_and_fit(site: Path, browser: object, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})  # type: ignore[attr-defined]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index", "quickstart", "guide/compare", "reference/measures", "reference/commands", "gallery/index"):
        page.goto((site / f"{name}.html").as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, name
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:", "about:"))] == []
    page.close()


@pytest.mark.skipif(chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")
def test_the_search_works_from_a_disk(site: Path, browser: object) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})  # type: ignore[attr-defined]
    page.goto((site / "index.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("Twist")
    page.wait_for_selector(".md-search-result__item", timeout=15_000)
    assert "Twist" in page.inner_text(".md-search-result__list")
    page.close()
