"""Names of runs that lead to what the report says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.views.report.markup import Html, tag
from assay.views.report.material import Material
from assay.views.report.words import name


def has_page(material: Material, run: int) -> bool:
    """Whether a run has a page of its own."""
    return "systems" not in material.settings.without and run in material.order[: material.settings.most]


def link(material: Material, run: int) -> str | None:
    """Where the page of a run is, if it has one."""
    return f"#system-{run}" if has_page(material, run) else None


def run_name(material: Material, run: int) -> Html:
    """The name of a run in a sentence."""
    return name(material.runs[run], link(material, run), material.short_names[run])


def run_cell(material: Material) -> Callable[[Any], object]:
    """The name of a run in a table whose column has its number."""

    def show(run: Any) -> object:
        of, shown = material.runs[run], material.short_names[run]
        full = of if shown != of else None
        where = link(material, run)
        return (
            tag("a", shown, href=where, title=full, class_="cut")
            if where
            else tag("span", shown, title=full, class_="cut")
        )

    return show
