"""The effect of deeper judging: pools rebuilt from the runs to several depths, and from all groups but one.

A pool of depth d holds the judgments of the documents among the first d of some contributing run; what is left out is
unjudged. With each pool all values are computed anew, with the recall base that the pool knows, and the order of the
runs by their means is correlated with their order by all judgments (see ``kendall``; for tau-AP the order by all
judgments is the true one). With groups, ``left_out`` shows whether the judgments can be reused.

Judgments that are added can only show documents to be relevant that counted as not relevant before. A measure that
does not ask how many relevant documents there are, and never falls when a better document stands in the place of
another, therefore never falls when judgments are added, on no topic of any run: RBP is a lower bound from the first
judgment on. Measures with a recall base have no such direction; AP with a shallow pool is usually too high. How often a
value falls from a pool to the next deeper one is counted for every measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._base import Additive
from assay.measures._threshold import lowest_relevant
from assay.meta._correlate import check_depths, direction, scores
from assay.meta._extremes import find_extremes, list_names, list_tied
from assay.meta.groups import number_groups
from assay.meta.kendall import taus
from assay.meta.left_out import LeftOut, leave_out, pool_size
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.notes import count
from assay.model.provenance import Provenance
from assay.results._evaluate import caveats, evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table

MEASURES = ("AP", "nDCG", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
"""The measures that are evaluated unless others are named."""
DEPTHS = (10, 20, 50, 100)
ALL = "all"
"""Stands for all judgments in the place of a depth."""
_POOLS, _GROUPS = ("pools", "runs", "falls"), ("reuse", "groups", "left-out")


@dataclass(frozen=True, eq=False)
class PoolDepth(Report):
    """The result of :func:`pool_depth`.

    Attributes
    ----------
    depths
        The depths of the pools, ascending.
    results
        The values with the pool of each depth, then with all judgments.
    sizes
        Pools x 2: how many judgments each has, and how many of these are of relevant grades (above 0).
    tau, tau_ap, p
        Measures x pools: correlation of the order of runs with that by all judgments, and the p-value of tau.
    falls
        Measures x runs x topics x pools but the last: how much the value falls from a pool to the next deeper one; 0 if
        it does not, but for rounding.
    guaranteed
        For each measure, whether it cannot fall.
    left_out
        The effect of leaving out one group after the other, if there are groups.
    provenance, notes
        The inputs and settings behind the numbers, and notes on what was ignored or assumed.
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
        "pools": "tau of the order of runs by each pool with that by all judgments",
        "runs": "the value of each run with each pool",
        "falls": "where values fall when judgments are added",
        "reuse": "with groups (and then the default): how much leaving out a group matters, by measure",
        "groups": "with groups: each group left out",
        "left-out": "with groups: each run without the judgments that only its group contributed",
    }

    def __post_init__(self) -> None:
        """Leave out the tables of groups if there are none, else begin with them."""
        pools, groups = ({name: self.tables[name] for name in names} for names in (_POOLS, _GROUPS))
        object.__setattr__(self, "tables", pools if self.left_out is None else groups | pools)

    def __repr__(self) -> str:
        sizes = count(len(self.measures), "measure"), count(len(self.depths), "depth")
        groups = "" if self.left_out is None else f", {count(len(self.left_out.groups), 'group')}"
        return f"PoolDepth({' x '.join(sizes)}, {count(len(self.runs), 'run')}{groups})"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.results[0].measures

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.results[0].runs

    def frame(self) -> pl.DataFrame:
        """Return the frame of the default table: that of ``by_pool``, with groups that of the table ``reuse``."""
        return self.by_pool() if self.left_out is None else self.left_out.by_measure()

    def by_pool(self) -> pl.DataFrame:
        """Return a row for each measure and pool.

        ``measure, depth, judgments, relevant, mean, tau, tau_ap, p, falls, largest``: *mean* is over the runs; *falls*
        counts the runs and topics on which the value is lower with the next deeper pool, and *largest* is the largest
        such fall. Depth, falls and largest are null for the pool of all judgments.
        """
        shape = (len(self.measures), len(self.results))
        measure, pool = np.indices(shape).reshape(2, -1)
        fallen = (self.falls > 0).sum(axis=(1, 2))
        largest = self.falls.max(axis=(1, 2), initial=0.0)
        counted = [None if j == len(self.depths) else int(fallen[i, j]) for i, j in zip(measure, pool, strict=True)]
        deepest = [None if j == len(self.depths) else float(largest[i, j]) for i, j in zip(measure, pool, strict=True)]
        mean = np.stack([scores(one).mean(axis=1) for one in self.results], axis=1)
        return pl.DataFrame(
            {
                "measure": self._names().gather(measure),
                "depth": pl.Series([*self.depths, None], dtype=pl.Int64).gather(pool),
                "judgments": self.sizes[pool, 0],
                "relevant": self.sizes[pool, 1],
                "mean": pl.Series(mean.ravel()).fill_nan(None),
                "tau": pl.Series(self.tau.ravel()).fill_nan(None),
                "tau_ap": pl.Series(self.tau_ap.ravel()).fill_nan(None),
                "p": pl.Series(self.p.ravel()).fill_nan(None),
                "falls": pl.Series(counted, dtype=pl.Int64),
                "largest": pl.Series(deepest, dtype=pl.Float64),
            }
        )

    def by_run(self) -> pl.DataFrame:
        """Return the value of each run over topics: run, measure, depth (null: all judgments), value."""
        values = np.stack([one.overall() for one in self.results], axis=2)
        run, measure, pool = np.indices(values.shape).reshape(3, -1)
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": self._names().gather(measure),
                "depth": pl.Series([*self.depths, None], dtype=pl.Int64).gather(pool),
                "value": pl.Series(values.ravel()).fill_nan(None),
            }
        )

    def violations(self) -> pl.DataFrame:
        """Return a row for each fall of a value: measure, run, topic, depth, deeper, before, after.

        *deeper* is the depth of the next pool, null for all judgments.
        """
        measure, run, topic, pool = np.nonzero(self.falls > 0)
        values = np.stack([one.values for one in self.results])
        depths = pl.Series([*self.depths, None], dtype=pl.Int64)
        return pl.DataFrame(
            {
                "measure": self._names().gather(measure),
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "topic": pl.Series(self.results[0].topics, dtype=pl.String).gather(topic),
                "depth": depths.gather(pool),
                "deeper": depths.gather(pool + 1),
                "before": values[pool, measure, run, topic],
                "after": values[pool + 1, measure, run, topic],
            }
        )

    def _names(self) -> pl.Series:
        return pl.Series([str(one) for one in self.measures], dtype=pl.String)

    # Tables -----------------------------------------------------------------------------------------------------

    def table(self, show: str | None = None) -> Table:
        """Return one of the ``tables``: by default the pools, with groups that of leaving them out."""
        if show in _GROUPS:
            self._require_groups(show)
        return super().table(show)

    def _require_groups(self, show: str) -> LeftOut:
        if self.left_out is None:
            raise InputError(f"show {show}: needs groups, a dict or a file with lines 'run group'")
        return self.left_out

    def summary(self) -> str:
        """Return which measures agree best and worst with all judgments at the shallowest pool, and which fall.

        With groups, return how much leaving one out matters.
        """
        if self.left_out is not None:
            return self.left_out.summary()
        return " ".join(filter(None, [self._describe_shallowest(), self._describe_falls()]))

    def _describe_shallowest(self) -> str:
        taus = dict(zip(map(str, self.measures), self.tau[:, 0].tolist(), strict=True))
        extremes = find_extremes(taus)
        pool = f"The pool of depth {self.depths[0]} has {self.sizes[0, 0]} of {self.sizes[-1, 0]} judgments"
        if extremes is None:
            return f"{pool}; no tau is defined, as a pool gives all runs the same value."
        if extremes.equal:
            which = extremes.highest[0] if len(extremes.highest) == 1 else "every measure"
            return f"{pool}; tau with the order by all judgments is {extremes.high:.3f} for {which}."
        best, worst = list_tied(extremes.highest), list_tied(extremes.lowest)
        return (
            f"{pool}; with it {best} agree{'s' * (len(extremes.highest) == 1)} best with the order of the runs by all "
            f"judgments (tau {extremes.high:.3f}), {worst} worst ({extremes.low:.3f})."
        )

    def _describe_falls(self) -> str:
        """Say which measures fall when judgments are added, and which cannot."""
        fallen = np.asarray((self.falls > 0).any(axis=(1, 2, 3)))
        falling = [str(one) for one, falls in zip(self.measures, fallen, strict=True) if falls]
        steady = [str(one) for one, sure in zip(self.measures, self.guaranteed & ~fallen, strict=True) if sure]
        parts = [
            f"adding judgments lowered {list_names(falling)} on some rankings" if falling else "",
            f"{list_names(steady)} cannot fall" if steady else "",
        ]
        sentence = "; ".join(filter(None, parts))
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""

    def _show_pools(self) -> Table:
        sizes = [f"{judged} ({relevant} relevant)" for judged, relevant in self.sizes.tolist()]
        listed = [f"depth {depth}: {size}" for depth, size in zip(self.depths, sizes[:-1], strict=True)]
        steps = len(self.runs) * len(self.results[0].topics) * len(self.depths)
        caption = (
            "Kendall's tau between the orders of the runs by each pool and by all judgments; falls: how often a value "
            f"falls with the next deeper pool, of {steps}.\n"
            f"Judgments: {'; '.join(listed)}; all: {sizes[-1]}."
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
            best=() if costs else tuple(pools),
            caption="Means over topics with the judgments of each pool.",
        )

    def _show_falls(self) -> Table:
        caption = "falls: rankings whose value falls from a pool to the next; run and topic: of the largest fall."
        return Table(self.violations(), _largest_falls(self.violations()), caption=caption)

    def _show_reuse(self) -> Table:
        return self._require_groups("reuse").show_measures()

    def _show_groups(self) -> Table:
        return self._require_groups("groups").show_groups()

    def _show_left_out(self) -> Table:
        return self._require_groups("left-out").show_runs()


