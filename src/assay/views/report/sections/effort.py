"""Effort and gain: what rankings cost their users, beside what they give them."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.effort.against_gain import CLASSES, EffortGain
from assay.model.arrays import competition_ranks
from assay.views.plots.effort_gain import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell, run_name
from assay.views.report.markup import Html, fold, paragraph, said, table
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import known, many, name, number, ordinal, percent

NAME, TITLE = "effort", "Effort and gain"
WIDE = 520
FEW_POINTS = 8
"""Of fewer points quartiles say nothing."""
INDICATORS = {
    "rho": "recovery ρ",
    "sigma_plus": "space σ+",
    "sigma_minus": "space σ−",
    "sigma": "space σ",
    "twist": "Twist",
}


def section(material: Material, figures: Figures) -> Section:
    """Effort against gain, and the indicators of effort of each run."""
    found = material.against_gain
    if found is None:
        none = said("All measures of this report are of cost: there is no gain to set effort against.")
        return Section(NAME, TITLE, (none,))
    if not relevant(material):
        none = said("No topic has relevant documents: there is neither gain nor effort to be seen.")
        return Section(NAME, TITLE, (none,))
    gain = str(found.measures[0])
    caption = f"Twist, the effort that a ranking avoids, against {gain}: a point for each run and topic."
    frame = shaped(found, material.effort.archetypes)
    told = f"{caption} The table below has the shares."
    return Section(
        NAME,
        TITLE,
        (shares(found),),
        (
            paragraph(least_effort(material)),
            figures.add("effort-gain", frame, caption, description=told, wide=WIDE),
            _classes(found),
            _runs(material, found),
        ),
        "Effort is measured by Twist (1: the ideal ranking, no effort is wasted; 0: nothing found, or too late), over "
        "rankings as long as the longest; topics with more relevant documents than half of that get more ranks. "
        "Columns end at 0.25, 0.5 and 0.75, rows at the quartiles of the gain of all points, so that the classes say "
        "how effort and gain go together here, not how good the runs are.",
    )


def relevant(material: Material) -> bool:
    """Whether there is a relevant document at all."""
    return bool((material.effort.relevant > 0).any())


def shares(found: EffortGain) -> Html:
    """How many points lie where effort and gain agree, and where they do not."""
    row = found.classes().row(0, named=True)
    if row["points"] < FEW_POINTS:
        some = f"{'is' if row['points'] < 2 else 'are'} only {many(row['points'], 'point')}"
        return said("There {some} (a run on a topic), too few to set effort against gain.", some=some)
    return said(
        "Of {points}, each a run on a topic, {diagonal} lie where effort and {gain} agree; {costly} have much gain at "
        "much effort, which {gain} alone takes for good, and {little} have little of both.",
        points=many(row["points"], "point"),
        diagonal=percent(row["diagonal"]),
        costly=percent(row["high-high"]),
        little=percent(row["other"]),
        gain=name(str(found.measures[0])),
    )


def least_effort(material: Material) -> Html | None:
    """Which run spares its users the most, and how it is placed by the first measure."""
    if len(material.runs) < 2:
        return None
    twist = mean_twist(material)
    if np.isnan(twist).all():
        return None
    places = competition_ranks(twist)
    if (places == 1).sum() > 1:
        return None
    best = int(np.argmin(places))
    spares = said(
        "{run} spares its users the most effort (mean Twist {value})",
        run=run_name(material, best),
        value=number(float(twist[best])),
    )
    place = int(material.places[best, 0])
    measure = name(str(material.first))
    if not known(float(material.overall[best, 0])):
        return said("{spares}.", spares=spares)
    if material.first_by(0) == [best]:
        return said("{spares}, and is first by {measure} too.", spares=spares, measure=measure)
    tied = "tied for " if (material.places[:, 0] == place).sum() > 1 else ""
    where = f"{tied}{ordinal(place)}"
    return said("{spares}; by {measure} it is {place}.", spares=spares, measure=measure, place=where)


def mean_twist(material: Material) -> np.ndarray:
    """The mean Twist of each run; NaN without topics."""
    means = material.effort.summary().filter(pl.col("run").is_not_null())["twist"].to_numpy()
    return np.asarray(means[:-1], dtype=np.float64)


def _classes(found: EffortGain) -> Html:
    frame = found.classes().drop("run", "top_row_right", "q1", "q2", "q3")
    caption = (
        "Shares of points for each measure of gain: on the diagonal, much gain at much effort (high-high), next to the "
        "diagonal (gray), little of both (other). Upper right, across these classes: high or huge gain at medium or "
        "low effort, where good systems lie."
    )
    show = dict.fromkeys((*CLASSES, "upper_right"), percent)
    return table(frame, caption, heads={"upper_right": "upper right"}, show=show)


def _runs(material: Material, found: EffortGain) -> Html:
    means = material.effort.summary().select(*INDICATORS)[:-1]
    first = found.classes(per_run=True).filter(pl.col("measure") == str(found.measures[0]))
    classes = first.select(*CLASSES)[: len(material.runs)]
    frame = pl.DataFrame({"run": range(len(material.runs))}).hstack(means).hstack(classes)
    frame = frame[np.argsort(-np.nan_to_num(means["twist"].to_numpy(), nan=-1), kind="stable")]
    show = {"run": run_cell(material), **dict.fromkeys(CLASSES, percent)}
    caption = (
        "Indicators of effort, means over topics (1 is best), and the classes of each run's points; best Twist first."
    )
    return fold("Effort of each run", table(frame, caption, heads=INDICATORS, show=show))
