"""Leaderboards that say which runs cannot be told apart: letters, or daggers for those that beat a baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.analyses.compare.comparing import Comparison
from assay.analyses.compare.groups import letters
from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.results.table import Results
from assay.views.compare import how
from assay.views.tables import Table

SYMBOLS = "†‡§¶"
COLUMNS = ("measure", "run", "place", "value", "low", "high", "topics", "groups", "beats", "better_than", "worse_than")


def leaderboard(
    comparison: Comparison, *, top: int | None = None, intervals: bool = False, symbols: str | None = None
) -> Table:
    """The runs, best first by the first measure, with the groups of each measure or with signs for baselines.

    Two runs share a letter if and only if they do not differ significantly. With baselines only the comparisons with
    them were made: a sign behind a value says that it is significantly better than that of a baseline.

    Tidy: ``measure, run, place, value, low, high, topics, groups, beats, better_than, worse_than``. *place* is by the
    measure of the row, shared by equal runs; *low* and *high* are the interval of the value over topics; *groups* are
    the letters (null with baselines), *beats* the baselines than which the run is significantly better (null without
    baselines); *better_than* and *worse_than* count the runs that are significantly worse and
    better, among those it was compared with.

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
        caption=_caption(comparison, signs),
    )


def _uneven(results: Results) -> list[str]:
    """That means are over different topics, so that places may be owed to easy ones."""
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
    return chosen[: len(baselines)]


def _rows(comparison: Comparison, measure: Measure, signs: str) -> pl.DataFrame:
    """Every run by one measure, in the order of the results."""
    results = comparison.results
    overall = results.overall()[:, results.measures.index(measure)]
    worth = np.nan_to_num(-overall if measure.lower_is_better else overall, nan=-np.inf)
    different = comparison.matrix(measure) < comparison.alpha
    above = different & (_ahead(comparison, measure) > 0)
    base = [results.runs.index(name) for name in comparison.baselines]
    best_first = [results.runs.index(run) for run in results.best(measure)]
    means = results.means(1 - comparison.alpha).filter(pl.col("measure") == str(measure))
    return means.with_columns(
        place=pl.Series(1 + (worth[:, None] < worth).sum(axis=1), dtype=pl.Int64),
        groups=pl.Series([None] * len(overall) if base else letters(different, best_first), dtype=pl.String),
        better_than=pl.Series(above.sum(axis=1), dtype=pl.Int64),
        worse_than=pl.Series(above.sum(axis=0), dtype=pl.Int64),
        beats=pl.Series(
            [" ".join(results.runs[i] for i in base if row[i]) if base else None for row in above], dtype=pl.String
        ),
        signs=pl.Series([_beaten(row, base, signs) for row in above], dtype=pl.String),
    ).select(*COLUMNS, "signs")


def _ahead(comparison: Comparison, measure: Measure) -> Floats:
    """Runs x runs: by how much the run of the row is better, over the topics of the pair."""
    difference = comparison.matrix(measure, "difference")
    return -difference if measure.lower_is_better else difference


def _beaten(above: Bools, base: Sequence[int], signs: str) -> str:
    return "".join(sign for sign, baseline in zip(signs, base, strict=True) if above[baseline])


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


def _caption(comparison: Comparison, signs: str) -> str:
    if not comparison.baselines:
        return f"Runs that share a letter do not differ significantly at {comparison.alpha:g} ({how(comparison)})"
    beaten = ", ".join(f"{sign} {name}" for sign, name in zip(signs, comparison.baselines, strict=True))
    return f"Significantly better at {comparison.alpha:g} than {beaten} ({how(comparison)})"
