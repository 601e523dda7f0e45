"""The bounds of RBP against the depth of evaluation and against the persistence, for pools of several depths.

The value of a ranking lies between the value of its judged documents and that plus the residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.io.problems import shown
from assay.measures._possible_grades import gains_of, possible_grades
from assay.measures._threshold import refuse_unreached
from assay.measures.rank_biased import RBP
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import whole
from assay.model.grade_codes import ungraded
from assay.model.notes import count
from assay.model.policies import refuse_expected
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts
from assay.uncertainty._numbers import several

PERSISTENCES = (0.5, 0.8, 0.95)
"""The persistences of figure 5."""
MANY_PERSISTENCES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The persistences of bounds against the persistence."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)
AGAINST = ("depth", "p")
_NAMED = 4  # persistences that a summary names
_ENDS = {"lower": "low", "upper": "high"}


@dataclass(frozen=True, eq=False)
class ResidualCurves(Report):
    """Bounds of RBP by run, pool, persistence and depth of evaluation.

    Attributes
    ----------
    runs, pools, persistences, depths
        The axes of the bounds; a pool of None is all judgments, a depth of None whole rankings.
    lower, residual
        Runs x pools x persistences x depths: the mean over topics; the upper bound is their sum.
    against
        ``depth`` or ``p``: what distinguishes the lines of the table.
    """

    runs: tuple[str, ...]
    pools: tuple[int | None, ...]
    persistences: tuple[float, ...]
    depths: tuple[int | None, ...]
    lower: Floats
    residual: Floats
    provenance: Provenance
    notes: tuple[str, ...] = ()
    against: str = "depth"

    name = "residual"
    tables: ClassVar[Mapping[str, str]] = {"bounds": "the bounds of RBP, by depth of evaluation or persistence"}

    def __repr__(self) -> str:
        axes = (("run", self.runs), ("pool", self.pools), ("persistence", self.persistences), ("depth", self.depths))
        return f"ResidualCurves({' x '.join(count(len(values), name) for name, values in axes)})"

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

    def summary(self) -> str:
        """Return the uncertainty of each persistence at the largest depth, in the mean over runs."""
        if not self.residual.size:
            return ""
        deepest = max(range(len(self.depths)), key=lambda place: self.depths[place] or np.inf)
        residuals = self.residual[:, -1, :, deepest].mean(axis=0)
        named = [f"{one:.4f} at p = {p:g}" for p, one in sorted(zip(self.persistences, residuals, strict=True))]
        shown = named if len(named) <= _NAMED else [named[0], "…", named[-1]]
        depth = self.depths[deepest]
        where = ", and all after the end of a ranking," if depth is None else f" to depth {depth}, and all after it,"
        over = "" if len(self.runs) == 1 else f" in the mean over {len(self.runs)} runs"
        return f"Unjudged documents{where} can add to RBP{over} up to {', '.join(shown)}."

    def _show_bounds(self) -> Table:
        frame = self.frame()
        compact = self._by_depth(frame) if self.against == "depth" else self._by_persistence(frame)
        return Table(
            frame,
            compact,
            heading="run",
            caption="low, high: mean RBP if no unjudged document is relevant, and if all are, as well as all that "
            "follow the last document looked at",
        )

    def _by_depth(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each run, pool and depth, with the bounds by each persistence side by side."""
        first = frame.filter(pl.col("p") == self.persistences[0])
        columns = [_headings(first), _depths(first["depth"])]
        for p in self.persistences:
            rows = frame.filter(pl.col("p") == p)
            columns += [rows[end].alias(f"p={p:g} {label}") for end, label in _ENDS.items()]
        return pl.DataFrame(columns)

    def _by_persistence(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each run, pool, persistence and depth."""
        depth = [_depths(frame["depth"])] if frame["depth"].null_count() < len(frame) else []
        p = pl.Series("p", [f"{p:g}" for p in frame["p"]], dtype=pl.String)
        ends = [frame[end].alias(label) for end, label in _ENDS.items()]
        return pl.DataFrame([_headings(frame), p, *depth, *ends, frame["residual"]])


def _headings(frame: pl.DataFrame) -> pl.Series:
    """Return the run and, if there are several, the pool of each row."""
    if frame["pool"].null_count() == len(frame):
        return frame["run"]
    depth = pl.concat_str(pl.lit("pool of depth "), pl.col("pool")).fill_null("all judgments")
    return frame.select(pl.concat_str("run", pl.lit(", "), depth).alias("run")).to_series()


def _depths(depth: pl.Series) -> pl.Series:
    """Return depths as whole numbers; as texts if whole rankings are among them."""
    if not depth.null_count():
        return depth
    return align_texts(pl.Series("depth", ["all" if one is None else str(one) for one in depth], dtype=pl.String))


class _Counts(NamedTuple):
    """Runs x ranks, summed over topics: gains, and the number of unjudged documents."""

    gain: Floats
    unjudged: Floats


@check_arguments
def residual(
    campaign: Campaign,
    p: float | Iterable[float] | None = None,
    *,
    against: str = "depth",
    depths: int | Iterable[int | None] | None = None,
    pools: int | Iterable[int] = (),
    runs: str | Iterable[str] | None = None,
    topics: str | Iterable[str] | None = None,
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
        Persistences; by default 0.5, 0.8 and 0.95, against the persistence 0.1 to 0.99.
    against
        ``depth``: bounds by depth of evaluation; ``p``: bounds of whole rankings by persistence. Decides the default
        of *p* and *depths* and the lines of the table.
    depths
        Numbers of documents of each ranking that are looked at, None for all; by default 1, 2, 5, 10, 20, 50 and 100,
        against the persistence all.
    pools
        Depths of pools whose judgments are used, beside all judgments.
    runs
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
    >>> curves = residual(campaign, [0.5], depths=[1, 2, 3])
    >>> curves.frame().select("depth", "lower", "upper").rows()
    [(1, 0.5, 1.0), (2, 0.5, 0.75), (3, 0.5, 0.75)]
    """
    refuse_expected(campaign.policies.ties, "depths cut through tied documents")
    if against not in AGAINST:
        raise InputError(f"against {shown(against)}: choose depth or p{suggestion(str(against), AGAINST)}")
    default_p, default_depths = (PERSISTENCES, DEPTHS) if against == "depth" else (MANY_PERSISTENCES, (None,))
    chosen_p = dict.fromkeys(default_p if p is None else several(p))
    measures = [RBP(p=one, gains=gains, rel=rel, max_rel=max_rel) for one in chosen_p]
    looked = _check_limits("depths", default_depths if depths is None else several(depths))
    pooled = [*(pool for pool in _check_limits("pools", several(pools)) if pool is not None), None]
    levels, longest = campaign.whole.levels, campaign.whole.longest
    refuse_unreached(measures, levels)
    chosen = campaign.select(runs, topics)
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
            for counts in (_count(_pool(campaign, pool).select(runs, topics), table) for pool in pooled)
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
        provenance=chosen.provenance.with_settings(
            p=list(persistences),
            against=against,
            depths=looked,
            pools=pooled[:-1],
            gains=str(gains),
            rel=rel,
            max_rel=max_rel,
        ),
        notes=campaign.notes,
        against=against,
    )


def _check_limits(name: str, limits: Iterable[int | None]) -> list[int | None]:
    return [*dict.fromkeys(None if limit is None else whole(name, limit, 1) for limit in limits)]


def _pool(campaign: Campaign, depth: int | None) -> Campaign:
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
