"""The benefit of an order of judging: judgments are hidden, then revealed one by one, and uncertainty is measured.

Orders: ``residual`` is that of :func:`judge_next`; ``depth`` pools, the first document of every run before the second
of any; ``random`` is drawn from a seed. The uncertainty that a judgment removes does not depend on grades, so that
``residual`` is the best of all orders after any number of judgments: the question is by how much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.checks import whole
from assay.model.notes import count
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings
from assay.results.report import Report
from assay.results.tables import Table
from assay.uncertainty._judge_next import MEASURE
from assay.uncertainty._stakes import Candidates, Stakes, find_pair, relevant_rows, stakes_rankings

ORDERS = ("residual", "depth", "random")
_LEAST = 0.01  # share of the uncertainty that judging removes: pools that leave less are not compared
DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class JudgingCurve(Report):
    """Uncertainty after each number of judgments, for several orders of judging.

    Attributes
    ----------
    measure
        The measure whose uncertainty shrinks.
    orders, steps
        The orders, and the numbers of judgments that the frame has rows for.
    pools
        For each step the depth of the pool with as many judgments; None if there is none.
    curves
        Orders x (documents + 1): the uncertainty after each number of judgments, in the mean over runs and topics.
    worst
        Orders x steps: the uncertainty of the run that has the largest, in the mean over topics.
    """

    measure: Measure
    orders: tuple[str, ...]
    steps: Ints
    pools: tuple[int | None, ...]
    curves: Floats
    worst: Floats
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "judging_curve"
    tables: ClassVar[Mapping[str, str]] = {
        "steps": "the uncertainty after some numbers of judgments, by order of judging",
        "areas": "the mean uncertainty over all numbers of judgments, by order of judging",
    }

    def __repr__(self) -> str:
        return f"JudgingCurve({count(self.curves.shape[1] - 1, 'judgment')} in {len(self.orders)} orders)"

    def frame(self) -> pl.DataFrame:
        """Return a row for each step and order: judgments, pool, order, uncertainty, worst, needed.

        *needed* is the number of judgments in this order that leave no more uncertainty than *judgments* in the order
        ``depth``.
        """
        some = len(self.orders)
        return pl.DataFrame(
            {
                "judgments": np.repeat(self.steps, some),
                "pool": pl.Series([pool for pool in self.pools for _ in self.orders], dtype=pl.Int64),
                "order": list(self.orders) * len(self.steps),
                "uncertainty": self.curves[:, self.steps].T.ravel(),
                "worst": self.worst.T.ravel(),
                "needed": pl.Series(self._needed(), dtype=pl.Int64),
            }
        )

    def _needed(self) -> list[int | None]:
        if "depth" not in self.orders:
            return [None] * (len(self.steps) * len(self.orders))
        reached = self.curves[self.orders.index("depth"), self.steps]
        enough = [
            np.searchsorted(-curve, -reached - ROUNDING * np.abs(reached) - np.finfo(float).tiny)
            for curve in self.curves
        ]
        return [int(one) for one in np.array(enough).T.ravel()]

    def areas(self) -> pl.DataFrame:
        """Return a row for each order: the mean uncertainty over all numbers of judgments, the area under its curve."""
        return pl.DataFrame({"order": self.orders, "area": self.curves.mean(axis=1)})

    def summary(self) -> str:
        """Return how many judgments the order of residuals saves, and the mean uncertainty by order."""
        judgments = self.curves.shape[1] - 1
        if not judgments:
            return f"No judgment of a retrieved document changes {self.measure}: nothing to reveal."
        areas = ", ".join(f"{area:.4f} ({order})" for order, area in self.areas().iter_rows())
        mean = f"Mean uncertainty of {self.measure} over 0 to {count(judgments, 'judgment')}: {areas}."
        return " ".join([*self._describe_saving(), mean])

    def _describe_saving(self) -> list[str]:
        """Return the pool that the order of residuals reaches with the smallest share of its judgments."""
        if not {"residual", "depth"} <= set(self.orders):
            return []
        # The last judgments change almost nothing, and any order that leaves them out seems to save a lot.
        curve = self.curves[self.orders.index("depth")]
        matters = curve[self.steps] - curve[-1] >= _LEAST * (curve[0] - curve[-1])
        rows = self.frame().filter(pl.col("order") == "residual").filter(matters)
        rows = rows.filter(pl.col("pool").is_not_null(), pl.col("judgments") > 0)
        rows = rows.with_columns(share=pl.col("needed") / pl.col("judgments")).sort("share", maintain_order=True)
        if not len(rows):
            return []
        if rows["share"][0] >= 1:
            return ["The order of residuals saves no judgments against pooling by depth."]
        best = rows.row(0, named=True)
        saved = f"The order of residuals saves up to {100 * (1 - best['share']):.0f} % of the judgments"
        pool = f"the {best['judgments']} of the pool of depth {best['pool']}"
        return [f"{saved}: {best['needed']} leave no more uncertainty than {pool}."]

    def _show_steps(self) -> Table:
        frame = self.frame()
        rows = {order: frame.filter(pl.col("order") == order) for order in self.orders}
        compact = rows[self.orders[0]].select(pl.col("pool").alias("pool depth"), "judgments")
        compact = compact.with_columns(of["uncertainty"].alias(order) for order, of in rows.items())
        needed = {"residual", "depth"} <= set(self.orders)
        if needed:
            compact = compact.with_columns(rows["residual"]["needed"])
        also = "; needed: judgments by residual that leave no more uncertainty than this number by depth"
        return Table(
            frame,
            compact,
            caption=f"mean uncertainty of {self.measure} after so many judgments, by order of judging"
            f"{also if needed else ''}",
        )

    def _show_areas(self) -> Table:
        frame = self.areas()
        return Table(frame, frame.rename({"area": "mean uncertainty"}), least=("mean uncertainty",))


@check_arguments
def judging_curve(
    campaign: Campaign,
    measure: str | Measure = MEASURE,
    *,
    orders: Sequence[str] = ORDERS,
    steps: Sequence[int] | None = None,
    known: int = 0,
    pair: Sequence[str] | None = None,
    seed: int = 0,
) -> JudgingCurve:
    """Hide the judgments of retrieved documents, reveal them in several orders, and measure the remaining uncertainty.

    Unjudged documents cannot be revealed and stay uncertain in all orders. Documents that no run has, or none within
    the cutoff of the measure, are left out.

    Parameters
    ----------
    campaign, measure, pair
        As in :func:`judge_next`.
    orders
        Some of ``residual``, ``depth`` and ``random``.
    steps
        Numbers of judgments to report; by default the sizes of the pools of some depths.
    known
        Depth of the pool whose judgments are known from the start.
    seed
        Seed of the random order.

    References
    ----------
    Moffat, Webber & Zobel, *Strategic system comparisons via targeted relevance judgments*, SIGIR 2007.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> campaign = assay.read({"q": {"a": 1, "b": 0, "c": 0}}, runs)
    >>> curve = judging_curve(campaign, "RBP(p=0.5)", orders=("residual", "depth"))
    >>> curve.frame().filter(judgments=2).select("order", "uncertainty").rows()
    [('residual', 0.25), ('depth', 0.25)]
    """
    _refuse_unknown(orders)
    whole("known", known, 0)
    chosen = parse_measure(measure)
    rankings = stakes_rankings(campaign, chosen)
    two = None if pair is None else find_pair(campaign.runs, pair)
    hidden = _HiddenJudgments.of(rankings, Stakes.of(chosen, campaign.judgments.levels), two, known)
    looked, pools = hidden.steps(steps, known)
    ordered = [hidden.order(rankings, order, seed) for order in orders]
    return JudgingCurve(
        measure=chosen,
        orders=tuple(orders),
        steps=looked,
        pools=pools,
        curves=np.stack([hidden.curve(order) for order in ordered]),
        worst=np.stack([hidden.worst(order, looked) for order in ordered]),
        provenance=campaign.provenance.with_settings(
            measure=str(chosen),
            known=known,
            pair=[] if two is None else [campaign.runs[run] for run in two],
            seed=seed,
        ),
        notes=campaign.notes,
    )


def _refuse_unknown(orders: Sequence[str]) -> None:
    for order in orders:
        if order not in ORDERS:
            raise InputError(f"order {order!r}: choose from {', '.join(ORDERS)}{suggestion(order, ORDERS)}")
    if not orders or isinstance(orders, str) or len(set(orders)) < len(orders):
        raise InputError(f"orders: name some of {', '.join(ORDERS)}, each once")


@dataclass(frozen=True, eq=False)
class _HiddenJudgments:
    """Documents whose judgments are hidden, and their stakes in each cell whose uncertainty is measured.

    A cell is a run, or the difference of two. Row by row, *document* removes *amount* from *cell* (summed over topics);
    *stays* is the uncertainty of each cell that no judgment removes; *over* the number of topics.
    """

    documents: Candidates
    cell: Ints
    document: Ints
    amount: Floats
    stays: Floats
    over: int

    @classmethod
    def of(cls, rankings: Rankings, stakes: Stakes, pair: tuple[int, int] | None, known: int) -> _HiddenJudgments:
        matters, weight = relevant_rows(rankings, stakes.of_rows(rankings), pair)
        ungraded = rankings.ungraded()
        graded = np.flatnonzero(matters & ~ungraded)
        judged = Candidates.of(rankings, graded, weight[graded])
        hidden = judged.best > known
        rows = graded[hidden[judged.which]]
        documents = Candidates.of(rankings, rows, weight[rows])
        never = np.flatnonzero(matters & ungraded)
        if pair is not None:
            stays = Candidates.of(rankings, never, weight[never]).weight.sum()
            cell = np.zeros(len(documents.weight), dtype=np.int64)
            number: Ints = np.arange(len(cell))
            return cls(documents, cell, number, documents.weight, np.array([stays]), len(rankings.topics))
        run = rankings.ranking // len(rankings.topics)
        open_ = np.bincount(run[never], weights=weight[never], minlength=len(rankings.runs)).astype(np.float64)
        return cls(documents, run[rows], documents.which, weight[rows], open_, len(rankings.topics))

    def steps(self, steps: Sequence[int] | None, known: int) -> tuple[Ints, tuple[int | None, ...]]:
        """Return the numbers of judgments to report, and for each the depth of the pool with as many."""
        every = len(self.documents.weight)
        sizes = {int((self.documents.best <= depth).sum()): depth for depth in reversed(DEPTHS) if depth > known}
        if steps is None:
            looked = sorted({0, every, *sizes})
        else:
            looked = sorted({min(whole("steps", int(step), 0), every) for step in steps})
        return np.array(looked, dtype=np.int64), tuple(sizes.get(step) if step else None for step in looked)

    def order(self, rankings: Rankings, order: str, seed: int) -> Ints:
        """Return the documents in the order in which they are revealed; ties go by topic and document."""
        documents, named = self.documents, self._sort_by_name(rankings)
        if order == "random":
            return named[np.random.default_rng(seed).permutation(len(named))]
        best, weight = documents.best[named], documents.rounded[named]
        return named[np.lexsort((best,) if order == "depth" else (best, -weight))]

    def _sort_by_name(self, rankings: Rankings) -> Ints:
        """Return all documents by topic and id: keys, and so their order, differ from process to process."""
        every: Ints = np.arange(len(self.documents.weight))
        frame = pl.DataFrame({"topic": self.documents.topic, "doc": self.documents.names(rankings, every)})
        return frame.select(pl.arg_sort_by("topic", "doc")).to_series().to_numpy().astype(np.int64)

    def curve(self, order: Ints) -> Floats:
        """Return the mean uncertainty after 0, 1, 2 … judgments; summed from the end, so that it ends with *stays*."""
        behind = np.cumsum(np.concatenate([[self.stays.sum()], self.documents.weight[order][::-1]]))[::-1]
        return np.asarray(behind / (len(self.stays) * max(self.over, 1)))

    def worst(self, order: Ints, steps: Ints) -> Floats:
        """Return the largest uncertainty of a cell after each of *steps* judgments."""
        turn = np.empty(len(order), dtype=np.int64)
        turn[order] = np.arange(1, len(order) + 1)
        # A document that is revealed in turn t is still hidden at the steps before t.
        interval = np.searchsorted(steps, turn)[self.document]
        shape = (len(self.stays), len(steps) + 1)
        amount = np.bincount(self.cell * shape[1] + interval, weights=self.amount, minlength=shape[0] * shape[1])
        behind = np.cumsum(amount.reshape(shape)[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return np.asarray((behind + self.stays[:, None]).max(axis=0, initial=0) / max(self.over, 1))
