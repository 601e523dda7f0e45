"""Significance tests: one module for each test."""

from __future__ import annotations

from pkgutil import iter_modules


def names() -> tuple[str, ...]:
    """Return the names of the tests, derived from module names without loading the modules."""
    modules = sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(name.replace("_", "-") for name in modules)
