"""Add pages and images from outside ``docs/`` to the site, and adapt links to them.

Links in pages are paths of files in the repository. In the site, ``docs/`` is the root, the files in ``EXTERNAL`` have
their own paths, and a notebook is a page.
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
EXTERNAL = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/results.md": "benchmarks/results.md",
    "benchmarks/scale.md": "benchmarks/scale.md",
    "benchmarks/scale.svg": "benchmarks/scale.svg",
    "src/assay/views/explorer/static/icon.svg": "assets/icon.svg",
}
"""Paths in the site of files outside ``docs/``, by their paths in the repository."""
NOTEBOOKS = {
    f"docs/notebooks/{path.name}": f"notebooks/{path.stem}.md" for path in sorted(ROOT.glob("docs/notebooks/*.ipynb"))
}
_SOURCES = {site: source for source, site in {**EXTERNAL, **NOTEBOOKS}.items()}
_LINK = re.compile(r"(\]\()([^)\s#]+)")
_DOWNLOAD = "\n\n[Download the notebook]({})\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the external files, and a page for each notebook."""
    for source, site in EXTERNAL.items():
        files.append(File.generated(config, site, abs_src_path=str(ROOT / source)))
    for source, site in NOTEBOOKS.items():
        text = _load_notebooks().notebook_page(ROOT / source)
        files.append(File.generated(config, site, content=text + _DOWNLOAD.format(posixpath.basename(source))))
    return files


def _load_notebooks() -> Any:
    """Load ``docs/notebooks/make.py``."""
    spec = spec_from_file_location("docs_notebooks_make", ROOT / "docs" / "notebooks" / "make.py")
    if spec is None or spec.loader is None:
        raise ImportError("docs/notebooks/make.py cannot be loaded")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    site = page.file.src_uri
    source = _SOURCES.get(site, f"docs/{site}")
    return _LINK.sub(lambda match: match[1] + convert_link(match[2], source, site), markdown)


def convert_link(target: str, source: str, site: str) -> str:
    """Convert a link on the page *source* of the repository to a link on the page *site*.

    >>> convert_link("../../benchmarks/results.md", "docs/guide/scale.md", "guide/scale.md")
    '../benchmarks/results.md'
    >>> convert_link("docs/quickstart.md", "CHANGELOG.md", "changelog.md")
    'quickstart.md'
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if re.match(r"[a-z]+:|/", target) or path == source:
        return target
    paths = {**EXTERNAL, **NOTEBOOKS}
    new = paths.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
    return target if new is None else posixpath.relpath(new, posixpath.dirname(site) or ".")
