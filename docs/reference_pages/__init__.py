"""Generate the pages of ``docs/reference`` from the code.

``make docs`` writes them. A page is a module of this package with ``TITLE``, ``ABOUT`` and ``page()``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

GENERATED = "Generated from the code by `make docs`.\n"
INDEX = "README.md"
WRITTEN_BY_HAND = {
    "stability.md": "- [Stability](stability.md): what is public, what may change before 1.0, and how that is announced"
}
"""Pages that are not generated, and their line in the index."""


def names() -> list[str]:
    """Return the file name of every generated page."""
    modules = sorted(one.name for one in iter_modules(__path__) if not one.name.startswith("_"))
    return [INDEX, *(f"{name}.md" for name in modules)]


def page(name: str) -> str:
    """Return the text of a page."""
    if name == INDEX:
        return _index()
    module = _module(name)
    return f"# {module.TITLE}\n\n{GENERATED}\n{module.page().rstrip()}\n"


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.removesuffix('.md')}")


def _index() -> str:
    modules = ((name, _module(name)) for name in names() if name != INDEX)
    lines = [f"- [{module.TITLE}]({name}): {module.ABOUT}" for name, module in modules]
    head = ["# Reference\n", "These pages are generated from the code, and a test compares them with it.\n"]
    return "\n".join([*head, *lines, *WRITTEN_BY_HAND.values(), ""])
