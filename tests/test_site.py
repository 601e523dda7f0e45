"""The documentation site builds without warnings and loads nothing from the network."""

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

from views.explorer.browser import find_chromium

pytest.importorskip("material", reason="the site is built with mkdocs-material: pip install 'assay-ir[docs]'")

ROOT = Path(__file__).parent.parent
LOADED = {"src", "srcset", "data", "poster"}
REMOTE = re.compile(r"(?:https?:)?//")
IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]*)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; the theme's advertisement for its successor is not a warning about our pages."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    completed_process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert completed_process.returncode == 0, completed_process.stderr
    assert "WARNING" not in completed_process.stderr, completed_process.stderr
    return folder


class Resources(HTMLParser):
    """Collect the resources that a browser loads to show a page, not the links that a reader may follow."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []
        self.classes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.classes |= set(attributes.get("class", "").split())
        self.urls += [value for name, value in attributes.items() if name in LOADED]
        if tag in ("link", "use", "image") and attributes.get("rel") not in ("next", "prev", "canonical"):
            self.urls += [attributes.get("href", ""), attributes.get("xlink:href", "")]
        self.urls += IN_STYLE.findall(attributes.get("style", ""))


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        text = page.read_text()
        reader = Resources()
        reader.feed(text)
        assert not [one for one in reader.urls if REMOTE.match(one)], page
        assert not IN_STYLE.findall("".join(re.findall(r"<style.*?</style>", text, re.DOTALL))), page
        # The script of the theme fetches something only to draw such a block.
        assert "mermaid" not in reader.classes, page
    for style in site.rglob("*.css"):
        assert not IN_STYLE.findall(style.read_text()), style


def test_formulas_are_mathml(site: Path) -> None:
    text = (site / "reference" / "measures.html").read_text()
    assert text.count("<math") > 70
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(), page


def test_blocks_of_files_show_their_names(site: Path) -> None:
    assert '<span class="filename">qrels.txt</span>' in (site / "guide" / "evaluate.html").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "_build").glob("*.py")), ids=lambda path: path.stem)
def test_doctests_of_the_build_scripts_pass(path: Path) -> None:
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
        instance = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield instance
        instance.close()


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")
@pytest.mark.parametrize("width", [1280, 390])
def test_local_pages_make_no_remote_requests_and_fit_the_screen(site: Path, browser: object, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})  # type: ignore[attr-defined]
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    for name in ("index", "quickstart", "guide/compare", "reference/measures", "reference/commands", "gallery/index"):
        page.goto((site / f"{name}.html").as_uri())
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, name
    assert [url for url in requested if not url.startswith((site.as_uri(), "data:", "about:"))] == []
    page.close()


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")
def test_the_search_works_from_local_files(site: Path, browser: object) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})  # type: ignore[attr-defined]
    page.goto((site / "index.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("Twist")
    page.wait_for_selector(".md-search-result__item", timeout=15_000)
    assert "Twist" in page.inner_text(".md-search-result__list")
    page.close()
