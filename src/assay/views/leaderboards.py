"""Leaderboards with significance: letters for all pairs of runs, or signs for differences from baselines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.results.table import Results
from assay.significance._compare import Comparison
from assay.significance.groups import letters
from assay.significance.separation import separate
from assay.views.compare import caption_of, conclusions, how, p_label
from assay.views.tables import Table

SYMBOLS = "†‡§¶"
WORSE = "↓"
"""Stands behind the sign of a baseline than which a run is significantly worse."""
COLUMNS = (
    *("measure", "run", "place", "value", "low", "high", "topics", "groups", "tied_with_leader"),
    *("beats", "loses_to", "better_than", "worse_than"),
)


def leaderboard(
    comparison: Comparison, *, top: int | None = None, intervals: bool = False, symbols: str | None = None
) -> Table:
    """The runs, best first by the first measure, with the groups of each measure or with signs for baselines.

    Two runs share a letter if and only if they do not differ significantly. With baselines only the comparisons with
    them are made: the sign of a baseline behind a value says that it is significantly better than the baseline, the
    sign with an arrow that it is significantly worse.

    Tidy: ``measure, run, place, value, low, high, topics, groups, tied_with_leader, beats, loses_to, better_than,
    worse_than``. *place* is by the measure of the row, shared by equal runs; *low* and *high* are the interval of the
    value over topics; *groups* are the letters and *tied_with_leader* says whether the run does not differ
    significantly from the leader by this measure (both null with baselines); *beats* and *loses_to* are the baselines
    than which the run is significantly better and worse (null without baselines); *better_than* and *worse_than* count
    the runs that are significantly worse and better, among those it was compared with.

    Parameters
    ----------
    top
        How many runs are shown; all are compared.
    intervals
        Show the intervals of values to people too.
    symbols
        A sign for each baseline, in their order.
    """
    if top is not None and top < 1:
        raise InputError(f"top must be at least 1, got {top}")
    signs = _signs(comparison.baselines, symbols)
    results = comparison.results
    order = [results.runs.index(run) for run in results.best(results.measures[0])]
    rows = {str(measure): _rows(comparison, measure, signs) for measure in results.measures}
    shown = order[:top]
    tidy = pl.concat([frame[shown] for frame in rows.values()])
    marked = [measure for measure in results.measures if measure.aggregate != "sum"]
    notes = (*comparison.notes, *_uneven(results))
    if len(shown) < len(order):
        notes = (*notes, f"{len(shown)} of {len(order)} runs are shown; all were compared")
    return Table(
        tidy.drop("signs"),
        _wide([frame[shown] for frame in rows.values()], results, not comparison.baselines, intervals),
        best=tuple(str(m) for m in marked if not m.lower_is_better),
        least=tuple(str(m) for m in marked if m.lower_is_better),
        provenance=comparison.provenance(),
        notes=notes,
        marks={name: frame["signs"][shown].to_list() for name, frame in rows.items()} if signs else {},
        caption=_caption(comparison, signs, intervals),
    )


def _uneven(results: Results) -> list[str]:
    """Note that means are over different topics, so that places may be owed to easy ones."""
    return [
        f"{measure}: means are over different numbers of topics, from {fewest} to {most}; comparisons are over the "
        "topics that both runs have"
        for measure, values in zip(results.measures, results.values, strict=True)
        for counted in [np.isfinite(values).sum(axis=1)]
        if (fewest := int(counted.min())) < (most := int(counted.max()))
    ]


def _signs(baselines: Sequence[str], symbols: str | None) -> str:
    """One sign for each baseline."""
    chosen = SYMBOLS if symbols is None else symbols
    if len(chosen) < len(baselines) or len(set(chosen)) < len(chosen) or any(map(str.isspace, chosen)):
        raise InputError(f"symbols {chosen!r}: name a different sign for each of the {len(baselines)} baselines")
    if WORSE in chosen:
        raise InputError(f"symbols {chosen!r}: {WORSE} marks runs that are worse than a baseline; choose another sign")
    return chosen[: len(baselines)]


def _rows(comparison: Comparison, measure: Measure, signs: str) -> pl.DataFrame:
    """Every run by one measure, in the order of the results."""
    results = comparison.results
    verdicts = comparison.verdicts(measure)
    means = results.means(1 - comparison.alpha).filter(pl.col("measure") == str(measure))
    return means.with_columns(
        place=pl.Series(results.places(measure), dtype=pl.Int64),
        better_than=pl.Series((verdicts == 1).sum(axis=1), dtype=pl.Int64),
        worse_than=pl.Series((verdicts == -1).sum(axis=1), dtype=pl.Int64),
        **(_baselines(comparison, measure, signs) if comparison.baselines else _groups(comparison, measure)),
    ).select(*COLUMNS, "signs")


def _groups(comparison: Comparison, measure: Measure) -> dict[str, pl.Series]:
    """The letters of each run, and whether it is tied with the leader."""
    results = comparison.results
    best_first = [results.runs.index(run) for run in results.best(measure)]
    found = separate(comparison, measure)
    tied = {found.reference: True, **dict.fromkeys(found.tied, True), **dict.fromkeys(found.untested)}
    nothing = pl.Series([None] * len(results.runs), dtype=pl.String)
    return {
        "groups": pl.Series(letters(np.abs(comparison.verdicts(measure)) == 1, best_first), dtype=pl.String),
        "tied_with_leader": pl.Series([tied.get(run, False) for run in results.runs], dtype=pl.Boolean),
        **dict.fromkeys(("beats", "loses_to", "signs"), nothing),
    }


def _baselines(comparison: Comparison, measure: Measure, signs: str) -> dict[str, pl.Series]:
    """The baselines than which each run is significantly better or worse, and their signs."""
    runs = comparison.results.runs
    found = [separate(comparison, measure, baseline) for baseline in comparison.baselines]
    beats = [[one.reference for one in found if run in one.better] for run in runs]
    loses = [[one.reference for one in found if run in one.worse] for run in runs]
    marks = [
        "".join(
            sign if one.reference in better else sign + WORSE if one.reference in worse else ""
            for sign, one in zip(signs, found, strict=True)
        )
        for better, worse in zip(beats, loses, strict=True)
    ]
    return {
        "groups": pl.Series([None] * len(runs), dtype=pl.String),
        "tied_with_leader": pl.Series([None] * len(runs), dtype=pl.Boolean),
        "beats": pl.Series(map(" ".join, beats), dtype=pl.String),
        "loses_to": pl.Series(map(" ".join, loses), dtype=pl.String),
        "signs": pl.Series(marks, dtype=pl.String),
    }


def _wide(frames: Sequence[pl.DataFrame], results: Results, grouped: bool, intervals: bool) -> pl.DataFrame:
    columns = [frames[0]["place"], frames[0]["run"]]
    for frame, measure in zip(frames, results.measures, strict=True):
        whole = measure.aggregate == "sum"
        columns.append((frame["value"].cast(pl.Int64) if whole else frame["value"]).alias(str(measure)))
        if intervals and not whole:
            columns += [frame[end].alias(f"{measure} {end}") for end in ("low", "high")]
        if grouped:
            columns.append(frame["groups"].alias(f"{measure} groups"))
    return pl.DataFrame(columns)


def _caption(comparison: Comparison, signs: str, intervals: bool) -> str:
    """The legend of letters or signs, the test with its family, and which runs are tied with the leader."""
    level = f"{p_label(comparison)} < {comparison.alpha:g}"
    confidence = f"{100 * (1 - comparison.alpha):.6g} %"
    ends = [f"low and high: {confidence} CI of the mean of one run by Student's t, which decides no comparison"]
    if not comparison.baselines:
        letter = f"Runs that share a letter do not differ significantly ({level})"
        return caption_of([letter, how(comparison), *conclusions(comparison), *ends * intervals])
    each = [
        f"{sign} significantly better than {name}, {sign}{WORSE} significantly worse ({level})"
        for sign, name in zip(signs, comparison.baselines, strict=True)
    ]
    return caption_of([*each, how(comparison), *ends * intervals])
