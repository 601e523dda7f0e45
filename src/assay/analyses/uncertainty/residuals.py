r"""The bounds of RBP against the depth of evaluation and against the persistence, for pools of several depths.

The value of a ranking lies between what its judged documents give and that plus the residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.analyses.grades import gains_of, possible_grades
from assay.analyses.uncertainty._campaign import Campaign, read_campaign
from assay.analyses.uncertainty._stakes import numbers_of
from assay.inputs import Progress
from assay.measures._threshold import refuse_unreached
from assay.measures.rank_biased import RBP
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.checks import whole
from assay.model.policies import refuse_expected

PERSISTENCES = (0.5, 0.8, 0.95)
"""Those of figure 5."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class ResidualCurves:
    """What :func:`residual_curves` returns.

    Attributes
    ----------
    runs, pools, persistences, depths
        What the bounds are for; a pool or a depth of None is all judgments, and whole rankings.
    lower, residual
        Runs x pools x persistences x depths: the mean over topics; the upper bound is their sum.
    """

    runs: tuple[str, ...]
    pools: tuple[int | None, ...]
    persistences: tuple[float, ...]
    depths: tuple[int | None, ...]
    lower: Floats
    residual: Floats
    provenance: dict[str, Any]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"ResidualCurves({' x '.join(map(str, self.lower.shape))} bounds)"

    def frame(self) -> pl.DataFrame:
        """A polars frame: run, pool, p, depth, lower, upper, residual; pool and depth are null where all counts."""
        at = np.unravel_index(np.arange(self.lower.size), self.lower.shape)
        axes = {
            "run": pl.Series(self.runs, dtype=pl.String),
            "pool": pl.Series(self.pools, dtype=pl.Int64),
            "p": pl.Series(self.persistences, dtype=pl.Float64),
            "depth": pl.Series(self.depths, dtype=pl.Int64),
        }
        columns = {name: values.gather(place) for (name, values), place in zip(axes.items(), at, strict=True)}
        lower, residual = self.lower.ravel(), self.residual.ravel()
        return pl.DataFrame({**columns, "lower": lower, "upper": lower + residual, "residual": residual})


class _Counts(NamedTuple):
    """For some runs and ranks, over topics: the sum of gains, and how many documents are not judged."""

    gain: Floats
    unjudged: Floats


@check_arguments
def residual_curves(
    qrels: Any,
    runs: Any,
    p: Iterable[float] = PERSISTENCES,
    *,
    depths: Iterable[int | None] = DEPTHS,
    pools: Iterable[int | None] = (None,),
    only: str | Sequence[str] | None = None,
    topics: str | Sequence[str] | None = None,
    gains: Any = "binary",
    rel: float | None = None,
    max_rel: float | None = None,
    ties: str = "trec_eval-10",
    lenient: bool = False,
    progress: Progress | None = None,
) -> ResidualCurves:
    r"""Bound RBP for every persistence, depth of evaluation and depth of the pool, in the mean over topics.

    .. math:: residual = g_{max} \left( p^n + (1 - p) \sum_{i \le n: d_i \text{ unjudged}} p^{i-1} \right)

    is what the unjudged documents of a ranking of n documents, and those behind its end, could add. The pool of depth d
    holds the judgments of documents that are among the first d of some run.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``; all runs contribute to the pools.
    p
        Persistences.
    depths
        How many documents of each ranking are looked at; None for all.
    pools
        Depths of pools; None for all judgments.
    only
        Bounds of these runs only; the others still contribute to the pools.
    topics
        The mean over these topics; by default over all.
    gains, rel, max_rel
        As in ``RBP``.
    ties, lenient, progress
        As in ``evaluate``; ties cannot be ``expected``.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), figures 5 and
    6.

    Examples
    --------
    >>> curves = residual_curves({"q": {"a": 1, "b": 0}}, {"q": {"a": 3, "b": 2, "c": 1}}, [0.5], depths=[1, 2, 3])
    >>> curves.frame().select("depth", "lower", "upper").rows()
    [(1, 0.5, 1.0), (2, 0.5, 0.75), (3, 0.5, 0.75)]
    """
    refuse_expected(ties, "depths cut through tied documents")
    measures = [RBP(p=one, gains=gains, rel=rel, max_rel=max_rel) for one in p]
    looked, pooled = _limits("depths", depths), _limits("pools", pools)
    campaign = read_campaign(qrels, runs, ties, lenient=lenient, progress=progress)
    refuse_unreached(measures, campaign.levels)
    shown, chosen = numbers_of(campaign.runs, only, "run"), numbers_of(campaign.topics, topics, "topic")
    scale = RBP(p=0.5, gains=gains, rel=rel, max_rel=max_rel)
    table, possible = gains_of(scale, campaign.levels, possible_grades(scale, campaign.levels))
    length = campaign.length[np.ix_(shown, chosen)]
    ends = np.array([min(depth or campaign.longest, campaign.longest) for depth in looked], dtype=np.int64)
    persistences = tuple(float(measure.p or 0) for measure in measures)
    found = np.array(
        [
            [_bounds(p, counts, length, ends) for p in persistences]
            for counts in _counted(campaign, table, (shown, chosen), pooled)
        ]
    ).reshape(len(pooled), len(measures), 2, len(shown), len(looked))
    lower, residual = found.transpose(2, 3, 0, 1, 4) / len(chosen)
    return ResidualCurves(
        runs=tuple(campaign.runs[run] for run in shown),
        pools=tuple(pooled),
        persistences=persistences,
        depths=tuple(looked),
        lower=lower,
        residual=residual * possible.max(),
        provenance=campaign.provenance.as_dict(),
        notes=campaign.notes,
    )


