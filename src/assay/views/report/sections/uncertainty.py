"""Uncertainty: what was not judged, and how much values could still change."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analyses.uncertainty.bounding import Bounds
from assay.analyses.uncertainty.residuals import ResidualCurves
from assay.evaluation import evaluated
from assay.measures.rank_biased import RBP, RBPresidual
from assay.model.arrays import Floats, subtract
from assay.views.plots.rbp_bounds import shaped as bands
from assay.views.plots.residual_depth import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell, run_name
from assay.views.report.markup import Html, paragraph, said, table, tag, written
from assay.views.report.material import LOOKED_AT, PERSISTENCES, Material
from assay.views.report.section import Section
from assay.views.report.words import between, listed, many, name, number, percent, share

NAME, TITLE = "uncertainty", "Uncertainty"
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
PANELS = 3
"""Measures whose bounds are drawn."""
_SMALL = 0.0005  # what is not seen of three digits


def section(material: Material, figures: Figures) -> Section:
    """What is unjudged, and the bounds that it leaves."""
    bounds = material.bounds
    content = [paragraph(deeper(material))]
    if bounds is None:
        content.append(
            paragraph(
                said("Unjudged documents were taken out of the rankings, so that there are no bounds for values.")
            )
        )
    else:
        content += [
            tag("h3", "Bounds"),
            paragraph(leader_bounds(material, bounds), overtaken(material, bounds)),
            *_bands(material, bounds, figures),
            _bounds(material, bounds),
        ]
    return Section(
        NAME,
        TITLE,
        (unjudged(material),),
        (*content, *_residuals(material, figures)),
        "A bound is what no completion of the judgments goes beyond: every document of a ranking that is not judged, "
        "or has a negative grade, may have any grade of the scale; documents that a ranking lacks and nobody judged "
        "stay not relevant. Below the cutoff of a measure, unjudged documents still count for the recall base and the "
        "ideal ranking, so that a value can be uncertain although all documents to the cutoff are judged. Bounds are "
        "not confidence intervals: those of the leaderboard show what other topics could change, bounds what other "
        "judgments could change. The residual of RBP is the most that unjudged documents, and those behind the end of "
        "a ranking, could add.",
    )


# Sentences -----------------------------------------------------------------------------------------------------


def _shares(material: Material, place: int) -> Floats:
    """The mean share of unjudged documents of each run, over the topics for which it has some."""
    values = material.unjudged[:, :, place]
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0).sum(axis=1)
    many_topics = there.sum(axis=1)
    found: Floats = np.divide(total, many_topics, out=np.full(len(total), np.nan), where=many_topics > 0)
    return found


def unjudged(material: Material) -> Html:
    """How much of the first ten ranks was not judged."""
    return _unjudged(material, 0, f"first {LOOKED_AT[0]} documents of each ranking")


def _unjudged(material: Material, place: int, where: str) -> Html:
    shares = _shares(material, place)
    if np.isnan(shares).all():
        return said("No run has retrieved anything.")
    low, high = float(np.nanmin(shares)), float(np.nanmax(shares))
    if high == 0:
        return said("The {where} are all judged.", where=where)
    if len(material.runs) == 1 or subtract(low, high) == 0:
        return said("Of the {where}, {share} are unjudged in the mean.", where=where, share=percent(high))
    most = listed([run_name(material, int(run)) for run in np.flatnonzero(subtract(shares, high) == 0)], 3)
    return said(
        "Of the {where}, from {low} to {high} are unjudged, depending on the run; the most are of {most}.",
        where=where,
        low=percent(low),
        high=percent(high),
        most=most,
    )


def deeper(material: Material) -> Html | None:
    """The same for the first hundred ranks."""
    shares = _shares(material, 1)
    return None if np.isnan(shares).all() else _unjudged(material, 1, f"first {LOOKED_AT[1]}")


def _ends(material: Material, bounds: Bounds, measure: int = 0) -> pl.DataFrame:
    return bounds.means().filter(pl.col("measure") == str(material.measures[measure]))


def leader_bounds(material: Material, bounds: Bounds) -> Html | None:
    """Between which values that of the first run lies."""
    best = material.order[0]
    row = _ends(material, bounds).row(best, named=True)
    if row["low"] is None or row["high"] is None:
        return None
    parts = {"measure": name(str(material.first)), "run": run_name(material, best)}
    if row["high"] - row["low"] < _SMALL:
        return said("Whatever the unjudged documents are, {measure} of {run} hardly changes.", **parts)
    return said(
        "Whatever the unjudged documents are, {measure} of {run} lies from {ends}; as judged it is {value}.",
        ends=between(row["low"], row["high"], 3),
        value=number(row["value"]),
        **parts,
    )


def overtaken(material: Material, bounds: Bounds) -> Html | None:
    """How many runs could be better than the first one, if judging went their way."""
    if len(material.runs) < 2:
        return None
    ends, best = _ends(material, bounds), material.order[0]
    low, high = ends["low"].to_numpy(), ends["high"].to_numpy()
    if material.first.lower_is_better:
        low, high = -high, -low
    if np.isnan(low[best]):
        return None
    others = np.arange(len(low)) != best
    could = int((others & (high >= low[best])).sum())
    if could == 0:
        return said("No other run can overtake it, whatever they are.")
    return said(
        "The bounds of {could} reach its worst possible value: judging more documents might change who is first.",
        could=many(could, "other run"),
    )


def residual(material: Material) -> Html | None:
    """How large the residuals of RBP are."""
    values = material.residuals.overall()
    at = PERSISTENCES.index(0.8)
    column = values[:, at]
    if np.isnan(column).all():
        return None
    low, high = float(np.nanmin(column)), float(np.nanmax(column))
    if len(material.runs) == 1 or subtract(low, high) == 0:
        return said("The residual of RBP with p = 0.8 is {high}.", high=number(high))
    return said(
        "The residual of RBP with p = 0.8 goes from {low} to {high} over the runs.", low=number(low), high=number(high)
    )


# What is shown -------------------------------------------------------------------------------------------------


def _bands(material: Material, bounds: Bounds, figures: Figures) -> list[Html]:
    shown = [str(measure) for measure in material.measures[:PANELS]]
    frame = bands(bounds).filter(pl.col("measure").is_in(shown))
    caption = "The value of each run, best first, and the band in which it lies as long as documents are not judged."
    return [figures.add("rbp-bounds", frame, caption, description=f"{caption} The table has the numbers.")]


def _bounds(material: Material, bounds: Bounds) -> Html:
    frame = pl.DataFrame({"run": list(material.order)})
    shares = [_shares(material, place)[list(material.order)] for place in range(2)]
    columns, heads = {}, {}
    for place, depth in enumerate(LOOKED_AT):
        columns[f"u{depth}"] = pl.Series(shares[place]).fill_nan(None)
        heads[f"u{depth}"] = f"unjudged @{depth}"
    for i, measure in enumerate(material.measures):
        ends = _ends(material, bounds, i)[list(material.order)]
        texts = [
            written(None) if low is None or high is None else between(low, high, 3)
            for low, high in zip(ends["low"], ends["high"], strict=True)
        ]
        columns[f"b{i}"] = pl.Series(texts, dtype=pl.String)
        heads[f"b{i}"] = f"{measure} from … to"
    show = {key: share for key in columns if key.startswith("u")}
    caption = f"What was not judged, and the bounds that this leaves for the means; best {material.first} first."
    return table(frame.with_columns(**columns), caption, heads=heads, show={**show, "run": run_cell(material)})


def curves(material: Material, run: int) -> ResidualCurves:
    """The bounds of RBP by depth of evaluation, of one run."""
    grid = [(p, depth) for p in PERSISTENCES for depth in DEPTHS]
    lowest = [RBP(p=p, rel=material.rel, cutoff=depth) for p, depth in grid]
    measures = (*lowest, *(RBPresidual(p=p, cutoff=depth) for p, depth in grid))
    values = evaluated(material.only(run), measures).overall().T
    shape = (2, len(PERSISTENCES), len(DEPTHS), 1)
    lower, left = np.moveaxis(values.reshape(shape), 3, 1)[:, :, None]
    return ResidualCurves(
        runs=(material.runs[run],),
        pools=(None,),
        persistences=PERSISTENCES,
        depths=DEPTHS,
        lower=lower,
        residual=left,
        provenance=material.pools.provenance.as_dict(),
        notes=(),
    )


def _residuals(material: Material, figures: Figures) -> list[Html]:
    best = material.order[0]
    caption = said(
        "Bounds of RBP of {run} by the depth of evaluation, for three persistences.", run=run_name(material, best)
    )
    told = (
        f"Bounds of RBP of {material.runs[best]} by the depth of evaluation. The table has the residuals of all runs."
    )
    frame = pl.DataFrame(
        {
            "run": list(material.order),
            **{f"p = {p:g}": material.residuals.overall()[list(material.order), i] for i, p in enumerate(PERSISTENCES)},
        }
    )
    return [
        tag("h3", "Residuals of RBP"),
        paragraph(residual(material)),
        figures.add("residual-depth", shaped(curves(material, best)), caption, description=told),
        table(
            frame,
            "The residual of RBP of each run, mean over topics: the most that its value could rise.",
            show={"run": run_cell(material)},
        ),
    ]
