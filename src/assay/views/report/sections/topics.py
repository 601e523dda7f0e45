"""Topics: which are hard, which are easy, and what was judged of them."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.model.arrays import subtract
from assay.views.plots.heatmap import shaped as heat
from assay.views.plots.judgments import shaped as counted
from assay.views.plots.topic_spread import shaped as spread
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell
from assay.views.report.markup import Html, fold, paragraph, said, table, tag
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import every, listed, many, name, number, sentence

NAME, TITLE = "topics", "Topics"
ENDS = 8
"""Topics at each end of the table."""
_RUNS = 60  # of the heat map


def section(material: Material, figures: Figures) -> Section:
    """The values of every run and topic, the hardest and the easiest topics."""
    frame = overview(material)
    brief = tuple(filter(None, (ends(material, frame), varied(material, frame))))
    if frame["median"].is_null().all():
        return Section(
            NAME,
            TITLE,
            (
                said("No topic has a value of {measure}.", measure=name(str(material.first))),
                *filter(None, (without(material),)),
            ),
        )
    return Section(
        NAME,
        TITLE,
        brief,
        (paragraph(without(material)), *_figures(material, figures), *_tables(material, frame)),
        f"Topics are ordered by the median of {material.first} over all runs, hard ones first. A hard topic may be one "
        "that is hard for every system, or one of which few relevant documents were found; a run that does well on it "
        "is worth a look.",
    )


def overview(material: Material) -> pl.DataFrame:
    """A row for each topic, hard ones first: topic, judged, relevant, median, low, high, best.

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


def ends(material: Material, frame: pl.DataFrame) -> Html | None:
    """Which topic is the hardest, and which the easiest."""
    counted = frame.drop_nulls("median")
    if counted.is_empty():
        return None
    of = "" if len(material.runs) == 1 else "median "
    measure = name(str(material.first))
    if len(counted) == 1:
        return said(
            "The only topic is {topic} ({of}{measure} {value}).",
            topic=name(counted["topic"][0]),
            of=of,
            measure=measure,
            value=number(counted["median"][0]),
        )
    low, high = counted["median"][0], counted["median"][-1]
    if subtract(low, high) == 0:
        return said(
            "{topics} have the same {of}{measure}, {value}.",
            topics=sentence(every(len(counted), "topic")),
            of=of,
            measure=measure,
            value=number(low),
        )
    medians = counted["median"].to_numpy()
    hardest, easiest = (counted.filter(subtract(medians, value) == 0)["topic"].to_list() for value in (low, high))
    return said(
        "The {hard} {hardest} ({of}{measure} {low}), the {easy} {easiest} ({high}).",
        hard="hardest topic is" if len(hardest) == 1 else "hardest topics are",
        hardest=listed(map(name, hardest), 4),
        easy="easiest" if len(easiest) == 1 else "easiest are",
        easiest=listed(map(name, easiest), 4),
        of=of,
        measure=measure,
        low=number(low),
        high=number(high),
    )


def varied(material: Material, frame: pl.DataFrame) -> Html | None:
    """On which topic runs differ most."""
    if len(material.runs) < 2:
        return None
    spread = (frame["high"] - frame["low"]).fill_null(-1.0).to_numpy()
    widest = np.flatnonzero(subtract(spread, spread.max()) == 0)
    at = int(widest[0])
    if spread[at] <= 0:
        return said("On no topic do runs differ.")
    if len(widest) > 1:
        topics = listed([name(frame["topic"][int(one)]) for one in widest], 4)
        return said("Runs differ most on {topics}, by {spread}.", topics=topics, spread=number(float(spread[at])))
    row = frame.row(at, named=True)
    return said(
        "Runs differ most on {topic}, from {low} to {high}.",
        topic=name(row["topic"]),
        low=number(row["low"]),
        high=number(row["high"]),
    )


def without(material: Material) -> Html | None:
    """Topics without relevant documents, and what becomes of them."""
    names = [
        topic for topic, counts in zip(material.topics, material.judgments.relevant[:, 0], strict=True) if not counts
    ]
    if not names:
        return None
    fate = "are left out" if material.settings.undefined == "exclude" else "count 0"
    if len(names) == len(material.topics):
        whole = "The only topic has" if len(names) == 1 else f"None of the {len(names):,} topics has"
        return said("{whole} {what} relevant documents.", whole=whole, what="no" if len(names) == 1 else "any")
    return (
        said(
            "{many} no relevant documents: {names}. By measures that need them these {fate}.",
            many=many(len(names), "topic has", "topics have"),
            names=listed(map(name, names), 8),
            fate=fate if len(names) > 1 else {"are left out": "is left out", "count 0": "counts 0"}[fate],
        )
        if len(names) > 1
        else said(
            "One topic, {names}, has no relevant documents; by measures that need them it {fate}.",
            names=name(names[0]),
            fate="is left out" if fate == "are left out" else "counts 0",
        )
    )


# What is shown -------------------------------------------------------------------------------------------------


def _figures(material: Material, figures: Figures) -> list[Html]:
    shown = []
    which = f"the best {_RUNS} of {len(material.runs)} runs" if len(material.runs) > _RUNS else "every run"
    if len(material.runs) > 1:
        caption = f"{material.first} of {which} on every topic."
        shown.append(
            figures.add(
                "heatmap",
                heat(material.results, _RUNS),
                caption,
                description=f"{caption} Best runs first, hardest topics first.",
            )
        )
    caption = f"The spread of {material.first} over the runs, topic by topic."
    shown.append(
        figures.add(
            "topic-spread", spread(material.results), caption, description=f"{caption} The table has medians and ends."
        )
    )
    caption = "Relevant documents of each topic, most first, by the least grade that counts."
    shown.append(
        figures.add(
            "judgments", counted(material.judgments), caption, description=f"{caption} The table has the numbers."
        )
    )
    return shown


def _tables(material: Material, frame: pl.DataFrame) -> list[Html]:
    heads = {"low": "lowest", "high": "highest", "best": "best run"}
    if len(material.runs) == 1:
        frame, heads = frame.drop("low", "high", "best"), {"median": str(material.first)}
    else:
        frame = frame.with_columns(pl.when(pl.col("best") != -1).then(pl.col("best")).alias("best"))
    cell = run_cell(material)
    show = {
        "best": lambda run: "–" if run is None else cell(run) if run >= 0 else many(-run, "run"),
        "topic": lambda topic: tag("span", topic, class_="cut", title=topic),
    }
    of = f"{material.first} of all runs" if len(material.runs) > 1 else str(material.first)
    counted = frame.drop_nulls("median")

    def made(part: pl.DataFrame, caption: str) -> Html:
        return table(part, caption, heads=heads, show=show, texts=("best",))

    if len(counted) <= 2 * ENDS + 4:
        return [made(frame, f"Every topic, hard ones first: judgments, relevant documents, and {of}.")]
    return [
        made(counted[:ENDS], f"The hardest topics: judgments, relevant documents, and {of}."),
        made(counted[-ENDS:][::-1], f"The easiest topics: judgments, relevant documents, and {of}."),
        fold("Every topic", made(frame, f"Every topic, hard ones first: judgments, relevant documents, and {of}.")),
    ]