def arrange_pools(frame: pl.DataFrame) -> pl.DataFrame:
    """Return for people: measure, tau by the depth of the pool, and how often values fall."""
    shallow = frame.filter(pl.col("depth").is_not_null())
    named = shallow.with_columns(pl.format("depth {}", "depth").alias("depth"))
    taus = named.pivot("depth", index="measure", values="tau", maintain_order=True)
    falls = shallow.group_by("measure", maintain_order=True).agg(pl.col("falls").sum())
    return taus.join(falls, on="measure", how="left", maintain_order="left")


def _largest_falls(violations: pl.DataFrame) -> pl.DataFrame:
    """Return for people the number of falls of each measure and pool, and the largest of them."""
    fall = (pl.col("before") - pl.col("after")).alias("largest fall")
    largest = violations.with_columns(fall).group_by("measure", "depth", "deeper", maintain_order=True)
    at = pl.col("largest fall").arg_max()
    falls = largest.agg(pl.len().cast(pl.Int64).alias("falls"), pl.col("largest fall", "run", "topic").get(at))
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
    """Evaluate runs with pools rebuilt to several depths, and compare with all judgments.

    The pool of depth d holds the judgments of documents that are among the first d of some contributing run; what is
    left out is unjudged, and recall bases are those of the pool. Kendall's tau-b and tau-AP (see
    :func:`assay.meta.correlate`) compare the order of runs with that by all judgments. How often values fall from a
    pool to the next deeper one is counted: a measure without a recall base that never falls when a better document
    stands in the place of another never does.

    Parameters
    ----------
    campaign
        Judgments and at least two runs; best read with ``keep="judgments"``.
    measures
        As in ``evaluate`` (default: ``MEASURES``).
    depths
        The depths of the pools.
    contributors
        The names of the runs from which pools are made (default: all).
    groups
        A dict from run names to groups, or a file with lines ``run group``: also leave out, for each group, what only
        its runs contributed to the deepest of the pools.
    progress
        Called with the number of pools done and their total.

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
    chosen, pools = parse_measures(MEASURES if measures is None else measures), check_depths(depths)
    if len(campaign.runs) < 2:
        raise InputError(f"pool-depth: an order needs at least two runs, got {len(campaign.runs)}")
    pooled = _contributor_numbers(campaign.runs, contributors)
    members = None if groups is None else number_groups(campaign.runs, groups)
    best = campaign.best_rank(pooled)
    kept = [*(best <= depth for depth in pools), np.ones(len(best), dtype=bool)]  # also what no contributor has
    results = _evaluate_pools(campaign, chosen, kept, progress)
    orders = np.stack([scores(one) * direction(chosen)[:, None] for one in results])
    correlations = [taus(orders[:, i], orders[-1:, i]) for i in range(len(chosen))]
    named = [campaign.runs[i] for i in pooled]
    return PoolDepth(
        depths=pools,
        results=tuple(results),
        sizes=np.array([pool_size(campaign, some, lowest_relevant(chosen)) for some in kept]),
        tau=np.stack([one.tau[:, 0] for one in correlations]),
        tau_ap=np.stack([one.estimated[:, 0] for one in correlations]),
        p=np.stack([one.p[:, 0] for one in correlations]),
        falls=_falls(np.stack([one.values for one in results], axis=3)),
        guaranteed=_guaranteed(campaign, results),
        provenance=campaign.provenance.with_settings(depths=list(pools), contributors=named),
        notes=_notes(campaign, pools, results),
        left_out=None if members is None else leave_out(campaign, results[-1], members, (pools[-1], pooled), progress),
    )


def _contributor_numbers(runs: tuple[str, ...], names: Iterable[str] | None) -> Ints:
    """Return the numbers of the runs that are named (None: of all)."""
    if names is None:
        return np.arange(len(runs))
    chosen = [names] if isinstance(names, str) else list(names)
    missing = [name for name in chosen if name not in runs]
    if missing:
        raise InputError(f"contributors: there is no run {missing[0]}{suggestion(missing[0], runs)}")
    if not chosen:
        raise InputError("contributors: name at least one run")
    return np.array([i for i, run in enumerate(runs) if run in chosen], dtype=np.int64)


def _evaluate_pools(
    campaign: Campaign, measures: tuple[Measure, ...], pools: list[Bools], progress: Progress | None
) -> list[Results]:
    """Evaluate all runs with the judgments of each pool."""
    results = []
    for done, kept in enumerate(pools, 1):
        results.append(evaluate(campaign.with_judgments(kept), measures))
        if progress is not None:
            progress(done, len(pools))
    return results


def _falls(values: Floats) -> Floats:
    """Return how much values (pools along the last axis) fall from a pool to the next; what is NaN in one does not."""
    before, after = values[..., :-1], values[..., 1:]
    both = np.isfinite(before) & np.isfinite(after)
    fall = np.where(both, before, 0.0) - np.where(both, after, 0.0)
    return np.where(fall > ROUNDING * np.maximum(np.abs(before), 1), fall, 0.0)


def _guaranteed(campaign: Campaign, results: list[Results]) -> Bools:
    """Return the measures that cannot fall; values from sampled orders of tied documents can, by chance."""
    judgments = len(campaign.judgments)
    whole, bare = (campaign.with_judgments(np.full(judgments, keep)).judged for keep in (True, False))
    return np.array(
        [
            never_falls(measure, whole, bare) and not any(one.errors[i].any() for one in results)
            for i, measure in enumerate(results[0].measures)
        ]
    )


def never_falls(measure: Measure, whole: Judged, bare: Judged) -> bool:
    """Return whether a measure cannot fall when judgments are added to *bare* rankings until they are *whole*.

    It must not ask how many documents are relevant, nor what the best of them is worth; nor fall when a better document
    stands in the place of another. Unjudged documents must stay where they are, and no judged one may be worth less.
    """
    if measure.uses_recall_base or measure.replacement is not True or whole.policies.unjudged != "nonrelevant":
        return False
    if isinstance(measure, Additive) and not np.array_equal(measure.scale(whole), measure.scale(bare)):
        return False
    gain: Callable[[Judged], Floats] | None = getattr(measure, "gain", None)
    worth = gain(whole) if gain is not None else whole.relevance(getattr(measure, "rel", 1))
    return bool((worth[1:] >= worth[0]).all())


def _notes(campaign: Campaign, depths: tuple[int, ...], results: list[Results]) -> tuple[str, ...]:
    notes = [*campaign.notes, *caveats(results[-1].measures)]
    for depth, one in zip((*depths, None), results, strict=True):
        about = "" if depth is None else f"pool of depth {depth}: "
        notes += [f"{about}{note}" for note in one.notes if note not in notes]
    return tuple(notes)
