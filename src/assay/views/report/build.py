"""``assay.report``: compute the sections of a report and render the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.engine.campaign import Campaign
from assay.engine.workers import await_result, thread_pool
from assay.io.writing import write_file
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.views.plots._altair import altair
from assay.views.plots._export import runtime
from assay.views.plots._renderer import require_address_space
from assay.views.report.context import ReportContext, check_ties
from assay.views.report.figures import Figures
from assay.views.report.page import render_page
from assay.views.report.section import compute_section
from assay.views.report.sections import SECTIONS
from assay.views.report.settings import MEASURES, ReportSettings, check_settings

Watch = Callable[[str, int, int], None]


@dataclass(frozen=True)
class HtmlReport:
    """An HTML report: the page, notes on ignored input and assumptions, and the provenance of the inputs."""

    html: bytes
    notes: tuple[str, ...]
    provenance: Provenance

    def __repr__(self) -> str:
        return f"HtmlReport({len(self.html) / 1e6:.1f} MB)"

    def write(self, path: str | Path) -> None:
        """Write the page to a file atomically."""
        write_file(str(path), self.html)


@check_arguments
def report(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    title: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    most: int = 20,
    without: Iterable[str] = (),
    topics_table: Any = None,
    by: str | Iterable[str] = (),
    baseline: str | None = None,
    for_: str = "full",
    watch: Watch | None = None,
) -> HtmlReport:
    """Report on a campaign or on results: one HTML page with tables, figures and findings, which needs no network.

    The same campaign and arguments give the same bytes. Results have fewer sections: those that need no judgments and
    no runs.

    Parameters
    ----------
    source
        Judgments and runs, best read with ``keep="judgments"``; ties cannot be ``expected``. Alternatively, results.
    measures
        Measures of the report; by default ``MEASURES``, or the measures of the results except for counts. The first one
        orders the runs and is the gain that is compared with effort.
    title
        Title of the report; by default the number of runs and the number of topics.
    test, correction, alpha, resamples, seed
        As in :func:`assay.compare`.
    most
        Number of runs to describe in detail; they are the best runs by the first measure.
    without
        Names of the sections to omit.
    topics_table, by
        Attributes of topics and names of attributes, as in :meth:`assay.Results.by`. The report then has a section with
        values and comparisons in slices of topics.
    baseline
        Run with which every other run is compared. The report then starts with the best other run, the candidate: its
        difference from the baseline, and the topics that it fixes and breaks. Without a baseline, all pairs of runs are
        compared.
    for_
        The readers: ``full`` has the main story and an appendix with all analyses, ``summary`` has only the main story.
    watch
        Function that reports progress; called with the title of the next section, the number of finished sections and
        the number of all sections.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> report(campaign, "AP").html[:15]
    b'<!doctype html>'
    """
    settings = ReportSettings(
        measures=_name_measures(source, measures),
        title=title,
        test=test,
        correction=correction,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        most=most,
        without=tuple(without),
        topics_table=topics_table,
        by=(by,) if isinstance(by, str) else tuple(by),
        baseline=baseline,
        for_=for_,
    )
    return build_report(source, settings, watch)


def _name_measures(
    source: Campaign | Results, measures: str | Measure | Iterable[str | Measure] | None
) -> tuple[str, ...]:
    """Return the names of the measures of a report."""
    if isinstance(source, Results):
        selected = source.measures if measures is None else source.select(measures=measures).measures
        return tuple(str(one) for one in selected if measures is not None or one.aggregate != "sum")
    return MEASURES if measures is None else tuple(map(str, parse_measures(measures)))


def build_report(source: Campaign | Results, settings: ReportSettings, watch: Watch | None = None) -> HtmlReport:
    """Compute the sections and render the page."""
    report_progress = watch or (lambda *_: None)
    context = ReportContext.of(source, settings)
    names = context.settings.sections
    figures, sections = Figures(), []
    with thread_pool(1) as background:
        # Building the JavaScript library of the figures takes about 1.5 s; meanwhile the sections are computed.
        library = background.submit(runtime)
        for done, name in enumerate(names):
            report_progress(SECTIONS[name], done, len(names))
            sections.append(compute_section(name, context, figures))
        await_result(library)
    page = render_page(context, sections, figures)
    report_progress("", len(names), len(names))
    return HtmlReport(page, context.notes, source.provenance)


def check_report(ties: str | None = None, measures: Iterable[str] = MEASURES, **options: Any) -> None:
    """Check installed packages, address space and arguments, which do not depend on the campaign."""
    altair()
    require_address_space()
    check_settings(ReportSettings(measures=tuple(measures), **{**options, **_to_tuples(options)}))
    if ties is not None:
        check_ties(ties)


def _to_tuples(options: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(options[name]) for name in ("without", "by") if name in options}
