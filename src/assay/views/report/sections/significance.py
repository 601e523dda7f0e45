"""Significance: which runs differ, and which cannot be told from the best."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from assay.analyses.compare.comparing import COLUMNS, Comparison
from assay.analyses.compare.groups import groups
from assay.views.compare import how
from assay.views.plots.significance import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell, run_name
from assay.views.report.markup import Html, fold, joined, paragraph, said, table, written
from assay.views.report.material import Material
from assay.views.report.rivals import Rivals
from assay.views.report.section import Section
from assay.views.report.words import chance, level, listed, many, name, percent, share

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
                said("Not to be told apart does not mean to be equal: with more topics, smaller differences show.")
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
    p = comparison.numbers["p_adjusted"][measure]
    tested, found = int((~np.isnan(p)).sum()), int((p < comparison.alpha).sum())
    by = name(str(comparison.results.measures[measure]))
    if not tested:
        return said("By {by} no two runs can be compared: there are too few topics.", by=by)
    if tested == 1:
        verdict = "can be told apart" if found else "cannot be told apart"
        shown = chance(float(np.nanmin(p)), comparison.least)
        return said("By {by} the two runs {verdict} ({p}).", by=by, verdict=verdict, p=shown)
    share = f" ({percent(found / tested)})" if found else ""
    differ = "differs" if found < 2 else "differ"
    return said(
        "By {by}, {found} of {tested} of runs {differ} significantly{share}.",
        by=by,
        found=f"{found:,}" if found else "none",
        tested=many(tested, "pair"),
        differ=differ,
        share=share,
    )


def with_the_best(material: Material) -> list[Html]:
    """The runs that cannot be told from the best, by their names."""
    rivals = Rivals.of(material)
    if rivals is None or rivals.none_tested or len(material.runs) < 3:
        return []
    best = run_name(material, rivals.best)
    if not rivals.tied:
        return [said("{best} can be told from every other run.", best=best)]
    if len(rivals.tied) == len(material.runs) - 1:
        return [said("No run can be told from {best}.", best=best)]
    names = listed([run_name(material, run) for run in rivals.tied], 8)
    return [said("{names} cannot be told from {best}.", names=names, best=best)]


# What is shown -------------------------------------------------------------------------------------------------


def _figure(material: Material, comparison: Comparison, figures: Figures) -> Html:
    caption = f"Every two runs by {material.first}: who is better, and how surely."
    caption += (
        f" The best {MOST} of {len(material.runs)} runs are shown; p is adjusted over all pairs."
        if len(material.runs) > MOST
        else ""
    )
    frame = shaped(comparison, MOST)
    return figures.add(
        "significance", frame, caption, description=f"{caption} The tables have the counts and p-values."
    )


def _counts(comparison: Comparison) -> Html:
    rows = []
    for measure, p in zip(comparison.results.measures, comparison.numbers["p_adjusted"], strict=True):
        tested, found = int((~np.isnan(p)).sum()), int((p < comparison.alpha).sum())
        rows.append((str(measure), tested, found, found / tested if tested else None))
    frame = pl.DataFrame(rows, schema=["measure", "pairs", "differ", "share"], orient="row")
    caption = f"Pairs of runs that differ significantly, at {comparison.alpha:g}."
    return table(frame, caption, heads={"pairs": "pairs tested"}, show={"share": share})


def _groups(material: Material, comparison: Comparison) -> list[Html]:
    """The groups behind the letters, if they can be read."""
    different = comparison.matrix(material.first) < comparison.alpha
    found = groups(different, material.order)
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
    caption = f"Groups of runs that cannot be told apart by {material.first}; a run can be in several."
    return [
        fold(f"Groups of runs ({len(members)})", table(frame, caption, show=show, texts=("members",), class_="wrap"))
    ]


def _against(material: Material) -> list[Html]:
    """The best run against those that follow it."""
    rivals = Rivals.of(material)
    if rivals is None:
        return []
    frame = against(rivals.comparison, rivals.best)
    place = {run: at for at, run in enumerate(material.order)}
    frame = frame[sorted(range(len(frame)), key=lambda row: place[frame["run"][row]])]
    heads = {"mean": str(material.first), "p": "p, adjusted", "wins": "topics won", "ties": "tied", "losses": "lost"}
    show = {"run": run_cell(material), "p": _small}
    caption = said(
        "{best} against each other run: the difference of {measure} with its interval, and on how many topics it "
        "wins.{more}",
        best=run_name(material, rivals.best),
        measure=str(material.first),
        more=f" The first {MOST} of {len(frame)} are shown." if len(frame) > MOST else "",
    )
    return [table(frame[:MOST], caption, heads=heads, show=show)]


def against(comparison: Comparison, best: int) -> pl.DataFrame:
    """One run against each other by the first measure: run, mean, difference, low, high, p, wins, ties, losses.

    *run* is the number of the other run and *mean* its own; what has a sign is of the one run minus the other.
    """
    first, second = comparison.pairs.T
    chosen = np.flatnonzero((first == best) | (second == best))
    swapped = second[chosen] == best
    of = {name: comparison.numbers[name][0][chosen] for name in COLUMNS}
    whole = {
        "wins": np.where(swapped, of["losses"], of["wins"]),
        "ties": of["ties"],
        "losses": np.where(swapped, of["wins"], of["losses"]),
    }
    numbers = {
        "mean": np.where(swapped, of["mean_a"], of["mean_b"]),
        "difference": np.where(swapped, -1, 1) * of["difference"],
        "low": np.where(swapped, -of["high"], of["low"]),
        "high": np.where(swapped, -of["low"], of["high"]),
        "p": of["p_adjusted"],
    }
    return pl.DataFrame(
        {
            "run": np.where(swapped, first[chosen], second[chosen]),
            **{name: pl.Series(values).fill_nan(None) for name, values in numbers.items()},
            **{name: values.astype(np.int64) for name, values in whole.items()},
        }
    )


def _small(p: float | None) -> str:
    return "<0.001" if p is not None and p < 0.001 else written(p)


def _made(comparison: Comparison) -> Html:
    test = comparison.test
    drawn = f" ({test.resamples:,} resamples, seed {test.seed})" if isinstance(test, Drawn) else ""
    pairs_of = "hold for all pairs together" if test.corrected else "are of one pair, and not adjusted"
    return said(
        "{how}{drawn}, paired by topic; a difference is significant if p is below alpha = {alpha}. Each measure is a "
        "family of its own: p is not adjusted for there being several measures. Intervals of differences have the "
        "confidence {level} and {pairs_of}.",
        how=how(comparison)[0].upper() + how(comparison)[1:],
        drawn=drawn,
        alpha=f"{comparison.alpha:g}",
        level=level(1 - comparison.alpha),
        pairs_of=pairs_of,
    )
