"""Systems: each run by itself, folded until a reader opens it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.analyses.effort.archetypes import NAMES
from assay.analyses.effort.indicators import MAIN
from assay.model.arrays import Floats, subtract
from assay.views.plots.crp_aggregate import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import LOOKED_AT, Material
from assay.views.report.phrasing import (
    capitalize,
    count,
    format_level,
    format_number,
    format_percent,
    is_finite,
    ordinal,
)
from assay.views.report.prose import Name, Sentence, enumerate_names, sentence
from assay.views.report.section import Section

TITLE = "Each system"
ENDS = 5
"""Topics at each end of a table."""
_RANKS = 10


def compute(material: Material, figures: Figures) -> Section:
    """Describe each of the best runs."""
    content = {
        "systems": [describe_system(material, figures, run) for run in material.order[: material.settings.most]],
        "runs": count(len(material.runs), "run"),
        "level": format_level(material.confidence),
        "against_median": "" if len(material.runs) == 1 else ", against the median of all runs",
        "depth": LOOKED_AT[0],
    }
    return Section("systems", TITLE, (describe_choice(material),), content)


def describe_system(material: Material, figures: Figures, run: int) -> dict[str, Any]:
    """Return sentences, tables and the figure of one run."""
    value = float(material.overall[run, 0])
    place = "" if len(material.runs) == 1 else f"{describe_place(material, run)}, "
    summary = f"{place}{material.first} {format_number(value)}" if is_finite(value) else f"no value of {material.first}"
    return {
        "id": f"system-{run}",
        "run": material.runs[run],
        "summary": summary,
        "sentences": [
            describe_places(material, run),
            compare_with_median(material, run),
            describe_archetypes(material, run),
            describe_unjudged(material, run),
        ],
        "means": tabulate_means(material, run),
        "chart": figures.add("crp-aggregate", shaped(material.effort, material.runs[run])),
        **tabulate_topics(material, run),
        "unjudged": tabulate_unjudged(material, run),
    }


# Sentences -----------------------------------------------------------------------------------------------------


def describe_choice(material: Material) -> str | Sentence:
    """Say which runs are described."""
    runs, most = len(material.runs), material.settings.most
    if runs == 1:
        return "What there is to say of the run by itself."
    if runs <= most:
        return sentence("A page for each of the {runs} runs, best {measure} first.", runs=runs, measure=material.first)
    return sentence(
        "Pages of the best {most} of {runs} runs by {measure}; {others} left out (--most {runs} shows all).",
        most=most,
        runs=runs,
        measure=material.first,
        others="the other one is" if runs - most == 1 else f"the other {runs - most} are",
    )


def describe_places(material: Material, run: int) -> Sentence:
    """Say the place by the first measure, and those by the others."""
    value = float(material.overall[run, 0])
    others = material.places[run, 1:][np.isfinite(material.overall[run, 1:])].tolist()
    if not is_finite(value):
        template = "It has no value of {measure}."
    elif len(material.runs) == 1:
        template = "{measure} {value}."
    elif not others:
        template = "{place} of {runs} by {measure} ({value})."
    else:
        template = "{place} of {runs} by {measure} ({value}); {other_places} by the other {measures}."
    return sentence(
        template,
        place=capitalize(describe_place(material, run)),
        runs=len(material.runs),
        measure=material.first,
        value=value,
        other_places=" to ".join(map(ordinal, sorted({min(others), max(others)}))) if others else "",
        measures="measure" if len(others) == 1 else "measures",
    )


def describe_place(material: Material, run: int) -> str:
    """Return the place of a run by the first measure; runs with equal values are tied."""
    place = int(material.places[run, 0])
    tied = (material.places[:, 0] == place).sum() > 1
    return f"{'tied for ' if tied else ''}{ordinal(place)}"


def compare_with_median(material: Material, run: int) -> str | None:
    """Count the topics on which a run is better than the median run, and those on which it is worse."""
    if len(material.runs) < 3:
        return None
    better, worse, topics = count_above_median(material, run)
    if not topics:
        return None
    return f"It is better than the median run on {better} of {count(topics, 'topic')} and worse on {worse}."


def count_above_median(material: Material, run: int) -> tuple[int, int, int]:
    """Count topics on which a run is above the median of all runs, below it, and all with a value."""
    difference = median_differences(material, run)
    return int((difference > 0).sum()), int((difference < 0).sum()), int((~np.isnan(difference)).sum())


def median_differences(material: Material, run: int) -> Floats:
    """Return by how much a run is better than the median run, topic by topic; NaN without a value."""
    sign = -1.0 if material.first.lower_is_better else 1.0
    return np.asarray(sign * subtract(material.results.values[0, run], material.medians))


def describe_archetypes(material: Material, run: int) -> Sentence | None:
    """Count the archetypes of a run's rankings, the most frequent first."""
    kinds = material.effort.archetypes[run]
    counts = [(int((kinds == i).sum()), Name.of(kind)) for i, kind in enumerate(NAMES)]
    present = sorted((one for one in counts if one[0]), key=lambda one: -one[0])
    if not present:
        return None
    amount, kind = present[0]
    if len(present) == 1:
        return sentence("Its rankings are all {kind}." if amount > 1 else "Its ranking is {kind}.", kind=kind)
    phrases = [sentence("{amount} {kind}", amount=amount, kind=kind) for amount, kind in present]
    if amount == 1:
        return sentence("Its rankings are {kinds}.", kinds=enumerate_names(phrases, 8))
    others = enumerate_names(phrases[1:], 8)
    return sentence("Of its rankings, {amount} are {kind}, {others}.", amount=amount, kind=kind, others=others)


