"""Significance tests, one module each."""

from __future__ import annotations

from pkgutil import iter_modules


def names() -> tuple[str, ...]:
    """Return the names of the tests, derived from the names of their modules without loading these."""
    modules = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(name.replace("_", "-") for name in modules)
