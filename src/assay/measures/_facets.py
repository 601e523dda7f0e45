"""Facets of judgments and documents that measures need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.errors import MeasureError
from assay.measures._base import Measure

if TYPE_CHECKING:
    from assay.model.qrels import Qrels

_REMEDIES = {
    "subtopic": "read them with --qrels-format subtopics (qrels_format='subtopics'), or name the column of a table "
    "subtopic",
    "judge": "read them with --qrels-format judges (qrels_format='judges')",
    "stratum": "read them with --qrels-format strata (qrels_format='strata')",
    "probability": "read them with --qrels-format prels (qrels_format='prels')",
    "groups": "read them with --qrels-format groups (qrels_format='groups')",
    "cost": "name them with --costs FILE (costs=...)",
}
_NOUNS = {
    "subtopic": "judgments with subtopics",
    "judge": "judgments of several judges",
    "stratum": "judgments with strata",
    "probability": "judgments with sampling probabilities",
    "groups": "judgments with groups",
    "cost": "costs of documents",
}


def describe_facet(facet: str) -> str:
    """Return the data that a facet stands for, and how to read it."""
    return f"{_NOUNS[facet]}: {_REMEDIES[facet]}"


def needed_facets(measures: Iterable[Measure]) -> set[str]:
    """Return the facets that measures need, including those of measures inside wrappers."""
    needed: set[str] = set()
    for measure in measures:
        needed |= set(measure.facets)
        if measure.inner is not None:
            needed |= needed_facets([measure.inner])
    return needed


def check_facets(measures: Iterable[Measure], qrels: Qrels, *, costs: bool = False) -> None:
    """Raise ``MeasureError`` if a measure needs a facet that was not read; *costs* is True if there are costs."""
    present = {*qrels.facets, *(["cost"] if costs else [])}
    for measure in measures:
        for facet in sorted(needed_facets([measure]) - present):
            raise MeasureError(f"measure '{measure}': needs {describe_facet(facet)}")


def refuse_facets(measures: Iterable[Measure], analysis: str) -> None:
    """Raise ``MeasureError`` for measures with facets in an analysis of plain grades, such as ``bounds``."""
    for measure in measures:
        if needed := needed_facets([measure]):
            facets = " and ".join(_NOUNS[facet] for facet in sorted(needed))
            raise MeasureError(
                f"measure '{measure}': needs {facets}; {analysis} are available only for measures of plain grades"
            )
