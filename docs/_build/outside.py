"""Pages and pictures of the site that stand elsewhere in the repository, and links that lead to them.

A page is written for the repository, where links lead to files. In the site, what is in ``docs/`` is the root, what
``BROUGHT`` names has a place of its own, and a notebook is a page.
"""

from __future__ import annotations

import posixpath
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
BROUGHT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/results.md": "benchmarks/results.md",
    "benchmarks/scale.md": "benchmarks/scale.md",
    "benchmarks/scale.svg": "benchmarks/scale.svg",
    "src/assay/views/explorer/static/icon.svg": "assets/icon.svg",
}
"""Where in the site is what stands in the repository."""
NOTEBOOKS = {
    f"docs/notebooks/{path.name}": f"notebooks/{path.stem}.md" for path in sorted(ROOT.glob("docs/notebooks/*.ipynb"))
}
_STANDS = {site: stands for stands, site in {**BROUGHT, **NOTEBOOKS}.items()}
_LINK = re.compile(r"(\]\()([^)\s#]+)")
_DOWNLOAD = "\n\n[The notebook itself]({}), to run and to change.\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is brought, and a page for each notebook."""
    for stands, site in BROUGHT.items():
        files.append(File.generated(config, site, abs_src_path=str(ROOT / stands)))
    for stands, site in NOTEBOOKS.items():
        text = _notebooks().notebook_page(ROOT / stands)
        files.append(File.generated(config, site, content=text + _DOWNLOAD.format(posixpath.basename(stands))))
    return files


def _notebooks() -> Any:
    spec = spec_from_file_location("docs_notebooks_make", ROOT / "docs" / "notebooks" / "make.py")
    if spec is None or spec.loader is None:
        raise ImportError("docs/notebooks/make.py cannot be loaded")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    site = page.file.src_uri
    stands = _STANDS.get(site, f"docs/{site}")
    return _LINK.sub(lambda found: found[1] + moved(found[2], stands, site), markdown)


def moved(target: str, stands: str, site: str) -> str:
    """A link of the page that *stands* in the repository, for where it is in the *site*.

    >>> moved("../../benchmarks/results.md", "docs/guide/scale.md", "guide/scale.md")
    '../benchmarks/results.md'
    >>> moved("docs/quickstart.md", "CHANGELOG.md", "changelog.md")
    'quickstart.md'
    """
    there = posixpath.normpath(posixpath.join(posixpath.dirname(stands), target))
    if re.match(r"[a-z]+:|/", target) or there == stands:
        return target
    places = {**BROUGHT, **NOTEBOOKS}
    new = places.get(there, there.removeprefix("docs/") if there.startswith("docs/") else None)
    return target if new is None else posixpath.relpath(new, posixpath.dirname(site) or ".")
