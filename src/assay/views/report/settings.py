"""Settings of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.checks import check_integer
from assay.significance.validation import resolve_test
from assay.views.report.sections import SECTIONS, SLICE_SECTIONS, SUMMARY_SECTIONS

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)")
MAX_MEASURES = 40
READERS = ("full", "summary")


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report.

    Attributes
    ----------
    measures
        Measures of the report. The first one orders the runs and is the gain that is compared with effort.
    title
        Title of the report; by default the number of runs and the number of topics.
    test, correction, alpha, resamples, seed
        Arguments of ``compare``. Intervals have the confidence level 1 - alpha. The samples of the judgments use the
        seeds *seed*, *seed* + 1, …
    most
        Number of runs to describe in detail; they are the best runs by the first measure.
    without
        Names of the sections to omit.
    topics_table, by
        Attributes of topics, and the attributes by which topics are divided into slices.
    baseline
        The run with which every other run is compared; None to compare all pairs of runs.
    for_
        The readers: ``summary`` for those who read only the main story, ``full`` for those who also need the appendix.
    """

    measures: tuple[str, ...] = MEASURES
    title: str | None = None
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    resamples: int | None = None
    seed: int = 0
    most: int = 20
    without: tuple[str, ...] = ()
    topics_table: Any = None
    by: tuple[str, ...] = ()
    baseline: str | None = None
    for_: str = "full"

    @property
    def sections(self) -> list[str]:
        """Names of the sections of the report."""
        names = SUMMARY_SECTIONS if self.for_ == "summary" else tuple(SECTIONS)
        has_slices = bool(self.by)
        return [name for name in names if name not in self.without and (has_slices or name not in SLICE_SECTIONS)]


def check_settings(settings: ReportSettings, measures: tuple[Measure, ...] | None = None) -> tuple[Measure, ...]:
    """Check the settings that do not depend on the campaign, and return the measures.

    *measures* are the measures of results, which need not be measures that assay knows; by default, those of the
    settings.
    """
    for name in settings.without:
        if name not in SECTIONS:
            hint = suggestion(name, SECTIONS) or f"; choose from {', '.join(SECTIONS)}"
            raise InputError(f"without {name!r}: unknown section{hint}")
    if settings.for_ not in READERS:
        raise InputError(f"for_ {settings.for_!r}: choose one of {', '.join(READERS)}")
    check_integer("seed", settings.seed, 0)
    resolve_test(
        settings.test, settings.correction, alpha=settings.alpha, resamples=settings.resamples, seed=settings.seed
    )
    if settings.most < 1:
        raise InputError(f"most must be at least 1, got {settings.most}; to describe no run, omit the section systems")
    if bool(settings.by) != (settings.topics_table is not None):
        raise InputError("topics_table and by: slices need both, a table and the name of a column")
    measures = parse_measures(settings.measures) if measures is None else measures
    if len(measures) > MAX_MEASURES:
        raise InputError(f"measures: a report has at most {MAX_MEASURES} measures, got {len(measures)}")
    return measures