def describe_unjudged(material: Material, run: int) -> str:
    """Return the share of unjudged documents in the first ranks of a run."""
    ten, hundred = (row[~np.isnan(row)] for row in material.unjudged[run].T[:2])
    if not len(ten):
        return "It has retrieved nothing."
    if hundred.mean() == 0:
        return f"Its first {LOOKED_AT[1]} documents are all judged."
    share = format_percent(float(ten.mean())) if ten.any() else "none"
    return (
        f"Unjudged are {share} of its first {LOOKED_AT[0]} documents, "
        f"and {format_percent(float(hundred.mean()))} of its first {LOOKED_AT[1]}."
    )


# Tables --------------------------------------------------------------------------------------------------------


def tabulate_means(material: Material, run: int) -> DisplayTable:
    """Tabulate mean, place and interval of a run by every measure."""
    size = len(material.measures)
    frame = material.means[run * size : (run + 1) * size].select("measure", "value", "low", "high", "topics")
    if len(material.runs) > 1:
        best = material.overall[material.places.argmin(axis=0), range(size)]
        more = {"place": pl.Series(material.places[run]), "best": pl.Series(best)}
        frame = frame.with_columns(**more).select("measure", "value", "place", "best", "low", "high", "topics")
    return display(frame, heads={"place": f"place of {len(material.runs)}", "best": "best run"})


def tabulate_topics(material: Material, run: int) -> dict[str, DisplayTable | None]:
    """Tabulate all topics of a run if they are few, else the best and the worst.

    Topics are ordered by the difference from the median of all runs, or by value if there is a single run.
    """
    values, difference = material.results.values[0, run], median_differences(material, run)
    single = len(material.runs) == 1
    key = values if single else difference
    valued = np.flatnonzero(~np.isnan(key))
    order = valued[np.argsort(-key[valued], kind="stable")]
    kinds = [*NAMES, None]
    frame = pl.DataFrame(
        {
            "topic": pl.Series(material.topics, dtype=pl.String),
            "relevant": material.judgments.relevant[:, 0],
            "value": values,
            "median": material.medians,
            "difference": difference,
            "twist": material.effort.results.values[list(MAIN).index("twist"), run],
            "archetype": pl.Series(
                [kinds[kind % len(kinds)] for kind in material.effort.archetypes[run]], dtype=pl.String
            ),
        }
    ).drop(("median", "difference") if single else ())
    heads = {"value": str(material.first), "difference": "better by", "twist": "Twist"}

    def tabulate(topics: np.ndarray) -> DisplayTable | None:
        return display(frame[topics], heads=heads, show={"topic": topic_cell}) if len(topics) else None

    few = len(order) <= 2 * ENDS
    return {
        "all_topics": tabulate(order) if few else None,
        "best_topics": None if few else tabulate(order[:ENDS]),
        "worst_topics": None if few else tabulate(order[::-1][:ENDS]),
    }


def topic_cell(topic: str) -> Name:
    """Return the name of a topic in a table, which the width of its column may cut."""
    return Name(topic, topic)


def tabulate_unjudged(material: Material, run: int) -> DisplayTable | None:
    """Tabulate the topics with the most unjudged documents among the first ranks."""
    shares = np.nan_to_num(material.unjudged[run, :, 0], nan=0.0)
    topics = [topic for topic in np.argsort(-shares, kind="stable")[:ENDS].tolist() if shares[topic] > 0]
    if not topics:
        return None
    rows = []
    for topic in topics:
        ranks = [rank for rank in material.unjudged_ranks(run, topic, _RANKS) if rank <= LOOKED_AT[0]]
        rows.append((material.topics[topic], len(ranks), ", ".join(map(str, ranks))))
    frame = pl.DataFrame(rows, schema=["topic", "unjudged", "ranks"], orient="row")
    return display(frame, show={"topic": topic_cell})
