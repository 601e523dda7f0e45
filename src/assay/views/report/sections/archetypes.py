"""Archetypes: the shapes that curves of cumulated relative position have."""

from __future__ import annotations

from functools import partial

import polars as pl

from assay.analyses.effort.archetypes import NAMES
from assay.views.plots.census import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import capitalize, count, count_all, format_percent
from assay.views.report.prose import Name, Sentence, sentence
from assay.views.report.run_names import run_name
from assay.views.report.section import Section

TITLE = "Archetypes of rankings"
FEW = 20
"""Fewer rankings are counted; the share of more is a percentage."""
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
"""Meaning of each archetype; R is the number of relevant documents of the topic."""


def compute(material: Material, figures: Figures) -> Section:
    """Count the archetypes, over all runs and by run."""
    counts = material.effort.summary()
    total = counts.row(-1, named=True)
    if not total["curves"]:
        return Section("archetypes", TITLE, ("No topic has relevant documents: there are no curves to tell apart.",))
    content = {
        "chart": figures.add("census", shaped(material.effort)),
        "archetypes": tabulate_archetypes(total),
        "runs": tabulate_runs(material, counts),
        "measure": material.first,
    }
    return Section("archetypes", TITLE, (describe_commonest(total), describe_extremes(total)), content)


def describe_commonest(total: dict[str, int]) -> Sentence:
    """Name the most frequent archetype."""
    kind, rankings = _commonest(total), total["curves"]
    amount = total[kind]
    if amount == rankings:
        which = "The only ranking is" if rankings == 1 else f"{capitalize(count_all(rankings, 'ranking'))} are"
    elif rankings < FEW:
        which = f"{amount} of {rankings} rankings {'is' if amount == 1 else 'are'}"
    else:
        which = f"Of {rankings:,} rankings, {format_percent(amount / rankings)} are"
    return sentence("{which} {kind}: {meaning}.", which=which, kind=Name.of(kind), meaning=MEANING[kind])


def _commonest(total: dict[str, int]) -> str:
    return max(NAMES, key=lambda kind: total[kind])


def describe_extremes(total: dict[str, int]) -> str | None:
    """Count the perfect rankings and those that found nothing, unless the sentence before did so."""
    if total["curves"] in (total["ideal"], total["worst"]):
        return None
    ideal = f"{count(total['ideal'], 'ranking is', 'rankings are')} ideal"
    worst = (
        f"{count(total['worst'], 'ranking')} found nothing relevant"
        if total["worst"]
        else "every ranking found something relevant"
    )
    remaining = {"ideal": worst, "worst": ideal}.get(_commonest(total), f"{ideal}; {worst}")
    return f"{capitalize(remaining)}."


def tabulate_archetypes(total: dict[str, int]) -> DisplayTable:
    """Tabulate how often each archetype occurs among all rankings."""
    rows = [(kind, total[kind], total[kind] / total["curves"], MEANING[kind]) for kind in NAMES]
    frame = pl.DataFrame(rows, schema=["archetype", "rankings", "share", "meaning"], orient="row")
    return display(frame, show={"share": format_percent})


def tabulate_runs(material: Material, counts: pl.DataFrame) -> DisplayTable:
    """Tabulate how often each archetype that occurs does so by run."""
    present = [kind for kind in NAMES if counts[kind][-1]]
    numbered = counts[:-1].select(pl.Series("run", range(len(material.runs))), "curves", *present)
    frame = numbered[list(material.order)]
    return display(frame, heads={"curves": "rankings"}, show={"run": partial(run_name, material)})
