"""The effect of pool depth: pools are rebuilt from the runs to several depths, and without one group at a time.

A pool of depth d contains the judgments of the documents in the top d of some contributing run; all other documents are
unjudged. All values are recomputed with each pool and its recall base. The order of the runs by their means is
correlated with their order by all judgments (see ``kendall``). The order by all judgments is the true order for tau-AP.
With groups, ``left_out`` measures whether the judgments can be reused for other systems.

Unjudged documents count as non-relevant, so that adding judgments can only turn non-relevant documents into relevant
documents. Consider a measure that does not use the recall base and satisfies the replacement axiom: its value does not
fall when a better document replaces another one. Adding judgments never lowers such a measure, on any topic of any run.
RBP, for example, is a lower bound with any set of judgments. Measures that use the recall base can rise or fall; AP is
usually too high with a shallow pool. For every measure, the report counts the values that fall from one pool to the
next deeper pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._base import Additive
from assay.measures._threshold import lowest_relevant_grade
from assay.meta._correlate import check_depths, direction_signs, mean_scores
from assay.meta.groups import number_groups
from assay.meta.kendall import taus_with_truth
from assay.meta.left_out import LeftOut, count_judgments, leave_out
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import require_two_runs
from assay.results.sentences import find_extremes, list_names, list_tied
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame

MEASURES = ("AP", "nDCG", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
"""The default measures."""
DEPTHS = (10, 20, 50, 100)
ALL = "all"
"""Label of the pool of all judgments."""
_POOLS, _GROUPS = ("pools", "runs", "falls"), ("reuse", "groups", "left-out")


@dataclass(frozen=True, eq=False)
class PoolDepth(Report):
    """Values and orders of runs with pools of several depths; the report of :func:`pool_depth`.

    Attributes
    ----------
    depths
        The depths of the pools, ascending.
    results
        The values with the pool of each depth, then with all judgments.
    sizes
        Pools x 2: the number of judgments in each pool, and the number of them with a relevant grade.
    tau, tau_ap, p
        Measures x pools: correlation between the orders of runs by the pool and by all judgments, and the p-value of
        tau.
    falls
        Measures x runs x topics x pools (without the last): the amount by which the value falls from a pool to the next
        deeper pool; 0 if it does not fall, apart from rounding errors.
    guaranteed
        True for each measure whose values cannot fall when judgments are added.
    left_out
        The effect of leaving out one group at a time; None without groups.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    depths: tuple[int, ...]
    results: tuple[Results, ...]
    sizes: Ints
    tau: Floats
    tau_ap: Floats
    p: Floats
    falls: Floats
    guaranteed: Bools
    provenance: Provenance
    notes: tuple[str, ...]
    left_out: LeftOut | None = None

    name = "pool_depth"
    tables: ClassVar[Mapping[str, str]] = {
        "pools": "tau between the orders of runs by each pool and by all judgments",
        "runs": "the value of each run with each pool",
        "falls": "the values that fall when judgments are added",
        "reuse": "with groups: the effect of leaving out a group, by measure (the default if there are groups)",
        "groups": "with groups: the effect of leaving out each group",
        "left-out": "with groups: the value of each run without the judgments that only its group contributed",
    }

    def __post_init__(self) -> None:
        """Drop the tables of groups if there are no groups; otherwise, list the tables of groups first."""
        pools, groups = ({name: self.tables[name] for name in names} for names in (_POOLS, _GROUPS))
        object.__setattr__(self, "tables", pools if self.left_out is None else groups | pools)

    def __repr__(self) -> str:
        sizes = pluralize(len(self.measures), "measure"), pluralize(len(self.depths), "depth")
        groups = "" if self.left_out is None else f", {pluralize(len(self.left_out.groups), 'group')}"
        return f"PoolDepth({' x '.join(sizes)}, {pluralize(len(self.runs), 'run')}{groups})"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.results[0].measures

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.results[0].runs

    def frame(self) -> pl.DataFrame:
        """Return the frame of the default table: ``pools``, or ``reuse`` if there are groups."""
        return self.by_pool() if self.left_out is None else self.left_out.by_measure()

    def by_pool(self) -> pl.DataFrame:
        """Return a row for each measure and pool.

        The columns are measure, depth, judgments, relevant, mean, tau, tau_ap, p, falls, largest. *mean* is the mean
        over runs. *falls* is the number of values (one for each run and topic) that are lower with the next deeper
        pool, and *largest* is the largest of these falls. *depth*, *falls* and *largest* are null for the pool of all
        judgments.
        """
        last = ((0, 0), (0, 1))  # Adds NaN for the last pool, which has no deeper pool.
        fall_count = (self.falls > 0).sum(axis=(1, 2)).astype(np.float64)
        largest_fall = self.falls.max(axis=(1, 2), initial=0.0)
        frame = tidy_frame(
            {"measure": self.measures, "depth": [*self.depths, None]},
            {
                "judgments": self.sizes[:, 0],
                "relevant": self.sizes[:, 1],
                "mean": np.stack([mean_scores(one).mean(axis=1) for one in self.results], axis=1),
                "tau": self.tau,
                "tau_ap": self.tau_ap,
                "p": self.p,
                "falls": np.pad(fall_count, last, constant_values=np.nan),
                "largest": np.pad(largest_fall, last, constant_values=np.nan),
            },
        )
        return frame.with_columns(pl.col("falls").cast(pl.Int64))

    def by_run(self) -> pl.DataFrame:
        """Return the value of each run over topics: run, measure, depth (null: all judgments), value."""
        values = np.stack([one.overall() for one in self.results], axis=2)
        axes = {"run": self.runs, "measure": self.measures, "depth": [*self.depths, None]}
        return tidy_frame(axes, {"value": values})

    def violations(self) -> pl.DataFrame:
        """Return a row for each value that falls: measure, run, topic, depth, deeper, before, after.

        *deeper* is the depth of the next deeper pool; null for the pool of all judgments.
        """
        measure, run, topic, pool = np.nonzero(self.falls > 0)
        values = np.stack([one.values for one in self.results])
        depths = pl.Series([*self.depths, None], dtype=pl.Int64)
        return pl.DataFrame(
            {
                "measure": pl.Series(map(str, self.measures), dtype=pl.String).gather(measure),
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "topic": pl.Series(self.results[0].topics, dtype=pl.String).gather(topic),
                "depth": depths.gather(pool),
                "deeper": depths.gather(pool + 1),
                "before": values[pool, measure, run, topic],
                "after": values[pool + 1, measure, run, topic],
            }
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def table(self, show: str | None = None) -> Table:
        """Return one of the ``tables``; the default is ``pools``, or ``reuse`` if there are groups."""
        if show in _GROUPS:
            self._require_groups(show)
        return super().table(show)

    def _require_groups(self, show: str) -> LeftOut:
        if self.left_out is None:
            raise InputError(f"show {show}: this table needs groups; give a dict, or a file with lines 'run group'")
        return self.left_out

    def summary(self) -> str:
        """Return the measures that are least and most affected by the smallest depth, and the measures that fall.

        If there are groups, return the effect of leaving out a group instead.
        """
        if self.left_out is not None:
            return self.left_out.summary()
        return " ".join(filter(None, [self._describe_shallowest(), self._describe_falls()]))

    def _describe_shallowest(self) -> str:
        """Return a sentence on the size of the smallest pool, and on the order of runs by this pool."""
        taus = dict(zip(map(str, self.measures), self.tau[:, 0].tolist(), strict=True))
        extremes = find_extremes(taus)
        pool = f"The pool of depth {self.depths[0]} contains {self.sizes[0, 0]} of {self.sizes[-1, 0]} judgments"
        if extremes is None:
            return f"{pool}; tau is undefined, because all runs have the same mean."
        if extremes.all_equal:
            subject = extremes.highest[0] if len(extremes.highest) == 1 else "every measure"
            return f"{pool}; tau with the order by all judgments is {extremes.high:.3f} for {subject}."
        return (
            f"{pool}. {list_tied(extremes.highest, 'preserve')} the order of the runs best (tau {extremes.high:.3f}); "
            f"{list_tied(extremes.lowest, 'preserve')} it least (tau {extremes.low:.3f})."
        )

    def _describe_falls(self) -> str:
        """Return a sentence on measures that fall when judgments are added, and on measures that cannot fall."""
        has_fallen = np.asarray((self.falls > 0).any(axis=(1, 2, 3)))
        falling = [str(self.measures[i]) for i in np.flatnonzero(has_fallen)]
        steady = [str(self.measures[i]) for i in np.flatnonzero(self.guaranteed & ~has_fallen)]
        clauses = [
            f"adding judgments lowered {list_names(falling)} for some rankings" if falling else "",
            f"{list_names(steady)} cannot fall" if steady else "",
        ]
        sentence = "; ".join(filter(None, clauses))
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""

    def _show_pools(self) -> Table:
        sizes = [f"{judged} ({relevant} relevant)" for judged, relevant in self.sizes.tolist()]
        pools = [f"depth {depth}: {size}" for depth, size in zip(self.depths, sizes[:-1], strict=True)]
        steps = len(self.runs) * len(self.results[0].topics) * len(self.depths)
        caption = (
            "Kendall's tau between the orders of the runs by each pool and by all judgments. falls: number of values "
            f"that fall from one pool to the next deeper pool, out of {steps}.\n"
            f"Judgments: {'; '.join(pools)}; all: {sizes[-1]}."
        )
        return Table(self.by_pool(), arrange_pools(self.by_pool()), caption=caption)

    def _show_runs(self) -> Table:
        frame, pools = self.by_run(), [*(f"depth {depth}" for depth in self.depths), ALL]
        columns = [frame["value"].gather_every(len(pools), offset=i).alias(name) for i, name in enumerate(pools)]
        wide = frame.select("measure", "run").gather_every(len(pools)).with_columns(columns)
        order = pl.col("measure").replace_strict({str(one): i for i, one in enumerate(self.measures)})
        costs = any(measure.lower_is_better for measure in self.measures)
        return Table(
            frame,
            wide.sort(order, maintain_order=True),
            heading="measure",
            highest_is_best=() if costs else tuple(pools),
            caption="Means over topics, computed with the judgments of each pool.",
        )

    def _show_falls(self) -> Table:
        caption = (
            "falls: number of rankings whose value falls from the pool to the next pool. run, topic: run and topic of "
            "the largest fall."
        )
        return Table(self.violations(), _arrange_falls(self.violations()), caption=caption)

    def _show_reuse(self) -> Table:
        return self._require_groups("reuse").show_measures()

    def _show_groups(self) -> Table:
        return self._require_groups("groups").show_groups()

    def _show_left_out(self) -> Table:
        return self._require_groups("left-out").show_runs()


def arrange_pools(frame: pl.DataFrame) -> pl.DataFrame:
    """Arrange the frame of pools for reading: measure, tau at each depth, and the number of values that fall."""
    shallow = frame.filter(pl.col("depth").is_not_null())
    named = shallow.with_columns(pl.format("depth {}", "depth").alias("depth"))
    taus = named.pivot("depth", index="measure", values="tau", maintain_order=True)
    falls = shallow.group_by("measure", maintain_order=True).agg(pl.col("falls").sum())
    return taus.join(falls, on="measure", how="left", maintain_order="left")


def _arrange_falls(violations: pl.DataFrame) -> pl.DataFrame:
    """Return the number of falls and the largest fall of each measure and pool."""
    fall = (pl.col("before") - pl.col("after")).alias("largest fall")
    groups = violations.with_columns(fall).group_by("measure", "depth", "deeper", maintain_order=True)
    largest = pl.col("largest fall").arg_max()
    falls = groups.agg(pl.len().cast(pl.Int64).alias("falls"), pl.col("largest fall", "run", "topic").get(largest))
    order = {name: i for i, name in enumerate(violations["measure"].unique(maintain_order=True).to_list())}
    by_measure = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    pool, deeper = (pl.format("depth {}", name).fill_null(ALL) for name in ("depth", "deeper"))
    return falls.sort(by_measure, "depth").select(
        "measure", pool.alias("pool"), deeper.alias("next pool"), "falls", "largest fall", "run", "topic"
    )


@check_arguments
def pool_depth(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    depths: Iterable[int] = DEPTHS,
    *,
    contributors: Iterable[str] | None = None,
    groups: Any = None,
    progress: Progress | None = None,
) -> PoolDepth:
    """Evaluate runs with pools of several depths, and compare the values with the values by all judgments.

    The pool of depth d contains the judgments of documents in the top d of some contributing run. All other documents
    are unjudged, and the recall base is computed from the pool. Kendall's tau-b and tau-AP (see
    :func:`assay.meta.correlate`) compare the orders of runs by the pool and by all judgments. The report counts the
    values that fall from one pool to the next deeper pool. A measure that does not use the recall base and satisfies
    the replacement axiom never falls.

    Parameters
    ----------
    campaign
        Judgments and at least two runs. Read the campaign with ``keep="judgments"``; otherwise the runs are read again.
    measures
        As in ``evaluate`` (default: ``MEASURES``).
    depths
        The depths of the pools.
    contributors
        The names of the runs that contribute to the pools (default: all).
    groups
        A dict from run names to groups, or a file with lines ``run group``. For each group, the report then also shows
        the effect of leaving out the judgments that only this group contributed to the deepest pool.
    progress
        Function that is called with the number of pools done and their total.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), Figures 2 and
    4.

    Examples
    --------
    >>> import assay
    >>> runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "b": 1.0}}}
    >>> campaign = assay.read({"q": {"a": 1, "b": 1, "c": 0}}, runs)
    >>> pool_depth(campaign, ["AP", "RBP(p=0.5)"], [1]).by_run().filter(run="x")["value"].to_list()
    [1.0, 1.0, 0.5, 0.75]
    """
    parsed, sorted_depths = parse_measures(MEASURES if measures is None else measures), check_depths(depths)
    require_two_runs(campaign.runs)
    pooled = _find_contributors(campaign.runs, contributors)
    members = None if groups is None else number_groups(campaign.runs, groups)
    best = campaign.best_rank(pooled)
    # One mask of the judgments for each pool. The last mask selects all judgments, also those of documents that no
    # contributor retrieved.
    pools = [*(best <= depth for depth in sorted_depths), np.ones(len(best), dtype=bool)]
    results = [evaluate(campaign.with_judgments(pool), parsed) for pool in track(pools, progress)]
    orders = np.stack([mean_scores(one) * direction_signs(parsed) for one in results])
    correlations = taus_with_truth(orders, orders[-1])
    contributor_names = [campaign.runs[i] for i in pooled]
    deepest = sorted_depths[-1], pooled
    return PoolDepth(
        depths=sorted_depths,
        results=tuple(results),
        sizes=np.array([count_judgments(campaign, pool, lowest_relevant_grade(parsed)) for pool in pools]),
        tau=correlations.tau,
        tau_ap=correlations.estimated,
        p=correlations.p,
        falls=_compute_falls(np.stack([one.values for one in results], axis=3)),
        guaranteed=_find_monotone(campaign, results),
        provenance=campaign.provenance.with_settings(depths=list(sorted_depths), contributors=contributor_names),
        notes=_collect_notes(campaign, sorted_depths, results),
        left_out=None if members is None else leave_out(campaign, results[-1], members, deepest, progress),
    )


def _find_contributors(runs: tuple[str, ...], names: Iterable[str] | None) -> Ints:
    """Return the indices of the named runs (None: all runs)."""
    if names is None:
        return np.arange(len(runs))
    selected = [names] if isinstance(names, str) else list(names)
    missing = [name for name in selected if name not in runs]
    if missing:
        raise InputError(f"contributors: unknown run {missing[0]}{suggestion(missing[0], runs)}")
    if not selected:
        raise InputError("contributors: name at least one run")
    return np.array([i for i, run in enumerate(runs) if run in selected], dtype=np.int64)


def _compute_falls(values: Floats) -> Floats:
    """Return the amount by which values fall from each pool to the next deeper pool; pools are the last axis.

    The amount is 0 if the value rises, is the same apart from rounding errors, or is NaN with one of the pools.
    """
    before, after = values[..., :-1], values[..., 1:]
    both = np.isfinite(before) & np.isfinite(after)
    fall = np.where(both, before, 0.0) - np.where(both, after, 0.0)
    return np.where(fall > ROUNDING * np.maximum(np.abs(before), 1), fall, 0.0)


def _find_monotone(campaign: Campaign, results: list[Results]) -> Bools:
    """Return True for each measure that cannot fall.

    Values that are estimated from sampled orders of tied documents can fall by chance.
    """
    count = len(campaign.judgments)
    full, unjudged = (campaign.with_judgments(np.full(count, keep)).judged for keep in (True, False))
    return np.array(
        [
            never_falls(measure, full, unjudged) and not any(one.errors[i].any() for one in results)
            for i, measure in enumerate(results[0].measures)
        ]
    )


def never_falls(measure: Measure, full: Judged, unjudged: Judged) -> bool:
    """Return True if a measure cannot fall when judgments are added.

    *full* contains the rankings with all judgments, *unjudged* the same rankings without judgments. The measure must
    not depend on the recall base or on the highest gain of the topic, and must satisfy the replacement axiom. Unjudged
    documents must stay at their ranks (policy ``nonrelevant``), and no grade may have a lower gain than an unjudged
    document.
    """
    if measure.uses_recall_base or measure.replacement is not True or full.policies.unjudged != "nonrelevant":
        return False
    if isinstance(measure, Additive) and not np.array_equal(measure.scale(full), measure.scale(unjudged)):
        return False
    gain: Callable[[Judged], Floats] | None = getattr(measure, "gain", None)
    gains = gain(full) if gain is not None else full.relevance(getattr(measure, "rel", 1))
    return bool((gains[1:] >= gains[0]).all())


def _collect_notes(campaign: Campaign, depths: tuple[int, ...], results: list[Results]) -> tuple[str, ...]:
    """Return the notes of the campaign and the measures, then the additional notes of each pool."""
    notes = [*campaign.notes]
    for depth, one in zip((*depths, None), results, strict=True):
        prefix = "" if depth is None else f"pool of depth {depth}: "
        notes += [f"{prefix}{note}" for note in one.notes if note not in notes]
    return tuple(notes)
