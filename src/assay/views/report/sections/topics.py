"""Topics: which are hard, which are easy, and what was judged of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.model.arrays import subtract
from assay.views.plots.heatmap import shaped as heat
from assay.views.plots.judgments import shaped as counted
from assay.views.plots.topic_spread import shaped as spread
from assay.views.report.display_table import DisplayTable, Formats, display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import NOTHING, capitalize, count, count_all
from assay.views.report.prose import Name, Phrase, Sentence, enumerate_names, sentence
from assay.views.report.run_names import run_name
from assay.views.report.section import Section

TITLE = "Topics"
ENDS = 8
"""Topics at each end of the table."""
MOST = 60
"""Runs of the heat map."""


def compute(material: Material, figures: Figures) -> Section:
    """Order the topics, hard ones first, and show the values of every run on them."""
    frame = order_topics(material)
    if frame["median"].is_null().all():
        absence = sentence("No topic has a value of {measure}.", measure=material.first)
        return Section("topics", TITLE, (absence, describe_irrelevant(material)))
    runs = len(material.runs)
    content = {
        "irrelevant": describe_irrelevant(material),
        "heatmap": figures.add("heatmap", heat(material.results, MOST)) if runs > 1 else None,
        "spread": figures.add("topic-spread", spread(material.results)),
        "judgments": figures.add("judgments", counted(material.judgments)),
        "measure": material.first,
        "which_runs": f"the best {MOST} of {runs} runs" if runs > MOST else "every run",
        "columns": f"judgments, relevant documents, and {material.first}{' of all runs' if runs > 1 else ''}",
        **tabulate(material, frame),
    }
    return Section("topics", TITLE, (describe_ends(material, frame), describe_spread(material, frame)), content)


def order_topics(material: Material) -> pl.DataFrame:
    """Return a row for each topic, hard ones first: topic, judged, relevant, median, low, high, best.

    *best* is the run with the best value; if several share it, minus their number; -1 if all do, or there is no value.
    """
    values = material.results.values[0]
    report = material.judgments
    sign = -1.0 if material.first.lower_is_better else 1.0
    known = ~np.isnan(values)
    there = known.any(axis=0)
    worth = np.where(known, sign * values, -np.inf)
    leaders = (known & (subtract(worth, worth.max(axis=0)) == 0)).sum(axis=0)
    alone = there & (leaders == 1)
    best = np.where(alone, worth.argmax(axis=0), np.where(leaders < known.sum(axis=0), -leaders, -1))
    low = np.where(there, np.where(known, values, np.inf).min(axis=0, initial=np.inf), np.nan)
    high = np.where(there, np.where(known, values, -np.inf).max(axis=0, initial=-np.inf), np.nan)
    order = np.argsort(np.where(there, sign * material.medians, np.inf), kind="stable")
    frame = pl.DataFrame(
        {
            "topic": pl.Series(material.topics, dtype=pl.String),
            "judged": report.judged,
            "relevant": report.relevant[:, 0],
            "median": material.medians,
            "low": low,
            "high": high,
            "best": best,
        }
    )
    return frame[order].with_columns(pl.col("median", "low", "high").fill_nan(None))


# Sentences -----------------------------------------------------------------------------------------------------


def describe_ends(material: Material, frame: pl.DataFrame) -> Sentence:
    """Name the hardest and the easiest topics."""
    valued = frame.drop_nulls("median")
    low, high = valued["median"][0], valued["median"][-1]
    medians = valued["median"].to_numpy()
    hardest, easiest = (valued.filter(subtract(medians, end) == 0)["topic"].to_list() for end in (low, high))
    if len(valued) == 1:
        template = "The only topic is {hardest} ({of}{measure} {low})."
    elif subtract(low, high) == 0:
        template = "{topics} have the same {of}{measure}, {low}."
    else:
        template = "The {hard} {hardest} ({of}{measure} {low}), the {easy} {easiest} ({high})."
    return sentence(
        template,
        topics=capitalize(count_all(len(valued), "topic")),
        hard="hardest topic is" if len(hardest) == 1 else "hardest topics are",
        hardest=enumerate_names(map(Name.of, hardest), 4),
        easy="easiest" if len(easiest) == 1 else "easiest are",
        easiest=enumerate_names(map(Name.of, easiest), 4),
        of="" if len(material.runs) == 1 else "median ",
        measure=material.first,
        low=low,
        high=high,
    )


def describe_spread(material: Material, frame: pl.DataFrame) -> str | Sentence | None:
    """Name the topics on which runs differ most."""
    if len(material.runs) < 2:
        return None
    spreads = (frame["high"] - frame["low"]).fill_null(-1.0).to_numpy()
    if spreads.max() <= 0:
        return "On no topic do runs differ."
    widest = frame.filter(subtract(spreads, spreads.max()) == 0)
    first = widest.row(0, named=True)
    many = len(widest) > 1
    return sentence(
        "Runs differ most on {topics}, by {spread}." if many else "Runs differ most on {topics}, from {low} to {high}.",
        topics=enumerate_names(map(Name.of, widest["topic"]), 4),
        spread=first["high"] - first["low"],
        low=first["low"],
        high=first["high"],
    )


def describe_irrelevant(material: Material) -> str | Sentence | None:
    """Name the topics without relevant documents, and say whether they count."""
    relevant = material.judgments.relevant[:, 0]
    topics = [topic for topic, amount in zip(material.topics, relevant, strict=True) if not amount]
    if not topics:
        return None
    one = len(topics) == 1
    if len(topics) == len(material.topics):
        if one:
            return "The only topic has no relevant documents."
        return f"None of the {len(topics):,} topics has any relevant documents."
    if material.settings.undefined == "exclude":
        fate = "is left out" if one else "are left out"
    else:
        fate = "counts 0" if one else "count 0"
    return sentence(
        "One topic, {topics}, has no relevant documents; by measures that need them it {fate}."
        if one
        else "{amount} topics have no relevant documents: {topics}. By measures that need them these {fate}.",
        amount=f"{len(topics):,}",
        topics=enumerate_names(map(Name.of, topics), 8),
        fate=fate,
    )


# Tables --------------------------------------------------------------------------------------------------------


def tabulate(material: Material, frame: pl.DataFrame) -> dict[str, Any]:
    """Tabulate every topic; of many, also the hardest and the easiest."""
    heads = {"low": "lowest", "high": "highest", "best": "best run"}
    if len(material.runs) == 1:
        frame, heads = frame.drop("low", "high", "best"), {"median": str(material.first)}

    def best_cell(run: int) -> Phrase:
        if run == -1:
            return NOTHING
        return run_name(material, run) if run >= 0 else count(-run, "run")

    def tabulate_part(part: pl.DataFrame) -> DisplayTable:
        show: Formats = {"best": best_cell, "topic": lambda topic: Name(topic, topic)}
        return display(part, heads=heads, show=show, texts=("best",))

    valued = frame.drop_nulls("median")
    many = len(valued) > 2 * ENDS + 4
    return {
        "every": tabulate_part(frame),
        "hardest": tabulate_part(valued[:ENDS]) if many else None,
        "easiest": tabulate_part(valued[-ENDS:][::-1]) if many else None,
    }
