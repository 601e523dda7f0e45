"""Generate the pages of ``docs/reference`` from the code.

``make docs`` writes the pages. Each page has a module in this package with ``TITLE``, ``ABOUT`` (its line in the index)
and ``render_page()``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

GENERATED = "Generated from the code by `make docs`.\n"
INDEX = "README.md"
WRITTEN_BY_HAND = {
    "stability.md": "- [Stability](stability.md): public names, possible changes before 1.0, and how they are announced"
}
"""Pages that are not generated, and their lines in the index."""


def list_pages() -> list[str]:
    """Return the file names of all generated pages."""
    modules = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return [INDEX, *(f"{name}.md" for name in modules)]


def render_page(name: str) -> str:
    """Return the text of a page."""
    if name == INDEX:
        return _render_index()
    module = _load_module(name)
    return f"# {module.TITLE}\n\n{GENERATED}\n{module.render_page().rstrip()}\n"


def _load_module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.removesuffix('.md')}")


def _render_index() -> str:
    modules = ((name, _load_module(name)) for name in list_pages() if name != INDEX)
    lines = [f"- [{module.TITLE}]({name}): {module.ABOUT}" for name, module in modules]
    head = [
        "# Reference\n",
        "Where can I look up a command, a measure, a Python name or a format? Choose one of these pages. All pages",
        "except Stability are generated from the code.\n",
    ]
    return "\n".join([*head, *lines, *WRITTEN_BY_HAND.values(), ""])
