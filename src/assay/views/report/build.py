"""``report(qrels, runs)``: read, compute and render."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from assay.engine.workers import Progress, await_result, thread_pool
from assay.errors import InputError, suggestion
from assay.views.plots._renderer import require_address_space
from assay.views.plots._saving import runtime
from assay.views.plots._style import altair
from assay.views.report.figures import Figures
from assay.views.report.material import Material, ReportSettings
from assay.views.report.page import render_page
from assay.views.report.sections import SECTIONS

Watch = Callable[[str, int, int], None]


class HtmlReport(NamedTuple):
    """A report: the page, what was ignored or assumed, and the inputs and settings it depends on."""

    page: bytes
    notes: tuple[str, ...]
    provenance: dict[str, Any]


def report(
    qrels: Any,
    runs: Any,
    settings: ReportSettings = ReportSettings(),
    *,
    lenient: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> HtmlReport:
    """Report on an evaluation: one page of HTML with tables, figures and sentences. It needs no network.

    The same inputs and settings give the same bytes.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``.
    settings
        Measures, tests, policies, and sections to leave out.
    lenient
        As in ``evaluate``.
    progress
        Called while the runs are read.
    watch
        Called with the title of the next section, the number of finished sections and that of all sections.

    Examples
    --------
    >>> report({"q": {"a": 1}}, {"q": {"a": 1.0}}, ReportSettings(measures=("AP",))).page[:15]
    b'<!doctype html>'
    """
    return build_report(read_material(qrels, runs, settings, lenient=lenient, progress=progress), watch)


def read_material(
    qrels: Any, runs: Any, settings: ReportSettings, *, lenient: bool = False, progress: Progress | None = None
) -> Material:
    """Check the settings, then read the inputs."""
    altair()  # a missing package is reported before anything is read
    require_address_space()
    check_sections(settings.without)
    return Material.of(qrels, runs, settings, lenient=lenient, progress=progress)


def build_report(material: Material, watch: Watch | None = None) -> HtmlReport:
    """Compute every section and render the page."""
    names = [name for name in SECTIONS if name not in material.settings.without]
    figures, sections = Figures(), []
    with thread_pool(1) as background:
        # The library that draws the figures takes a second and a half to assemble; meanwhile the sections are computed.
        library = background.submit(runtime)
        for done, name in enumerate(names):
            module = import_module(f"assay.views.report.sections.{name}")
            if watch is not None:
                watch(module.TITLE, done, len(names))
            sections.append(module.compute(material, figures))
        await_result(library)
    page = render_page(material, sections, figures)
    if watch is not None:
        watch("", len(names), len(names))
    return HtmlReport(page, material.notes, material.pools.provenance.as_dict())


def check_sections(without: tuple[str, ...]) -> None:
    """Refuse names of sections that do not exist."""
    for name in without:
        if name not in SECTIONS:
            hint = suggestion(name, SECTIONS) or f"; choose from {', '.join(SECTIONS)}"
            raise InputError(f"without {name!r}: there is no such section{hint}")
