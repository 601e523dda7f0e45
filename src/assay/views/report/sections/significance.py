"""Significance: which runs differ, and which do not differ significantly from the best."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from assay.significance._compare import Comparison
from assay.significance.groups import groups
from assay.views.compare import how, interval_words, p_label
from assay.views.plots.significance import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell, run_name
from assay.views.report.markup import Html, fold, joined, paragraph, said, table, written
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import chance, listed, many, name, percent, share

NAME, TITLE = "significance", "Significance"
MOST = 40
"""Runs of the matrix, and rows of the table against the best."""
_GROUPS = 26


@runtime_checkable
class Drawn(Protocol):
    """A test that draws at random."""

    resamples: int
    seed: int


def section(material: Material, figures: Figures) -> Section:
    """All pairs of runs, and the best run against the others."""
    comparison = material.comparison
    if comparison is None:
        return Section(NAME, TITLE, (said("Nothing can be compared: there is one run only."),))
    if np.isnan(comparison.numbers["p"]).all():
        return Section(NAME, TITLE, (said("No two runs can be compared: there are too few topics."),))
    return Section(
        NAME,
        TITLE,
        (pairs(comparison), *with_the_best(material)),
        (
            paragraph(
                said("Runs that do not differ significantly need not be equal: more topics show smaller differences.")
            ),
            _figure(material, comparison, figures),
            _counts(comparison),
            *_groups(material, comparison),
            *_against(material),
        ),
        _made(comparison),
    )


# Sentences -----------------------------------------------------------------------------------------------------


def pairs(comparison: Comparison, measure: int = 0) -> Html:
    """How many pairs of runs differ significantly."""
    of = comparison.results.measures[measure]
    tested, differ = _counted(comparison, measure)
    if not tested:
        return said("By {by} no two runs can be compared: there are too few topics.", by=name(str(of)))
    if tested == 1:
        verdict = "differ significantly" if differ else "do not differ significantly"
        p = chance(float(np.nanmin(comparison.numbers["p_adjusted"][measure])), comparison.least)
        return said("By {by} the two runs {verdict} ({p}).", by=name(str(of)), verdict=verdict, p=p)
    share = f" ({percent(differ / tested)})" if differ else ""
    return said(
        "By {by}, {differ} of {tested} of runs {verb} significantly{share}.",
        by=name(str(of)),
        differ=f"{differ:,}" if differ else "none",
        tested=many(tested, "pair"),
        verb="differs" if differ < 2 else "differ",
        share=share,
    )


def _counted(comparison: Comparison, measure: int) -> tuple[int, int]:
    """How many pairs were tested by a measure, and how many of them differ significantly."""
    p = comparison.numbers["p_adjusted"][measure]
    return int((~np.isnan(p)).sum()), int((p < comparison.alpha).sum())


def with_the_best(material: Material) -> list[Html]:
    """The runs that do not differ significantly from the best, by their names."""
    found = material.separation
    if found is None or len(found.untested) == len(material.runs) - 1 or len(material.runs) < 3:
        return []
    best = run_name(material, material.runs.index(found.reference))
    if not found.tied:
        return [said("Every other run differs significantly from {best}.", best=best)]
    if len(found.tied) == len(material.runs) - 1:
        return [said("No run differs significantly from {best}.", best=best)]
    names = listed([run_name(material, material.runs.index(run)) for run in found.tied], 8)
    verb = "does" if len(found.tied) == 1 else "do"
    return [said("{names} {verb} not differ significantly from {best}.", names=names, verb=verb, best=best)]


# What is shown -------------------------------------------------------------------------------------------------


def _figure(material: Material, comparison: Comparison, figures: Figures) -> Html:
    caption = f"Every two runs by {material.first}: who is better, and how surely."
    caption += (
        f" The best {MOST} of {len(material.runs)} runs are shown; p is corrected over {comparison.family_title}."
        if len(material.runs) > MOST
        else ""
    )
    frame = shaped(comparison, MOST)
    return figures.add(
        "significance", frame, caption, description=f"{caption} The tables have the counts and p-values."
    )


def _counts(comparison: Comparison) -> Html:
    rows = []
    for number, measure in enumerate(comparison.results.measures):
        tested, differ = _counted(comparison, number)
        rows.append((str(measure), tested, differ, differ / tested if tested else None))
    frame = pl.DataFrame(rows, schema=["measure", "pairs", "differ", "share"], orient="row")
    caption = f"Pairs of runs that differ significantly: {p_label(comparison)} < {comparison.alpha:g}."
    return table(frame, caption, heads={"pairs": "pairs tested"}, show={"share": share})


def _groups(material: Material, comparison: Comparison) -> list[Html]:
    """The groups behind the letters, if they can be read."""
    found = groups(np.abs(comparison.verdicts(material.first)) == 1, material.order)
    if len(found) > _GROUPS or len(found) < 2:
        return []
    place = {run: at for at, run in enumerate(material.order)}
    members = [sorted(np.flatnonzero(row).tolist(), key=place.__getitem__) for row in found]
    frame = pl.DataFrame(
        {
            "group": [chr(ord("a") + i) for i in range(len(members))],
            "runs": list(map(len, members)),
            "members": range(len(members)),
        }
    )
    show = {"members": lambda at: joined([run_name(material, run) for run in members[at]], ", ")}
    caption = f"Groups of runs that do not differ significantly by {material.first}; a run can be in several."
    return [
        fold(f"Groups of runs ({len(members)})", table(frame, caption, show=show, texts=("members",), class_="wrap"))
    ]


def _against(material: Material) -> list[Html]:
    """The best run against those that follow it."""
    comparison = material.comparison
    if comparison is None:
        return []
    best = material.order[0]
    frame = against(comparison, best)
    place = {run: at for at, run in enumerate(material.order)}
    frame = frame[sorted(range(len(frame)), key=lambda row: place[frame["run"][row]])]
    heads = {"mean": str(material.first), "low": "CI low", "high": "CI high", "p_adjusted": p_label(comparison)}
    heads |= {"wins": "topics won", "ties": "tied", "losses": "lost"}
    unneeded = "p" if comparison.test.corrected else "p_adjusted" if p_label(comparison) == "p" else None
    show = {"run": run_cell(material), "p": _small, "p_adjusted": _small}
    caption = said(
        "{best} against each other run by {measure}: the difference of means and the topics won. {interval}.{more}",
        best=run_name(material, best),
        measure=str(material.first),
        interval=_interval(comparison),
        more=f" The first {MOST} of {len(frame)} are shown." if len(frame) > MOST else "",
    )
    shown = frame[:MOST].drop([unneeded] if unneeded else [])
    return [table(shown, caption, heads=heads, show=show)]


def _interval(comparison: Comparison) -> str:
    """What the intervals and p-values of a row refer to."""
    words = f"The {interval_words(comparison)}"
    if comparison.test.corrected or comparison.correction == "none":
        return words
    return f"{words}; {p_label(comparison)} is corrected over {comparison.family_title}"


def against(comparison: Comparison, best: int) -> pl.DataFrame:
    """Compare one run with each other by the first measure.

    Columns run, mean, difference, low, high, p, p_adjusted, wins, ties, losses. *run* is the number of the other run
    and *mean* its own; signed numbers are of the one run minus the other.
    """
    runs, measure = comparison.results.runs, comparison.results.measures[0]
    others = [run for run in range(len(runs)) if run != best]
    rows = [comparison.between(measure, runs[best], runs[other]) for other in others]
    numbers = {"mean": "mean_b", **{name: name for name in ("difference", "low", "high", "p", "p_adjusted")}}
    return pl.DataFrame(
        {
            "run": others,
            **{name: pl.Series([row[of] for row in rows]).fill_nan(None) for name, of in numbers.items()},
            **{name: [int(row[name]) for row in rows] for name in ("wins", "ties", "losses")},
        }
    )


def _small(p: float | None) -> str:
    return "<0.001" if p is not None and p < 0.001 else written(p)


def _made(comparison: Comparison) -> Html:
    test = comparison.test
    drawn = f" ({test.resamples:,} resamples, seed {test.seed})" if isinstance(test, Drawn) else ""
    return said(
        "{how}{drawn}, paired by topic; a difference is significant if {p} is below alpha = {alpha}. Each measure is a "
        "family of its own: p is not corrected for there being several measures. The leader is chosen from the data, "
        "so comparisons with it are corrected over all pairs as well. {interval}.",
        how=how(comparison)[0].upper() + how(comparison)[1:],
        drawn=drawn,
        alpha=f"{comparison.alpha:g}",
        p=p_label(comparison),
        interval=_interval(comparison),
    )
