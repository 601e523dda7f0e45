"""Systems with several runs, such as runs with different seeds: means over runs, and analysis of variance.

The design is topics x runs, with runs nested within systems. On each topic, the value of a system is the mean over its
runs, and tests pair these means by topic. The tests answer whether systems would differ on further topics, on average
over these runs. The analysis of variance answers a separate question: how much the runs of a system differ.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.model.arrays import Floats, Ints
from assay.results.results import Results

SOURCES = ("topic", "system", "run", "topic x system", "topic x run")
"""Sources of variance: topics, systems, runs within systems, and their interactions with topics."""


def assign_systems(runs: tuple[str, ...], systems: Mapping[str, str]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the systems, in the order of their first runs, and the index of the system of each run.

    A run that is not in *systems* counts as a system with one run. A name in *systems* that no run has is an error.
    """
    for run in systems:
        if run not in runs:
            raise InputError(f"systems: there is no run {run}{suggestion(run, runs)}")
    system_of_run = [systems.get(run, run) for run in runs]
    for run in runs:
        if run not in systems and run in systems.values():
            raise InputError(
                f"systems: {run} is the name of a system and also of a run without a system; rename one of them"
            )
    names = tuple(dict.fromkeys(system_of_run))
    return names, np.array([names.index(system) for system in system_of_run], dtype=np.int64)


def average_by_system(results: Results, systems: Mapping[str, str]) -> Results:
    """Return the results of systems: on each topic, the mean over the runs of the system.

    A topic counts for a system only if all of its runs have a value, because means over fewer runs are not comparable.
    """
    names, system = assign_systems(results.runs, systems)
    counts = np.bincount(system, minlength=len(names))
    weight = (system == np.arange(len(names))[:, None]) / counts[:, None]
    return Results(
        runs=names,
        topics=results.topics,
        measures=results.measures,
        values=np.stack([_average_runs(values, system, len(names)) for values in results.values]),
        errors=np.sqrt(np.einsum("sr,mrt->mst", weight**2, results.errors**2)),
        provenance=results.provenance,
        notes=results.notes,
    )


def _average_runs(values: Floats, system: Ints, system_count: int) -> Floats:
    """Average runs x topics to systems x topics; the values of a system with one run do not change."""
    return np.stack([values[system == index].mean(axis=0) for index in range(system_count)])


def decompose_variance(results: Results, systems: Mapping[str, str]) -> pl.DataFrame:
    r"""Analyse the variance of values: ``measure, source, squares, degrees, share, f, p``.

    The sum of squares about the mean of all values is decomposed as

    .. math:: \sum_{r,t} (y_{rt} - \bar y)^2 = SS_{topic} + SS_{system} + SS_{run} + SS_{topic x system}
        + SS_{topic x run},

    where *run* is the variation of runs within their systems, and *topic x run* is the residual. *degrees* are the
    degrees of freedom, and *share* is the fraction of the total sum of squares (null if the total is 0). Topics for
    which some run has no value are excluded. If every system has one run, *run* and *topic x run* are 0.

    *f* is the mean square of a source divided by the mean square of its error term, and *p* is the probability of an f
    at least this large under the null hypothesis. The error term of systems is the variation of runs within systems
    (another seed is another run). The error term of topics, runs and topic x system is the residual. If every system
    has one run, the error term is topic x system. *f* and *p* are null for a source without an error term.

    References
    ----------
    Tague-Sutcliffe and Blustein, *A statistical analysis of the TREC-3 data*, TREC-3, 1994.
    """
    names, system = assign_systems(results.runs, systems)
    rows = []
    for measure, values in zip(results.measures, results.values, strict=True):
        complete = values[:, ~np.isnan(values).any(axis=0)]
        squares, degrees = _sum_squares(complete, system, len(names))
        total, rounding = sum(squares), 1e-24 * float(np.square(complete).sum())
        tests = _test_sources(squares, degrees, rounding)
        for name, part, freedom, test in zip(SOURCES, squares, degrees, tests, strict=True):
            rows.append((str(measure), name, part, freedom, part / total if total > rounding else None, *test))
    types = {"measure": pl.String, "source": pl.String, "squares": pl.Float64, "degrees": pl.Int64}
    statistics = dict.fromkeys(("share", "f", "p"), pl.Float64)
    return pl.DataFrame(rows, schema={**types, **statistics}, orient="row")


def _test_sources(squares: list[float], degrees: list[int], rounding: float) -> list[tuple[float | None, float | None]]:
    """Return F and p of each source; None for a source without an error term."""
    from scipy.special import fdtrc

    topic, system, run, topic_system, residual = range(len(SOURCES))
    if degrees[run] > 0:
        error_terms = {topic: residual, system: run, run: residual, topic_system: residual}
    else:
        error_terms = {topic: topic_system, system: topic_system}
    tests: list[tuple[float | None, float | None]] = []
    for source in range(len(SOURCES)):
        error = error_terms.get(source)
        if error is None or not degrees[source] or not degrees[error] or squares[error] <= rounding:
            tests.append((None, None))
            continue
        f = squares[source] / degrees[source] / (squares[error] / degrees[error])
        tests.append((f, float(fdtrc(degrees[source], degrees[error], f))))
    return tests


def _sum_squares(values: Floats, system: Ints, system_count: int) -> tuple[list[float], list[int]]:
    """Return sums of squares and degrees of freedom in the order of ``SOURCES``; all are 0 without topics."""
    run_count, topic_count = values.shape
    if not topic_count:
        return [0.0] * len(SOURCES), [0] * len(SOURCES)
    mean, by_topic, by_run = values.mean(), values.mean(axis=0), values.mean(axis=1)
    # For each run, the mean of its system on each topic. Sums over runs therefore weight a system by its run count.
    cell = _average_runs(values, system, system_count)[system]
    by_system = cell.mean(axis=1)
    squares = [
        run_count * ((by_topic - mean) ** 2).sum(),
        topic_count * ((by_system - mean) ** 2).sum(),
        topic_count * ((by_run - by_system) ** 2).sum(),
        ((cell - by_system[:, None] - by_topic + mean) ** 2).sum(),
        ((values - cell - (by_run - by_system)[:, None]) ** 2).sum(),
    ]
    main_effects = [topic_count - 1, system_count - 1, run_count - system_count]
    degrees = [*main_effects, main_effects[0] * main_effects[1], main_effects[0] * main_effects[2]]
    # A source without degrees of freedom has a sum of squares of 0 except for rounding.
    return [float(part) if freedom else 0.0 for part, freedom in zip(squares, degrees, strict=True)], degrees
