"""Bounds of RBP by depth of evaluation and by persistence, for pools of several depths.

The value of a ranking lies between the value of its judged documents (the lower bound) and the lower bound plus the
residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.io.problems import format_value
from assay.measures._possible_grades import possible_grades, tabulate_gains
from assay.measures._threshold import check_thresholds
from assay.measures.rank_biased import RBP
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_integer
from assay.model.grade_codes import mask_ungraded
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts
from assay.uncertainty._numbers import as_tuple

PERSISTENCES = (0.5, 0.8, 0.95)
"""Default persistences of bounds by depth (figure 5 of the reference)."""
MANY_PERSISTENCES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Default persistences of bounds by persistence."""
DEPTHS = (1, 2, 5, 10, 20, 50, 100)
AGAINST = ("depth", "p")
_NAMED = 4  # persistences that a summary names
_BOUND_LABELS = {"lower": "low", "upper": "high"}


@dataclass(frozen=True, eq=False)
class ResidualCurves(Report):
    """Bounds of RBP by run, pool, persistence and depth of evaluation.

    Attributes
    ----------
    runs, pools, persistences, depths
        The axes of the bounds. A pool of None stands for all judgments, and a depth of None stands for whole rankings.
    lower, residual
        Runs x pools x persistences x depths: means over topics. The upper bound is *lower* + *residual*.
    against
        ``depth`` or ``p``: the quantity in the rows of the table.
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
        return f"ResidualCurves({' x '.join(pluralize(len(values), name) for name, values in axes)})"

    def frame(self) -> pl.DataFrame:
        """Return run, pool (null: all judgments), p, depth (null: whole rankings), lower, upper, residual."""
        indices = np.unravel_index(np.arange(self.lower.size), self.lower.shape)
        axes = {
            "run": pl.Series(self.runs, dtype=pl.String),
            "pool": pl.Series(self.pools, dtype=pl.Int64),
            "p": pl.Series(self.persistences, dtype=pl.Float64),
            "depth": pl.Series(self.depths, dtype=pl.Int64),
        }
        columns = {name: values.gather(index) for (name, values), index in zip(axes.items(), indices, strict=True)}
        lower, residual = self.lower.ravel(), self.residual.ravel()
        return pl.DataFrame({**columns, "lower": lower, "upper": lower + residual, "residual": residual})

    def summary(self) -> str:
        """State the mean residual over runs at the largest depth, for each persistence."""
        if not self.residual.size:
            return ""
        deepest = max(range(len(self.depths)), key=lambda index: self.depths[index] or np.inf)
        residuals = self.residual[:, -1, :, deepest].mean(axis=0)
        named = [f"{value:.4f} at p = {p:g}" for p, value in sorted(zip(self.persistences, residuals, strict=True))]
        shown = named if len(named) <= _NAMED else [named[0], "…", named[-1]]
        depth = self.depths[deepest]
        if depth is None:
            documents = "Unjudged documents and all documents after the end of a ranking"
        else:
            documents = f"Unjudged documents to depth {depth} and all documents below it"
        average = "" if len(self.runs) == 1 else f" (mean over {len(self.runs)} runs)"
        return f"{documents} can increase RBP by at most {', '.join(shown)}{average}."

    def _show_bounds(self) -> Table:
        frame = self.frame()
        compact = self._by_depth(frame) if self.against == "depth" else self._by_persistence(frame)
        return Table(
            frame,
            compact,
            heading="run",
            caption="low: mean RBP if no unjudged document is relevant; high: mean RBP if all unjudged documents, and "
            "all documents below the depth of evaluation, are relevant",
        )

    def _by_depth(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each run, pool and depth, with the bounds of each persistence side by side."""
        first = frame.filter(pl.col("p") == self.persistences[0])
        columns = [_label_rows(first), _format_depths(first["depth"])]
        for p in self.persistences:
            rows = frame.filter(pl.col("p") == p)
            columns += [rows[bound].alias(f"p={p:g} {label}") for bound, label in _BOUND_LABELS.items()]
        return pl.DataFrame(columns)

    def _by_persistence(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each run, pool, persistence and depth."""
        depth = [_format_depths(frame["depth"])] if frame["depth"].null_count() < len(frame) else []
        p = pl.Series("p", [f"{p:g}" for p in frame["p"]], dtype=pl.String)
        bounds = [frame[bound].alias(label) for bound, label in _BOUND_LABELS.items()]
        return pl.DataFrame([_label_rows(frame), p, *depth, *bounds, frame["residual"]])


def _label_rows(frame: pl.DataFrame) -> pl.Series:
    """Return the run and, if there are several, the pool of each row."""
    if frame["pool"].null_count() == len(frame):
        return frame["run"]
    depth = pl.concat_str(pl.lit("pool of depth "), pl.col("pool")).fill_null("all judgments")
    return frame.select(pl.concat_str("run", pl.lit(", "), depth).alias("run")).to_series()


def _format_depths(depth: pl.Series) -> pl.Series:
    """Return depths as numbers, or as texts with ``all`` for whole rankings."""
    if not depth.null_count():
        return depth
    return align_texts(pl.Series("depth", ["all" if d is None else str(d) for d in depth], dtype=pl.String))


class _RankTotals(NamedTuple):
    """Runs x ranks, summed over topics: the gain, and the number of ungraded documents."""

    gain: Floats
    ungraded: Floats


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
    r"""Bound mean RBP for every persistence, depth of evaluation and depth of the pool.

    .. math:: residual = g_{max} \left( p^n + (1 - p) \sum_{i \le n: d_i \text{ unjudged}} p^{i-1} \right)

    The residual is the largest amount by which unjudged documents, and documents after the end of the ranking, can
    raise the value of a ranking of n documents. g_max is the largest possible gain. The pool of depth d contains the
    judgments of documents that are among the first d documents of some run.

    Parameters
    ----------
    campaign
        Judgments and runs; ties must be broken. All runs contribute to the pools.
    p
        Persistences; by default 0.5, 0.8 and 0.95, or 0.1 to 0.99 with ``against="p"``.
    against
        ``depth``: bounds by depth of evaluation; ``p``: bounds of whole rankings by persistence. This argument
        determines the defaults of *p* and *depths*, and the rows of the table.
    depths
        Depths of evaluation; None stands for whole rankings. By default 1, 2, 5, 10, 20, 50 and 100, or None with
        ``against="p"``.
    pools
        Depths of pools whose judgments are used, in addition to all judgments.
    runs
        Report these runs only; other runs still contribute to the pools.
    topics
        Average over these topics; by default over all.
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
    reject_expected_ties(campaign.policies.ties, "depths cut through tied documents")
    if against not in AGAINST:
        raise InputError(f"against {format_value(against)}: choose depth or p{suggestion(str(against), AGAINST)}")
    default_p, default_depths = (PERSISTENCES, DEPTHS) if against == "depth" else (MANY_PERSISTENCES, (None,))
    chosen_p = dict.fromkeys(default_p if p is None else as_tuple(p))
    measures = [RBP(p=persistence, gains=gains, rel=rel, max_rel=max_rel) for persistence in chosen_p]
    chosen_depths = _check_depths("depths", default_depths if depths is None else as_tuple(depths))
    pool_depths = [*(pool for pool in _check_depths("pools", as_tuple(pools)) if pool is not None), None]
    levels, longest = campaign.whole.levels, campaign.whole.max_depth
    check_thresholds(measures, levels)
    chosen = campaign.select(runs, topics)
    if not chosen.topics:
        raise InputError("topics: name at least one topic")
    # Gains do not depend on the persistence, so any RBP gives the table.
    scale = RBP(p=0.5, gains=gains, rel=rel, max_rel=max_rel)
    table, possible = tabulate_gains(scale, levels, possible_grades(scale, levels))
    length = chosen.whole.length.reshape(chosen.shape)
    ends = np.array([min(depth or longest, longest) for depth in chosen_depths], dtype=np.int64)
    persistences = tuple(float(measure.p or 0) for measure in measures)
    pooled = (campaign if pool is None else campaign.pool(pool) for pool in pool_depths)
    totals_by_pool = (_add_up_ranks(judged.select(runs, topics), table) for judged in pooled)
    bounds = np.array(
        [[_bound_sums(p, totals, length, ends) for p in persistences] for totals in totals_by_pool]
    ).reshape(len(pool_depths), len(measures), 2, len(chosen.runs), len(chosen_depths))
    lower, residual = bounds.transpose(2, 3, 0, 1, 4) / len(chosen.topics)
    return ResidualCurves(
        runs=chosen.runs,
        pools=tuple(pool_depths),
        persistences=persistences,
        depths=tuple(chosen_depths),
        lower=lower,
        residual=residual * possible.max(),
        provenance=chosen.provenance.with_settings(
            p=list(persistences),
            against=against,
            depths=chosen_depths,
            pools=pool_depths[:-1],
            gains=str(gains),
            rel=rel,
            max_rel=max_rel,
        ),
        notes=campaign.notes,
        against=against,
    )


def _check_depths(name: str, depths: Iterable[int | None]) -> list[int | None]:
    """Return the distinct depths; raise an error for a depth below 1."""
    return [*dict.fromkeys(None if depth is None else check_integer(name, depth, 1) for depth in depths)]


def _add_up_ranks(campaign: Campaign, gain: Floats) -> _RankTotals:
    """Add gains and count ungraded documents by run and rank.

    Bounds are linear in these sums over topics, so the sums suffice for all persistences and depths.
    """
    judged = campaign.whole
    shape = (len(campaign.runs), judged.max_depth)
    cell = judged.ranking() // len(campaign.topics) * judged.max_depth + judged.rank() - 1
    ungraded = mask_ungraded(judged.code, judged.levels)
    total = np.bincount(cell[~ungraded], weights=gain[judged.code[~ungraded]], minlength=shape[0] * shape[1])
    ungraded_count = np.bincount(cell[ungraded], minlength=shape[0] * shape[1])
    return _RankTotals(total.reshape(shape).astype(np.float64), ungraded_count.reshape(shape).astype(np.float64))


def _bound_sums(p: float, totals: _RankTotals, length: Ints, ends: Ints) -> tuple[Floats, Floats]:
    """Return the lower bound and the residual for each run and depth in *ends*, summed over topics.

    The residual assumes that the largest possible gain is 1; the caller multiplies it by the largest possible gain.
    """
    weight = (1 - p) * np.power(p, np.arange(totals.gain.shape[1], dtype=np.float64))
    zero = np.zeros((len(length), 1))
    lower = np.hstack([zero, np.cumsum(totals.gain * weight, axis=1)])[:, ends]
    unjudged = np.hstack([zero, np.cumsum(totals.ungraded * weight, axis=1)])[:, ends]
    # A user continues past the last evaluated document with probability p^(number of evaluated documents).
    tails = [np.power(p, np.minimum(length, end)).sum(axis=1) for end in ends.tolist()]
    return lower, unjudged + np.array(tails).reshape(len(ends), len(length)).T
