"""Effort and gain: every run and topic as a point, and each point as the curves of its ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort import archetypes
from assay.effort.against_gain import CLASSES, EFFORT, GAIN, GRID, UPPER_RIGHT, EffortGain, classified
from assay.effort.curve import landmarks, of_ranking
from assay.errors import InputError
from assay.measures import Measure, measure
from assay.measures.twist import Twist
from assay.views.explorer.campaign import DEFAULT_MEASURES, Campaign
from assay.views.explorer.parameters import LARGEST_WHOLE, LONGEST_TEXT, Query
from assay.views.plots import effort_gain as effort_gain_figure

EFFORT_MEASURE = "Twist"
GAIN_MEASURE = DEFAULT_MEASURES[0]
CURVE_GAIN = "DCG"
POINT = ("run", "topic", "twist", "gain", "row", "column", "class", "archetype")


def gain_of(query: Query) -> Measure:
    """The measure of gain of a request."""
    gain = query.measure(GAIN_MEASURE)
    if isinstance(gain, Twist):
        raise InputError(f"measure '{gain}': Twist measures the effort; choose a measure of gain, such as AP")
    return gain


def grid(of: Campaign, gain: Measure) -> EffortGain:
    """Every run and topic by effort and gain."""
    return classified(of.values((measure(EFFORT_MEASURE), gain)))


def points(of: Campaign, found: EffortGain) -> pl.DataFrame:
    """The points of a grid as the figure has them, with the archetypes of their curves."""
    return effort_gain_figure.shaped(found, of.effort.archetypes)


class Chosen:
    """Which points a request wants: of some runs, topics or archetypes."""

    def __init__(self, query: Query) -> None:
        self.runs = query.runs()
        self.topics = query.topics()
        self.archetypes = query.some("archetype", archetypes.NAMES)

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Those of the points."""
        for column, wanted in (("run", self.runs), ("topic", self.topics), ("archetype", self.archetypes)):
            if wanted:
                frame = frame.filter(pl.col(column).is_in(wanted))
        return frame


def effort_gain(of: Campaign, query: Query) -> dict[str, Any]:
    """The points that are wanted, how many lie in each cell, and what all points say of the grid."""
    gain, chosen = gain_of(query), Chosen(query)
    with_points = query.flag("points", True)
    query.end()
    found = grid(of, gain)
    every = points(of, found)
    shown = chosen.of(every)
    counts = _counts(shown)
    total = max(int(counts.sum()), 1)
    return {
        "measure": str(gain),
        "effort": EFFORT_MEASURE,
        "quartiles": found.quartiles[0],
        "points": shown.select(POINT) if with_points else None,
        "shown": len(shown),
        "total": len(every),
        "cells": [
            {
                "gain": GAIN[i],
                "effort": EFFORT[j],
                "class": CLASSES[GRID[i, j]],
                "points": int(counts[i, j]),
                "share": counts[i, j] / total,
            }
            for i, j in np.ndindex(4, 4)
        ],
        "classes": [
            {"class": name, "points": int(counts[kind == GRID].sum()), "share": counts[kind == GRID].sum() / total}
            for kind, name in enumerate(CLASSES)
        ],
        "upper_right": {"points": int(counts[UPPER_RIGHT].sum()), "share": counts[UPPER_RIGHT].sum() / total},
        "notes": list(found.results.notes),
    }


def _counts(frame: pl.DataFrame) -> np.ndarray:
    """How many points lie in each cell: rows of gain x columns of effort."""
    place = frame.select(
        pl.col("row").replace_strict(list(GAIN), range(4), return_dtype=pl.Int64) * 4
        + pl.col("column").replace_strict(list(EFFORT), range(4), return_dtype=pl.Int64)
    ).to_series()
    return np.bincount(place.to_numpy(), minlength=16).reshape(4, 4)


def curve_of(of: Campaign, run: str, topic: str, gain: str) -> pl.DataFrame:
    """Return the whole curve of one ranking; its length is that of the longest ranking of the campaign."""
    judged = of.ready.judged.only(np.array([of.ranking(run, topic)]))
    names = of.documents(run, topic).to_list()
    return of_ranking(judged, names, gain=gain)


def curve_parameters(query: Query) -> tuple[str, str, str, int | None]:
    """Return run, topic, the form of DCG and how many ranks to show."""
    run, topic = query.run(), query.topic()
    gain = query.text("gain", CURVE_GAIN, LONGEST_TEXT)
    depth = query.maybe_whole("depth", 1, LARGEST_WHOLE)
    return run, topic, gain, depth


def curve(of: Campaign, query: Query) -> dict[str, Any]:
    """One ranking in full: at each rank the document, its grade, RP, CRP, DCG, and the ideal DCG."""
    run, topic, gain, depth = curve_parameters(query)
    query.end()
    frame = curve_of(of, run, topic, gain)
    shown = frame[:depth]
    number = of.run_number[run], of.topic_number[topic]
    kind = int(of.effort.archetypes[number])
    marks = landmarks(frame)
    return {
        "run": run,
        "topic": topic,
        "gain": str(measure(gain)),
        "relevant": int(of.relevant[number[1]]),
        "retrieved": int(of.ready.judged.length[of.ranking(run, topic)]),
        "ranks": len(shown),
        "archetype": archetypes.NAMES[kind] if kind != archetypes.NONE else None,
        "turn": marks.turn,
        "balance": marks.balance,
        "indicators": indicators(of, *number),
        "curve": {name: shown[name].to_list() for name in shown.columns},
    }


def indicators(of: Campaign, run: int, topic: int) -> dict[str, float]:
    """The indicators of effort of one ranking, by their names in the report on effort."""
    from assay.effort.indicators import MAIN, MORE

    return {name: float(of.effort.results.values[i, run, topic]) for i, name in enumerate((*MAIN, *MORE))}
