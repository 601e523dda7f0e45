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
    "stability.md": "- [Stability](stability.md): public names, possible changes before 1.0, and their announcement"
}
"""Pages that are not generated, and their line in the index."""


def names() -> list[str]:
    """Return the file name of every generated page."""
    modules = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return [INDEX, *(f"{name}.md" for name in modules)]


def page(name: str) -> str:
    """Return the text of a page."""
    if name == INDEX:
        return _index()
    module = _load_module(name)
    return f"# {module.TITLE}\n\n{GENERATED}\n{module.page().rstrip()}\n"


def _load_module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.removesuffix('.md')}")


def _index() -> str:
    modules = ((name, _load_module(name)) for name in names() if name != INDEX)
    lines = [f"- [{module.TITLE}]({name}): {module.ABOUT}" for name, module in modules]
    head = ["# Reference\n", "Look up a command, a measure, a Python name or a format. All pages except Stability are"]
    head += ["generated from the code.\n"]
    return "\n".join([*head, *lines, *WRITTEN_BY_HAND.values(), ""])