def _limits(name: str, given: Iterable[int | None]) -> list[int | None]:
    return [None if limit is None else whole(name, limit, 1) for limit in given]


def _counted(
    campaign: Campaign, gain: Floats, some: tuple[list[int], list[int]], pools: list[int | None]
) -> Iterator[_Counts]:
    """For each pool, gains and unjudged documents of some runs and topics by run and rank.

    Added over topics at once: any number of persistences and depths follow from these few numbers.
    """
    rows, cell = _rows(campaign, *some)
    shape = (len(some[0]), campaign.longest)
    worth = gain[campaign.code[rows]]
    for kept in _pools(campaign, pools, rows):
        found = np.bincount(cell[kept], weights=worth[kept], minlength=shape[0] * shape[1]).astype(np.float64)
        unjudged = np.bincount(cell[~kept], minlength=shape[0] * shape[1]).astype(np.float64)
        yield _Counts(found.reshape(shape), unjudged.reshape(shape))


def _rows(campaign: Campaign, runs: list[int], topics: list[int]) -> tuple[Ints, Ints]:
    """The rows of some runs and topics, and the cell of each in a table of these runs and all ranks."""
    place = np.full(len(campaign.runs), -1)
    place[runs] = np.arange(len(runs))
    run = place[campaign.ranking // len(campaign.topics)]
    wanted = np.zeros(len(campaign.topics), dtype=bool)
    wanted[topics] = True
    rows = np.flatnonzero((run >= 0) & wanted[campaign.ranking % len(campaign.topics)])
    return rows, run[rows] * campaign.longest + campaign.rank[rows] - 1


def _pools(campaign: Campaign, pools: list[int | None], rows: Ints) -> list[Bools]:
    """For each pool, which of *rows* are judged in it."""
    judged = ~campaign.unsettled()
    known = np.flatnonzero(judged)
    _, which = np.unique(campaign.key[known], return_inverse=True)
    best = np.full(int(which.max(initial=-1)) + 1, campaign.longest + 1)
    np.minimum.at(best, which, campaign.rank[known])
    first = np.full(len(judged), campaign.longest + 1)
    first[known] = best[which]
    return [judged[rows] if pool is None else judged[rows] & (first[rows] <= pool) for pool in pools]


def _bounds(p: float, counts: _Counts, length: Ints, ends: Ints) -> tuple[Floats, Floats]:
    """For each run and end of evaluation, over topics: the lower bound and the residual of gain 1."""
    weight = (1 - p) * np.power(p, np.arange(counts.gain.shape[1], dtype=np.float64))
    nothing = np.zeros((len(length), 1))
    lower = np.hstack([nothing, np.cumsum(counts.gain * weight, axis=1)])[:, ends]
    unjudged = np.hstack([nothing, np.cumsum(counts.unjudged * weight, axis=1)])[:, ends]
    tails = [np.power(p, np.minimum(length, end)).sum(axis=1) for end in ends.tolist()]
    return lower, unjudged + np.array(tails).reshape(len(ends), len(length)).T
