"""Generate the pages of ``docs/reference`` from the code.

``make docs`` writes them. A page is a module of this package with ``TITLE``, ``ABOUT`` and ``page()``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

WRITTEN = "This page is written from the code (`make docs`).\n"
INDEX = "README.md"


def names() -> list[str]:
    """The file of every page."""
    found = sorted(one.name for one in iter_modules(__path__) if not one.name.startswith("_"))
    return [INDEX, *(f"{name}.md" for name in found)]


def page(name: str) -> str:
    """The text of a page."""
    if name == INDEX:
        return _index()
    module = _module(name)
    return f"# {module.TITLE}\n\n{WRITTEN}\n{module.page().rstrip()}\n"


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.removesuffix('.md')}")


def _index() -> str:
    modules = ((name, _module(name)) for name in names() if name != INDEX)
    lines = [f"- [{module.TITLE}]({name}): {module.ABOUT}" for name, module in modules]
    head = ["# Reference\n", "These pages are written from the code, and a test compares them with it.\n"]
    return "\n".join([*head, *lines, ""])
