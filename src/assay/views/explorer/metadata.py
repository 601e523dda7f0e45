"""Metadata of the campaign: runs, topics, policies, provenance, and the available measures and tests."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay._version import VERSION
from assay.effort import archetypes
from assay.measures import catalogue
from assay.measures import measures as parse_measures
from assay.measures._parameters import parameters_of
from assay.model.arrays import Floats, Ints
from assay.model.gains import NAMED_GAINS
from assay.significance.base import significance_tests
from assay.significance.corrections import CORRECTIONS
from assay.views.catalogue import summary_of
from assay.views.explorer.figures import FIGURES
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import CONFIDENCE, DEFAULT_MEASURES, TEST, ExplorerState
from assay.views.explorer.texts import list_queries
from assay.views.plots._style import PALETTES


def campaign(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Metadata of the campaign, which every page requests first: runs, topics, measures, policies and provenance."""
    query.reject_unknown_parameters()
    qrels = state.campaign.judgments
    return {
        "figures": list(FIGURES),
        **_contents(state),
        "grades": tabulate_grades(qrels.levels, qrels.counts.sum(axis=0)),
        "measures": describe_measures(),
        "gains": [{"name": name, "title": title} for name, (title, _) in NAMED_GAINS.items()],
        "tests": [
            {"name": name, "title": _first_line(test), "corrected": test.corrected}
            for name, test in significance_tests().items()
        ],
        "archetypes": list(archetypes.NAMES),
        "palettes": list(PALETTES),
        "policies": state.campaign.policies.as_dict(),
        "provenance": state.campaign.provenance.as_dict(),
        "notes": [*state.campaign.notes, *state.campaign.queries.notes],
    }


def _contents(state: ExplorerState) -> dict[str, Any]:
    """Return runs, topics, counts and the default choices."""
    runs, topics, qrels = state.campaign.runs, state.campaign.topics, state.campaign.judgments
    length = state.rankings.length
    answered = length > 0
    return {
        "title": Path(qrels.source).name,
        "version": VERSION,
        "runs": pl.DataFrame({"name": runs, "documents": length.sum(axis=1), "topics": answered.sum(axis=1)}),
        "topics": pl.DataFrame(
            {
                "topic": topics,
                "query": pl.Series(list_queries(state, topics), dtype=pl.String),
                "relevant": state.relevant,
                "judged": qrels.counts.sum(axis=1),
                "answered": answered.sum(axis=0),
            }
        ),
        "counts": {
            "runs": len(runs),
            "topics": len(topics),
            "judgments": len(qrels),
            "retrieved": int(length.sum()),
            "longest": int(length.max(initial=0)),
        },
        "defaults": {
            "measures": [str(measure) for measure in parse_measures(DEFAULT_MEASURES)],
            "gain": str(DEFAULT_MEASURES[0]),
            "confidence": CONFIDENCE,
            "test": TEST,
            "correction": CORRECTIONS[0],
        },
    }


def tabulate_grades(levels: Floats, counts: Ints) -> pl.DataFrame:
    """Tabulate the number of judgments of each grade."""
    return pl.DataFrame({"grade": levels.astype(float), "judgments": counts})


@cache
def describe_measures() -> list[dict[str, Any]]:
    """Describe every measure and its parameters."""
    return [
        {
            "name": name,
            "title": summary_of(cls),
            "examples": list(cls.examples),
            "parameters": [_describe_parameter(field) for field in parameters_of(cls)],
            "lower_is_better": cls.lower_is_better,
            "aggregate": cls.aggregate,
            "bounds": [bound if np.isfinite(bound) else None for bound in cls.bounds],
        }
        for name, cls in catalogue().items()
    ]


def _describe_parameter(field: dataclasses.Field[Any]) -> dict[str, Any]:
    """Describe a parameter of a measure: its kind, meaning, default, choices and limits."""
    details = field.metadata
    is_required = field.default is dataclasses.MISSING
    kinds = {"whole": "int", "number": "float", "text": "choice" if details["choices"] else "text"}
    default = None if is_required else field.default
    return {
        "name": field.name,
        "kind": kinds.get(details["kind"], details["kind"]),
        "doc": details["doc"],
        "at": details["at"],
        "needed": is_required,
        "default": default if isinstance(default, int | float | str | None) else str(default),
        "choices": list(details["choices"]) or (list(NAMED_GAINS) if details["kind"] == "gains" else []),
        **{limit: details[limit] for limit in ("low", "above", "high", "below")},
    }


def _first_line(cls: type) -> str:
    return str(cls.__doc__).strip().splitlines()[0]
