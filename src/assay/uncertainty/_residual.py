"""The bounds of RBP against the depth of evaluation and against the persistence, for pools of several depths.

The value of a ranking lies between the value of its judged documents and that plus the residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures._possible_grades import gains_of, possible_grades
from assay.measures._threshold import refuse_unreached
from assay.measures.rank_biased import RBP
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import whole
from assay.model.grade_codes import ungraded
from assay.model.policies import refuse_expected

PERSISTENCES = (0.5, 0.8, 0.95)
"""The persistences of figure 5."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class ResidualCurves:
    """Bounds of RBP by run, pool, persistence and depth of evaluation.

    Attributes
    ----------
    runs, pools, persistences, depths
        The axes of the bounds; a pool of None is all judgments, a depth of None whole rankings.
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
        """Return run, pool (null: all judgments), p, depth (null: whole rankings), lower, upper, residual."""
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
    """Runs x ranks, summed over topics: gains, and the number of unjudged documents."""

    gain: Floats
    unjudged: Floats


@check_arguments
def residual_curves(
    campaign: Campaign,
    p: Iterable[float] = PERSISTENCES,
    *,
    depths: Iterable[int | None] = DEPTHS,
    pools: Iterable[int | None] = (None,),
    only: str | Sequence[str] | None = None,
    topics: str | Sequence[str] | None = None,
    gains: Any = "binary",
    rel: float | None = None,
    max_rel: float | None = None,
) -> ResidualCurves:
    r"""Bound RBP for every persistence, depth of evaluation and depth of the pool, in the mean over topics.

    .. math:: residual = g_{max} \left( p^n + (1 - p) \sum_{i \le n: d_i \text{ unjudged}} p^{i-1} \right)

    is the most that the unjudged documents of a ranking of n documents, and those after its end, could add. The pool of
    depth d holds the judgments of documents that are among the first d of some run.

    Parameters
    ----------
    campaign
        Judgments and runs; ties must be broken. All runs contribute to the pools.
    p
        Persistences.
    depths
        Numbers of documents of each ranking that are looked at; None for all.
    pools
        Depths of pools; None for all judgments.
    only
        Bounds of these runs only; the others still contribute to the pools.
    topics
        The mean over these topics; by default over all.
    gains, rel, max_rel
        As in ``RBP``.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), figures 5 and
    6.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 1, "b": 0}}, {"q": {"a": 3, "b": 2, "c": 1}})
    >>> curves = residual_curves(campaign, [0.5], depths=[1, 2, 3])
    >>> curves.frame().select("depth", "lower", "upper").rows()
    [(1, 0.5, 1.0), (2, 0.5, 0.75), (3, 0.5, 0.75)]
    """
    refuse_expected(campaign.policies.ties, "depths cut through tied documents")
    measures = [RBP(p=one, gains=gains, rel=rel, max_rel=max_rel) for one in p]
    looked, pooled = _limits("depths", depths), _limits("pools", pools)
    levels, longest = campaign.whole.levels, campaign.whole.longest
    refuse_unreached(measures, levels)
    chosen = campaign.select(only, topics)
    if not chosen.topics:
        raise InputError("topics: name at least one topic")
    scale = RBP(p=0.5, gains=gains, rel=rel, max_rel=max_rel)
    table, possible = gains_of(scale, levels, possible_grades(scale, levels))
    length = chosen.whole.length.reshape(chosen.shape)
    ends = np.array([min(depth or longest, longest) for depth in looked], dtype=np.int64)
    persistences = tuple(float(measure.p or 0) for measure in measures)
    bounds = np.array(
        [
            [_bounds(p, counts, length, ends) for p in persistences]
            for counts in (_count(_pooled(campaign, pool).select(only, topics), table) for pool in pooled)
        ]
    ).reshape(len(pooled), len(measures), 2, len(chosen.runs), len(looked))
    lower, residual = bounds.transpose(2, 3, 0, 1, 4) / len(chosen.topics)
    return ResidualCurves(
        runs=chosen.runs,
        pools=tuple(pooled),
        persistences=persistences,
        depths=tuple(looked),
        lower=lower,
        residual=residual * possible.max(),
        provenance=campaign.provenance.as_dict(),
        notes=campaign.notes,
    )


def _limits(name: str, limits: Iterable[int | None]) -> list[int | None]:
    return [None if limit is None else whole(name, limit, 1) for limit in limits]


def _pooled(campaign: Campaign, depth: int | None) -> Campaign:
    return campaign if depth is None else campaign.pool(depth)


def _count(campaign: Campaign, gain: Floats) -> _Counts:
    """Add gains and count unjudged documents by run and rank.

    Topics are added up first: any number of persistences and depths follow from these few numbers.
    """
    judged = campaign.whole
    shape = (len(campaign.runs), judged.longest)
    cell = judged.ranking() // len(campaign.topics) * judged.longest + judged.rank() - 1
    open_ = ungraded(judged.code, judged.levels)
    total = np.bincount(cell[~open_], weights=gain[judged.code[~open_]], minlength=shape[0] * shape[1])
    unjudged = np.bincount(cell[open_], minlength=shape[0] * shape[1])
    return _Counts(total.reshape(shape).astype(np.float64), unjudged.reshape(shape).astype(np.float64))


def _bounds(p: float, counts: _Counts, length: Ints, ends: Ints) -> tuple[Floats, Floats]:
    """Return the lower bound and the residual of gain 1 for each run and end of evaluation, summed over topics."""
    weight = (1 - p) * np.power(p, np.arange(counts.gain.shape[1], dtype=np.float64))
    nothing = np.zeros((len(length), 1))
    lower = np.hstack([nothing, np.cumsum(counts.gain * weight, axis=1)])[:, ends]
    unjudged = np.hstack([nothing, np.cumsum(counts.unjudged * weight, axis=1)])[:, ends]
    tails = [np.power(p, np.minimum(length, end)).sum(axis=1) for end in ends.tolist()]
    return lower, unjudged + np.array(tails).reshape(len(ends), len(length)).T
