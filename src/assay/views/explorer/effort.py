"""Effort and gain of every run and topic, and the curves of single rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.effort import archetypes
from assay.effort._against_gain import CLASSES, EFFORT, GAIN, GRID, UPPER_RIGHT, EffortGain, against_gain
from assay.effort._curve import compute_curve, find_landmarks
from assay.effort._indicators import MAIN, MORE
from assay.errors import InputError
from assay.measures import Measure, measure
from assay.measures.twist import Twist
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState
from assay.views.plots import effort_gain as effort_gain_figure
from assay.views.plots._shown_curves import ShownCurves

EFFORT_MEASURE = "Twist"
CURVE_GAIN = "DCG"
POINT = ("run", "topic", "twist", "gain", "row", "column", "class", "archetype")


def read_gain(query: Query) -> Measure:
    """Return the measure of gain of a request."""
    gain = query.measure()
    if isinstance(gain, Twist):
        raise InputError(f"measure '{gain}': Twist measures the effort; choose a measure of gain, such as AP")
    return gain


def classify_points(state: ExplorerState, gain: Measure) -> EffortGain:
    """Classify every run and topic by effort and gain."""
    grid = against_gain(state.values((measure(EFFORT_MEASURE), gain)), gain)
    return replace(grid, archetypes=state.effort.archetypes)


def read_point_filter(query: Query) -> pl.Expr:
    """Return the condition that selects the points of the runs, topics and archetypes in a request; by default all."""
    runs, topics, kinds = query.runs(), query.topics(), query.choices("archetype", archetypes.NAMES)
    selected = {"run": runs, "topic": topics, "archetype": kinds}
    return pl.all_horizontal(
        pl.lit(value=True), *(pl.col(column).is_in(names) for column, names in selected.items() if names)
    )


def effort_gain(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Effort and gain of each run and topic, number of points in each cell of the grid, and quartiles of the gain."""
    gain, is_selected = read_gain(query), read_point_filter(query)
    with_points = query.flag("points", True)
    query.reject_unknown_parameters()
    grid = classify_points(state, gain)
    points = effort_gain_figure.data(grid).frame
    selected = points.filter(is_selected)
    sizes = {(row, column): size for row, column, size in selected.group_by("row", "column").len().iter_rows()}
    counts = np.array([[sizes.get((row, column), 0) for column in EFFORT] for row in GAIN])

    def count_points(cells: Any) -> dict[str, Any]:
        points = int(counts[cells].sum())
        return {"points": points, "share": points / max(len(selected), 1)}

    return {
        "measure": str(gain),
        "effort": EFFORT_MEASURE,
        "quartiles": grid.quartiles[0],
        "points": selected.select(POINT) if with_points else None,
        "shown": len(selected),
        "total": len(points),
        "cells": [
            {"gain": GAIN[i], "effort": EFFORT[j], "class": CLASSES[GRID[i, j]], **count_points((i, j))}
            for i, j in np.ndindex(4, 4)
        ],
        "classes": [{"class": name, **count_points(kind == GRID)} for kind, name in enumerate(CLASSES)],
        "upper_right": count_points(UPPER_RIGHT),
        "notes": list(grid.notes),
    }


def compute_curves(
    state: ExplorerState, topic: str, runs: Sequence[str], gain: str, depth: int | None = None
) -> ShownCurves:
    """Compute the curves of some runs on a topic; they are as long as the longest ranking of the campaign."""
    return ShownCurves(topic, {run: compute_curve(state.campaign, topic, run, gain=gain) for run in runs}, depth)


def read_curve(query: Query) -> tuple[str, str, str, int | None]:
    """Return the run, the topic, the variant of DCG and the number of ranks of a request."""
    return query.run(), query.topic(), query.text("gain", CURVE_GAIN), query.depth()


def curve(state: ExplorerState, query: Query) -> dict[str, Any]:
    """One ranking, rank by rank: document, grade, RP, CRP, DCG and ideal DCG."""
    run, topic, gain, depth = read_curve(query)
    query.reject_unknown_parameters()
    frame = compute_curve(state.campaign, topic, run, gain=gain)
    shown = frame[:depth]
    position = state.run_index[run], state.topic_index[topic]
    kind = int(state.effort.archetypes[position])
    marks = find_landmarks(frame)
    return {
        "run": run,
        "topic": topic,
        "gain": str(measure(gain)),
        "relevant": int(state.relevant[position[1]]),
        "retrieved": int(state.rankings.length[position]),
        "ranks": len(shown),
        "archetype": archetypes.NAMES[kind] if kind != archetypes.NONE else None,
        "turn": marks.turn,
        "balance": marks.balance,
        "indicators": dict(zip((*MAIN, *MORE), state.effort.results.values[:, *position], strict=True)),
        "curve": {name: shown[name].to_list() for name in shown.columns},
    }
