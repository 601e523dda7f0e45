"""Execute every page: Python blocks as doctests, console blocks as commands; and check links."""

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
def test_blocks_show_their_output(page: Path) -> None:
    assert page.read_text() == pages.execute(page), "run python docs/pages.py to update the page"


def test_the_python_code_of_the_readme_runs() -> None:
    [code] = [text for kind, _, text in pages.BLOCK.findall((ROOT / "README.md").read_text()) if kind == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert repr(names["results"]) == "Results(1 run x 1 topic: AP, nDCG@10, RBP(p=0.8))"


def test_the_readme_is_short_and_its_numbers_are_not_too_large() -> None:
    from assay.cli import list_commands
    from assay.measures import catalogue
    from assay.views.plots._figures import figures

    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 60
    actual = {"measures": len(catalogue()), "commands": len(list_commands()), "[other figures]": len(figures()) - 1}
    for noun, number in actual.items():
        [stated] = re.findall(rf"(\d+) {re.escape(noun)}", text)
        assert int(stated) <= number, noun


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_link_targets_exist(page: Path) -> None:
    for target, anchor in LINK.findall(prose(page)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        linked_page = (page.parent / target).resolve() if target else page
        assert linked_page.exists(), f"{page_id(page)}: {target}"
        if anchor:
            assert anchor in anchors(linked_page), f"{page_id(page)}: {target}#{anchor}"


def prose(page: Path) -> str:
    """Return the page without code blocks and inline code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL))


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings, named as on GitHub and on the site, and explicit anchors."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


CLAIMS = re.compile(
    r"(every (one|figure|analysis) of the (five )?papers|all that the paper says)(?![^.]*with these exceptions:\n)",
    re.IGNORECASE,
)


def test_claims_to_reproduce_all_of_the_papers_name_the_exceptions() -> None:
    """A sentence about every figure or analysis ends with a list of exceptions."""
    texts = [*(page for page in PAGES if page.parent.name not in ("reference", "gallery")), *ROOT.glob("src/**/*.py")]
    assert [f"{page_id(path)}: {match[0]}" for path in texts if (match := CLAIMS.search(path.read_text()))] == []
