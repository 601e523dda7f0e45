"""The sections of a report in their order; each has a name, a title and ``section(material, figures)``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODULES = (
    "leaderboard",
    "effort",
    "census",
    "correlation",
    "significance",
    "robustness",
    "uncertainty",
    "topics",
    "systems",
    "notes",
)


def sections() -> dict[str, Any]:
    """The modules of the sections by the names that readers know."""
    modules = [import_module(f"{__name__}.{module}") for module in MODULES]
    return {module.NAME: module for module in modules}
