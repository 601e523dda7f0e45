"""The overview: leaderboard, census of archetypes and correlation of measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.effort import archetypes
from assay.errors import InputError
from assay.meta._correlate import DIFFERENT, EQUIVALENT, correlate
from assay.results.aggregation import aggregate_with_interval
from assay.results.results import Results
from assay.views.explorer.metadata import CONFIDENCE
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState

BY_NAME = "run"


def leaderboard(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Runs with their values over topics, sorted by a measure (best first) or by name."""
    measures = query.measures(DEFAULT_MEASURES)
    confidence = query.share("confidence", CONFIDENCE)
    names = [str(measure) for measure in measures]
    sort = query.choice("sort", [*names, BY_NAME], names[0])
    name_filter = query.text("filter").casefold()
    query.end()
    results = state.values(measures)
    return {
        "measures": [
            {"measure": str(measure), "lower_is_better": measure.lower_is_better, "aggregate": measure.aggregate}
            for measure in measures
        ],
        "sort": sort,
        "confidence": confidence,
        "runs": len(state.campaign.runs),
        "rows": [row for row in board(results, sort, confidence) if name_filter in row["run"].casefold()],
        "notes": list(results.notes),
    }


def board(results: Results, sort: str, confidence: float) -> list[dict[str, Any]]:
    """Return a row for each run: its place by the first measure, and by measure its place, value and interval."""
    order = sorted(results.runs) if sort == BY_NAME else results.best(sort)
    places = {str(measure): results.places(measure).tolist() for measure in results.measures}
    number = {name: i for i, name in enumerate(results.runs)}
    return [
        {
            "place": places[str(results.measures[0])][number[run]],
            "run": run,
            "places": {measure: column[number[run]] for measure, column in places.items()},
            "values": {
                str(measure): aggregate_with_interval(
                    results.values[i, number[run]], measure.aggregate, confidence
                )._asdict()
                for i, measure in enumerate(results.measures)
            },
        }
        for run in order
    ]


def census(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Number of curves of each archetype, over all runs or over selected runs."""
    runs = query.runs()
    merge = query.flag("merge")
    query.end()
    names = archetypes.MERGED if merge else archetypes.NAMES
    chosen = [state.run_number[run] for run in runs] if runs else list(range(len(state.campaign.runs)))
    counts = archetypes.count_archetypes(state.effort.archetypes[chosen], merge)
    total = counts.sum(axis=0)
    return {
        "archetypes": [
            {"archetype": name, "curves": int(number), "share": number / max(total.sum(), 1)}
            for name, number in zip(names, total, strict=True)
        ],
        "curves": int(total.sum()),
        "without": int((state.effort.archetypes[chosen] == archetypes.NONE).sum()),
        "rows": [
            {"run": state.campaign.runs[run], **dict(zip(names, row.tolist(), strict=True))}
            for run, row in zip(chosen, counts, strict=True)
        ],
    }


def correlation(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Kendall's tau between the orders of runs by several measures, as matrices in the order of the measures."""
    measures = query.measures(DEFAULT_MEASURES)
    query.end()
    refuse_one_run(state)
    report = correlate(state.values(measures))
    return {
        "measures": [str(measure) for measure in measures],
        "runs": len(report.runs),
        **{name: np.asarray(getattr(report.taus, name)) for name in ("tau", "tau_ap", "p")},
        "equivalent": EQUIVALENT,
        "different": DIFFERENT,
        "notes": list(report.notes),
    }


def refuse_one_run(state: ExplorerState) -> None:
    """Raise an error for a comparison of runs if there is only one run."""
    if len(state.campaign.runs) < 2:
        raise InputError("need at least two runs to compare; the campaign has only one")
