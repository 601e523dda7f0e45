"""``report``: compute and render."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from assay.engine.campaign import Campaign
from assay.engine.workers import await_result, thread_pool
from assay.model.arguments import check_arguments
from assay.views.plots._renderer import require_address_space
from assay.views.plots._saving import runtime
from assay.views.plots._style import altair
from assay.views.report.context import ReportContext
from assay.views.report.figures import Figures
from assay.views.report.page import render_page
from assay.views.report.sections import SECTIONS
from assay.views.report.settings import ReportSettings, check_settings

Watch = Callable[[str, int, int], None]


class HtmlReport(NamedTuple):
    """A report: the page, what was ignored or assumed, and the inputs and settings it depends on."""

    page: bytes
    notes: tuple[str, ...]
    provenance: dict[str, Any]


@check_arguments
def report(
    campaign: Campaign, settings: ReportSettings = ReportSettings(), *, watch: Watch | None = None
) -> HtmlReport:
    """Report on a campaign: one page of HTML with tables, figures and sentences. It needs no network.

    The same campaign and settings give the same bytes.

    Parameters
    ----------
    campaign
        Judgments and runs, best read with ``keep="judgments"``; ties cannot be ``expected``.
    settings
        Measures, tests, and sections to leave out.
    watch
        Called with the title of the next section, the number of finished sections and that of all sections.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> report(campaign, ReportSettings(measures=("AP",))).page[:15]
    b'<!doctype html>'
    """
    check_report(settings)
    context = ReportContext.of(campaign, settings)
    names = [name for name in SECTIONS if name not in settings.without]
    figures, sections = Figures(), []
    with thread_pool(1) as background:
        # The library that draws the figures takes a second and a half to assemble; meanwhile the sections are computed.
        library = background.submit(runtime)
        for done, name in enumerate(names):
            module = import_module(f"assay.views.report.sections.{name}")
            if watch is not None:
                watch(module.TITLE, done, len(names))
            sections.append(module.compute(context, figures))
        await_result(library)
    page = render_page(context, sections, figures)
    if watch is not None:
        watch("", len(names), len(names))
    return HtmlReport(page, context.notes, campaign.provenance.as_dict())


def check_report(settings: ReportSettings) -> None:
    """Refuse what is wrong whatever the campaign: missing packages, too little address space, wrong settings."""
    altair()
    require_address_space()
    check_settings(settings)
