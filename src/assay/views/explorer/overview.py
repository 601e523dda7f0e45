"""The overview: leaderboard, number of curves of each archetype, and correlation of measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort import archetypes
from assay.errors import InputError
from assay.meta._correlate import DIFFERENT, EQUIVALENT, correlate
from assay.results.aggregation import aggregate_with_interval
from assay.results.results import Results
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import CONFIDENCE, DEFAULT_MEASURES, ExplorerState

BY_NAME = "run"


def leaderboard(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Leaderboard: the mean of each run by each measure; runs are sorted by a measure (best first) or by name."""
    measures = query.measures(DEFAULT_MEASURES)
    confidence = query.fraction("confidence", CONFIDENCE)
    names = [str(measure) for measure in measures]
    sort = query.choice("sort", [*names, BY_NAME], names[0])
    name_filter = query.text("filter").casefold()
    query.reject_unknown_parameters()
    results = state.values(measures)
    return {
        "measures": [
            {"measure": str(measure), "lower_is_better": measure.lower_is_better, "aggregate": measure.aggregate}
            for measure in measures
        ],
        "sort": sort,
        "confidence": confidence,
        "runs": len(state.campaign.runs),
        "rows": [row for row in leaderboard_rows(results, sort, confidence) if name_filter in row["run"].casefold()],
        "notes": list(results.notes),
    }


def leaderboard_rows(results: Results, sort: str, confidence: float) -> list[dict[str, Any]]:
    """Return a row for each run: its place by the first measure, and its place, value and interval by each measure."""
    order = sorted(results.runs) if sort == BY_NAME else results.best(sort)
    places = {str(measure): results.places(measure).tolist() for measure in results.measures}
    run_index = {name: i for i, name in enumerate(results.runs)}
    return [
        {
            "place": places[str(results.measures[0])][run_index[run]],
            "run": run,
            "places": {measure: column[run_index[run]] for measure, column in places.items()},
            "values": {
                str(measure): aggregate_with_interval(
                    results.values[i, run_index[run]], measure.aggregate, confidence
                )._asdict()
                for i, measure in enumerate(results.measures)
            },
        }
        for run in order
    ]


def census(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Number of curves of each archetype, over all runs or over selected runs."""
    runs, merge = query.runs() or list(state.campaign.runs), query.flag("merge")
    query.reject_unknown_parameters()
    names = archetypes.MERGED if merge else archetypes.NAMES
    kinds = state.effort.archetypes[[state.run_index[run] for run in runs]]
    counts = archetypes.count_archetypes(kinds, merge)
    total = counts.sum(axis=0)
    return {
        "archetypes": pl.DataFrame({"archetype": names, "curves": total, "share": total / max(total.sum(), 1)}),
        "curves": int(total.sum()),
        "without": int((kinds == archetypes.NONE).sum()),
        "rows": pl.DataFrame({"run": runs, **dict(zip(names, counts.T, strict=True))}),
    }


def correlation(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Kendall's tau between the orders of runs by several measures, as matrices: measures x measures."""
    measures = query.measures(DEFAULT_MEASURES)
    query.reject_unknown_parameters()
    reject_single_run(state)
    report = correlate(state.values(measures))
    return {
        "measures": [str(measure) for measure in measures],
        "runs": len(report.runs),
        **{name: np.asarray(getattr(report.taus, name)) for name in ("tau", "tau_ap", "p")},
        "equivalent": EQUIVALENT,
        "different": DIFFERENT,
        "notes": list(report.notes),
    }


def reject_single_run(state: ExplorerState) -> None:
    """Raise an error if there is only one run, which cannot be compared."""
    if len(state.campaign.runs) < 2:
        raise InputError("need at least two runs to compare; the campaign has only one")
