"""Every page is executed: Python blocks as doctests, console blocks by the command, and links are followed."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "benchmarks").glob("*.md"), *DOCS.rglob("*.md")])
SPEC = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", pages.PAGES, ids=page_id)
def test_blocks_do_what_they_show(page: Path) -> None:
    assert page.read_text() == pages.execute(page), "python docs/pages.py writes what is printed now into the page"


def test_the_python_of_the_readme_runs() -> None:
    [code] = [text for kind, _, text in pages.BLOCK.findall((ROOT / "README.md").read_text()) if kind == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert repr(names["results"]) == "Results(1 run x 1 topic: AP, nDCG@10, RBP(p=0.8))"


def test_the_readme_is_one_screen_and_boasts_of_nothing() -> None:
    from assay.cli import list_commands
    from assay.measures import catalogue
    from assay.views.plots._figures import figures

    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 60
    there = {"measures": len(catalogue()), "commands": len(list_commands()), "[other figures]": len(figures()) - 1}
    for thing, number in there.items():
        [said] = re.findall(rf"(\d+) {re.escape(thing)}", text)
        assert int(said) <= number, thing


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(prose(page)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{page_id(page)}: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page_id(page)}: {target}#{anchor}"


def prose(page: Path) -> str:
    """The page without its blocks and pieces of code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL))


@cache
def anchors(page: Path) -> set[str]:
    """What can be linked to in a page: its headings, as GitHub and the site name them alike, and anchors of its own."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", found) for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


CLAIMS = re.compile(r"every (one|figure|analysis) of the (five )?papers|all that the paper says", re.IGNORECASE)


def test_no_page_or_help_claims_all_of_the_papers() -> None:
    """Figures that only explain have no counterpart, a study leaves out most analyses, and one remark on rho fails."""
    texts = [*(page for page in PAGES if page.parent.name not in ("reference", "gallery")), *ROOT.glob("src/**/*.py")]
    assert [f"{page_id(path)}: {found[0]}" for path in texts if (found := CLAIMS.search(path.read_text()))] == []
