"""Settings of a report."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.checks import whole
from assay.significance.validation import checked
from assay.views.report.sections import SECTIONS

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)")
MOST_MEASURES = 40


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report, beside its campaign.

    Attributes
    ----------
    measures
        The first one orders the runs; it is also the gain that is set against effort.
    title
        The heading; by default the numbers of runs and topics.
    test, correction, alpha, resamples, seed
        How runs are compared, as in ``compare``; intervals have the confidence 1 - alpha. The samples of the judgments
        have the seeds *seed*, *seed* + 1, …
    most
        Number of runs with a page of their own: the best by the first measure.
    without
        Names of the sections to leave out.
    ratios, seeds, depths
        The samples of the judgments in percent, the number of samples of each, and the depths of pools.
    """

    measures: tuple[str, ...] = MEASURES
    title: str | None = None
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    resamples: int | None = None
    seed: int = 0
    most: int = 50
    without: tuple[str, ...] = ()
    ratios: tuple[float, ...] = (90, 70, 50, 30, 10)
    seeds: int = 5
    depths: tuple[int, ...] = (5, 10, 20, 50, 100)


def check_settings(settings: ReportSettings) -> tuple[Measure, ...]:
    """Return the measures; refuse whatever is wrong whatever the campaign."""
    for name in settings.without:
        if name not in SECTIONS:
            hint = suggestion(name, SECTIONS) or f"; choose from {', '.join(SECTIONS)}"
            raise InputError(f"without {name!r}: there is no such section{hint}")
    whole("seed", settings.seed, 0)
    checked(settings.test, settings.correction, alpha=settings.alpha, resamples=settings.resamples, seed=settings.seed)
    if settings.most < 1:
        raise InputError(f"most must be at least 1, got {settings.most}; leave out the section systems for none")
    measures = parse_measures(settings.measures)
    if len(measures) > MOST_MEASURES:
        raise InputError(f"measures: a report has at most {MOST_MEASURES} measures, got {len(measures)}")
    return measures
