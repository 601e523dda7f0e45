"""Archetypes: the shapes that curves of cumulated relative position have."""

from __future__ import annotations

import polars as pl

from assay.effort.archetypes import NAMES
from assay.views.plots.census import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell
from assay.views.report.markup import Html, fold, said, table
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import every, many, name, percent, sentence

NAME, TITLE = "archetypes", "Archetypes of rankings"
FEW = 20
"""Rankings that are counted rather than told as a share."""
MEANING = {
    "ideal": "every document where it belongs",
    "worst": "nothing relevant found",
    "full-scale": "the ideal ranking reversed",
    "typical A": "what was lost at first is made up for behind rank R",
    "typical B": "what was lost is never made up for",
    "ups-and-downs": "made up for by rank R, then lost again",
    "excellent A": "made up for by rank R; the first R ranks hold relevant documents only",
    "excellent B": "made up for by rank R; some of the first R ranks hold others",
}
"""What each archetype says of a ranking; R is the number of relevant documents of the topic."""


def section(material: Material, figures: Figures) -> Section:
    """How often each archetype occurs, over all runs and by run."""
    counts = material.effort.summary()
    total = int(counts["curves"][-1])
    if not total:
        return Section(NAME, TITLE, (said("No topic has relevant documents: there are no curves to tell apart."),))
    return Section(
        NAME,
        TITLE,
        tuple(filter(None, (commonest(counts), extremes(counts)))),
        (*_figure(material, figures), _all(counts), _runs(material, counts)),
        "Each ranking has a curve: how far its documents stand from where the ideal ranking has them, added up rank by "
        "rank. The archetype is the first rule that fits its curve; topics without relevant documents have none. "
        "assay effort tells it for every run and topic.",
    )


def _figure(material: Material, figures: Figures) -> list[Html]:
    caption = "Share of each archetype: above among all rankings, below by run."
    return [
        figures.add("census", shaped(material.effort), caption, description=f"{caption} The table has the numbers.")
    ]


def commonest(counts: pl.DataFrame) -> Html:
    """Which archetype is the most frequent."""
    row = counts.row(-1, named=True)
    kind, total = _commonest(row), row["curves"]
    if row[kind] == total:
        which = "The only ranking is" if total == 1 else f"{sentence(every(total, 'ranking'))} are"
        return said("{which} {kind}: {meaning}.", which=which, kind=name(kind), meaning=MEANING[kind])
    some = f"Of {total:,} rankings, {percent(row[kind] / total)} are"
    few = f"{row[kind]} of {total} rankings {'is' if row[kind] == 1 else 'are'}"
    which = few if total < FEW else some
    return said("{which} {kind}: {meaning}.", which=which, kind=name(kind), meaning=MEANING[kind])


def _commonest(row: dict[str, int]) -> str:
    return max(NAMES, key=lambda kind: row[kind])


def extremes(counts: pl.DataFrame) -> Html | None:
    """How many rankings are perfect, and how many found nothing, where that was not said already."""
    row = counts.row(-1, named=True)
    if row["curves"] in (row["ideal"], row["worst"]):
        return None
    ideal = f"{many(row['ideal'], 'ranking is', 'rankings are')} ideal"
    worst = f"{many(row['worst'], 'ranking')} found nothing relevant"
    worst = worst if row["worst"] else "every ranking found something relevant"
    said_already = {"ideal": worst, "worst": ideal}
    return said("{text}.", text=sentence(said_already.get(_commonest(row), f"{ideal}; {worst}")))


def _all(counts: pl.DataFrame) -> Html:
    row = counts.row(-1, named=True)
    frame = pl.DataFrame(
        {
            "archetype": NAMES,
            "rankings": [row[kind] for kind in NAMES],
            "share": [row[kind] / row["curves"] for kind in NAMES],
            "meaning": [MEANING[kind] for kind in NAMES],
        }
    )
    return table(frame, "Archetypes of all rankings.", show={"share": percent}, class_="wrap")


def _runs(material: Material, counts: pl.DataFrame) -> Html:
    there = [kind for kind in NAMES if counts[kind][-1]]
    numbered = counts[:-1].select(pl.Series("run", range(len(material.runs))), "curves", *there)
    frame = numbered[list(material.order)]
    caption = (
        f"Rankings of each archetype by run, best {material.first} first; archetypes that do not occur are left out."
    )
    heads = {"curves": "rankings"}
    return fold("Archetypes of each run", table(frame, caption, heads=heads, show={"run": run_cell(material)}))
