"""Several runs of one system, such as those of different seeds: their mean is compared, and what they vary is told.

The layout is two-way, topics x runs, with the runs within systems. On each topic the value of a system is the mean over
its runs; the tests pair these means by topic. That asks whether systems differ in the mean over these runs on further
topics. How much hangs on the runs themselves is another question, answered by the shares of variance.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.model.arrays import Floats, Ints
from assay.results.results import Results

SOURCES = ("topic", "system", "run", "topic x system", "topic x run")
"""Sources of variance: topics, systems and runs within systems, each alone and with topics."""


def assign_systems(runs: tuple[str, ...], systems: Mapping[str, str]) -> tuple[tuple[str, ...], Ints]:
    """The names of the systems in the order of their first runs, and the number of the system of each run.

    A run that *systems* does not name is a system by itself, so that a name that no run has must be a slip.
    """
    for run in systems:
        if run not in runs:
            raise InputError(f"systems: there is no run {run}{suggestion(run, runs)}")
    of = [systems.get(run, run) for run in runs]
    for run in runs:
        if run not in systems and run in systems.values():
            raise InputError(f"systems: {run} is the name of a system and of a run that is of no system; rename one")
    names = tuple(dict.fromkeys(of))
    return names, np.array([names.index(system) for system in of], dtype=np.int64)


def average_by_system(results: Results, systems: Mapping[str, str]) -> Results:
    """The results of systems: on each topic the mean over the runs of a system.

    A topic that one of its runs lacks does not count for a system: a mean over fewer runs is not comparable.
    """
    names, number = assign_systems(results.runs, systems)
    counts = np.bincount(number, minlength=len(names))
    share = (number == np.arange(len(names))[:, None]) / counts[:, None]
    return Results(
        runs=names,
        topics=results.topics,
        measures=results.measures,
        values=np.stack([_means(values, number, len(names)) for values in results.values]),
        errors=np.sqrt(np.einsum("sr,mrt->mst", share**2, results.errors**2)),
        provenance=results.provenance,
        notes=results.notes,
    )


def _means(values: Floats, number: Ints, systems: int) -> Floats:
    """Runs x topics to systems x topics; a system of one run keeps its values to the last digit."""
    return np.stack([values[number == system].mean(axis=0) for system in range(systems)])


def decompose_variance(results: Results, systems: Mapping[str, str]) -> pl.DataFrame:
    r"""Analyse the variance of values: ``measure, source, squares, degrees, share, f, p``.

    The sum of squares around the mean of all values is taken apart,

    .. math:: \sum_{r,t} (y_{rt} - \bar y)^2 = SS_{topic} + SS_{system} + SS_{run} + SS_{topic x system}
        + SS_{topic x run},

    where *run* is how runs differ within their systems, and *topic x run* what is left. *degrees* are the degrees of
    freedom and *share* is the part of the whole (null if nothing varies). Topics that some run lacks are left out. If
    every run is a system by itself, *run* and *topic x run* are 0.

    *f* is the mean square of a source over that of what it would vary by anyway, and *p* how likely so large an f is by
    chance: systems are held against the runs within them (another seed is another run), runs and topic x system against
    what is left, and without several runs of a system all against topic x system. Null where nothing is left to hold
    a source against.

    References
    ----------
    Tague-Sutcliffe and Blustein, *A statistical analysis of the TREC-3 data*, TREC-3, 1994.
    """
    names, number = assign_systems(results.runs, systems)
    rows = []
    for measure, values in zip(results.measures, results.values, strict=True):
        complete = values[:, ~np.isnan(values).any(axis=0)]
        squares, degrees = _parts(complete, number, len(names))
        whole, rounding = sum(squares), 1e-24 * float(np.square(complete).sum())
        tested = _tested(squares, degrees, rounding)
        for name, part, freedom, test in zip(SOURCES, squares, degrees, tested, strict=True):
            rows.append((str(measure), name, part, freedom, part / whole if whole > rounding else None, *test))
    kinds = {"measure": pl.String, "source": pl.String, "squares": pl.Float64, "degrees": pl.Int64}
    numbers = dict.fromkeys(("share", "f", "p"), pl.Float64)
    return pl.DataFrame(rows, schema={**kinds, **numbers}, orient="row")


def _tested(squares: list[float], degrees: list[int], rounding: float) -> list[tuple[float | None, float | None]]:
    """F and p of each source."""
    from scipy.special import fdtrc

    topic, system, run, crossed, rest = range(len(SOURCES))
    several = degrees[run] > 0
    against = {topic: rest, system: run, run: rest, crossed: rest} if several else {topic: crossed, system: crossed}
    found: list[tuple[float | None, float | None]] = []
    for place in range(len(SOURCES)):
        error = against.get(place)
        if error is None or not degrees[place] or not degrees[error] or squares[error] <= rounding:
            found.append((None, None))
            continue
        f = squares[place] / degrees[place] / (squares[error] / degrees[error])
        found.append((f, float(fdtrc(degrees[place], degrees[error], f))))
    return found


def _parts(values: Floats, number: Ints, systems: int) -> tuple[list[float], list[int]]:
    """Sums of squares and degrees of freedom in the order of SOURCES; without topics all are 0."""
    runs, topics = values.shape
    if not topics:
        return [0.0] * len(SOURCES), [0] * len(SOURCES)
    mean, by_topic, by_run = values.mean(), values.mean(axis=0), values.mean(axis=1)
    cell = _means(values, number, systems)[number]  # of the system of each run, so that larger systems weigh more
    by_own_system = cell.mean(axis=1)
    squares = [
        runs * ((by_topic - mean) ** 2).sum(),
        topics * ((by_own_system - mean) ** 2).sum(),
        topics * ((by_run - by_own_system) ** 2).sum(),
        ((cell - by_own_system[:, None] - by_topic + mean) ** 2).sum(),
        ((values - cell - (by_run - by_own_system)[:, None]) ** 2).sum(),
    ]
    alone = [topics - 1, systems - 1, runs - systems]
    degrees = [*alone, alone[0] * alone[1], alone[0] * alone[2]]
    return [float(part) if free else 0.0 for part, free in zip(squares, degrees, strict=True)], degrees
