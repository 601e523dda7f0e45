"""Benefit of an order of judging: judgments are hidden, then revealed one by one, and the uncertainty is measured.

The default orders are ``residual``, ``depth`` and ``random``. ``residual`` is the order of :func:`judge_next`.
``depth`` is pooling: the first document of every run is judged before the second document of any run. ``random`` is a
random order. The uncertainty that a judgment removes does not depend on grades, so ``residual`` is the best of all
orders after any number of judgments. The curves show how much better it is.

``residual-weighted`` and ``score-weighted`` weight documents by the present values of the runs that retrieved them (see
``_judgment_weights``). They adapt to the judgments, and spend them on uncertain runs or on runs that seem to be good.
The mean uncertainty of all runs therefore falls more slowly than in the order ``residual``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures._facets import refuse_facets
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings
from assay.results.report import Report
from assay.results.tables import Table
from assay.uncertainty._judging_queue import MEASURE
from assay.uncertainty._judgment_weights import (
    RUN_WEIGHTS,
    JudgmentCandidates,
    JudgmentWeights,
    check_order,
    find_pair,
    mask_rows,
    round_sums,
    select_rankings,
    sum_weights,
    weigh_runs,
)

ORDERS = ("residual", "depth", "random")
ALL_ORDERS = (*ORDERS, *RUN_WEIGHTS)
_BATCHES = 100  # weights that depend on the judgments are computed again after each batch
_MIN_FRACTION = 0.01  # pools that leave less than this fraction of the removable uncertainty are not compared
DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class JudgingCurve(Report):
    """Uncertainty after each number of judgments, for several orders of judging.

    Attributes
    ----------
    measure
        The measure whose uncertainty is reported.
    orders, steps
        The orders, and the numbers of judgments after which the frame reports the uncertainty.
    pools
        For each step, the depth of the pool with the same number of judgments; None if there is no such pool.
    curves
        Orders x (documents + 1): the mean uncertainty over runs and topics after each number of judgments.
    worst
        Orders x steps: the largest uncertainty of any run, as a mean over topics.
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
        "steps": "the uncertainty after selected numbers of judgments, by order of judging",
        "areas": "the mean uncertainty over all numbers of judgments, by order of judging",
    }

    def __repr__(self) -> str:
        return f"JudgingCurve({pluralize(self.curves.shape[1] - 1, 'judgment')} in {len(self.orders)} orders)"

    def frame(self) -> pl.DataFrame:
        """Return a row for each step and order: judgments, pool, order, uncertainty, worst, needed.

        Let u be the uncertainty after *judgments* judgments in the order ``depth``. *needed* is the smallest number of
        judgments in this order after which the uncertainty is at most u.
        """
        return pl.DataFrame(
            {
                "judgments": np.repeat(self.steps, len(self.orders)),
                "pool": pl.Series([pool for pool in self.pools for _ in self.orders], dtype=pl.Int64),
                "order": list(self.orders) * len(self.steps),
                "uncertainty": self.curves[:, self.steps].T.ravel(),
                "worst": self.worst.T.ravel(),
                "needed": pl.Series(self._needed_judgments(), dtype=pl.Int64),
            }
        )

    def _needed_judgments(self) -> list[int | None]:
        """Return the column *needed*, step by step."""
        if "depth" not in self.orders:
            return [None] * (len(self.steps) * len(self.orders))
        target = self.curves[self.orders.index("depth"), self.steps]
        # Curves fall, so their negatives ascend. The tolerance lets equal uncertainties compare equal.
        limit = -target - ROUNDING * np.abs(target) - np.finfo(float).tiny
        needed = [np.searchsorted(-curve, limit) for curve in self.curves]
        return [int(number) for number in np.array(needed).T.ravel()]

    def areas(self) -> pl.DataFrame:
        """Return a row for each order: the area under its curve, that is, the mean over all numbers of judgments."""
        return pl.DataFrame({"order": self.orders, "area": self.curves.mean(axis=1)})

    def summary(self) -> str:
        """State how many judgments the order of residuals saves, and the mean uncertainty by order."""
        judgments = self.curves.shape[1] - 1
        if not judgments:
            return f"No judgment of a retrieved document affects {self.measure}: nothing to reveal."
        areas = ", ".join(f"{area:.4f} ({order})" for order, area in self.areas().iter_rows())
        mean = f"Mean uncertainty of {self.measure} over 0 to {pluralize(judgments, 'judgment')}: {areas}."
        return " ".join([*self._describe_saving(), mean])

    def _describe_saving(self) -> list[str]:
        """State the largest fraction of judgments that the order of residuals saves compared with a pool."""
        if not {"residual", "depth"} <= set(self.orders):
            return []
        # The last judgments change almost nothing, so an order that omits them would seem to save a lot.
        curve = self.curves[self.orders.index("depth")]
        is_compared = curve[self.steps] - curve[-1] >= _MIN_FRACTION * (curve[0] - curve[-1])
        rows = self.frame().filter(pl.col("order") == "residual").filter(is_compared)
        rows = rows.filter(pl.col("pool").is_not_null(), pl.col("judgments") > 0)
        rows = rows.with_columns(fraction=pl.col("needed") / pl.col("judgments")).sort("fraction", maintain_order=True)
        if not len(rows):
            return []
        if rows["fraction"][0] >= 1:
            return ["Compared with pooling by depth, the order of residuals saves no judgments."]
        best = rows.row(0, named=True)
        saved = f"The order of residuals saves up to {100 * (1 - best['fraction']):.0f} % of the judgments"
        pool = f"the {best['judgments']} judgments of the pool of depth {best['pool']}"
        return [f"{saved}: {best['needed']} judgments leave no more uncertainty than {pool}."]

    def _show_steps(self) -> Table:
        frame = self.frame()
        rows = {order: frame.filter(pl.col("order") == order) for order in self.orders}
        compact = rows[self.orders[0]].select(pl.col("pool").alias("pool depth"), "judgments")
        compact = compact.with_columns(order_rows["uncertainty"].alias(order) for order, order_rows in rows.items())
        has_needed = {"residual", "depth"} <= set(self.orders)
        if has_needed:
            compact = compact.with_columns(rows["residual"]["needed"])
        needed = (
            "; needed: number of judgments in the order residual that leaves no more uncertainty than this number of "
            "judgments in the order depth"
        )
        return Table(
            frame,
            compact,
            caption=f"mean uncertainty of {self.measure} after each number of judgments, by order of judging"
            f"{needed if has_needed else ''}",
        )

    def _show_areas(self) -> Table:
        frame = self.areas()
        return Table(frame, frame.rename({"area": "mean uncertainty"}), lowest_is_best=("mean uncertainty",))


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

    Unjudged documents cannot be revealed and stay uncertain in all orders. Documents that no run retrieved within the
    cutoff of the measure are omitted.

    Parameters
    ----------
    campaign, measure, pair
        As in :func:`judge_next`.
    orders
        Some of ``residual``, ``depth``, ``random``, ``residual-weighted`` and ``score-weighted``; the last two are
        described in :func:`judge_next`. Their weights are computed again after each percent of the judgments.
    steps
        Numbers of judgments to report; by default the sizes of the pools of depth 1, 2, 3, 5, 10, ..., 1000.
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
    _check_orders(orders, pair)
    check_integer("known", known, 0)
    chosen = parse_measure(measure)
    refuse_facets([chosen], "judging curves")
    rankings = select_rankings(campaign, chosen)
    positions = None if pair is None else find_pair(campaign.runs, pair)
    weights = JudgmentWeights.from_measure(chosen, campaign.judgments.levels)
    hidden = _HiddenJudgments.from_rankings(rankings, weights, positions, known)
    reported, pools = hidden.choose_steps(steps, known)
    permutations = [hidden.order_documents(rankings, order, seed) for order in orders]
    return JudgingCurve(
        measure=chosen,
        orders=tuple(orders),
        steps=reported,
        pools=pools,
        curves=np.stack([hidden.compute_curve(order) for order in permutations]),
        worst=np.stack([hidden.compute_worst(order, reported) for order in permutations]),
        provenance=campaign.provenance.with_settings(
            measure=str(chosen),
            known=known,
            pair=[] if positions is None else [campaign.runs[run] for run in positions],
            seed=seed,
        ),
        notes=campaign.notes,
    )


def _check_orders(orders: Sequence[str], pair: Sequence[str] | None) -> None:
    for order in orders:
        check_order(order, ALL_ORDERS, pair)
    if not orders or isinstance(orders, str) or len(set(orders)) < len(orders):
        raise InputError(f"orders: name at least one of {', '.join(ALL_ORDERS)}, without duplicates")


@dataclass(frozen=True, eq=False)
class _HiddenJudgments:
    """Documents whose judgments are hidden, and the uncertainty that each judgment removes.

    Uncertainty is measured for each *cell*: a run, or the difference of two runs.

    Attributes
    ----------
    documents
        The documents.
    cell, document, amount
        Row by row: judging *document* removes *amount* (summed over topics) from *cell*.
    permanent
        For each cell, the uncertainty that no judgment removes.
    base
        For each cell, the value that the judgments known from the start contribute (summed over topics); empty for a
        pair of runs.
    share
        For each document, the position of its gain in the range of gains, from 0 to 1.
    topic_count
        Number of topics.
    """

    documents: JudgmentCandidates
    cell: Ints
    document: Ints
    amount: Floats
    permanent: Floats
    base: Floats
    share: Floats
    topic_count: int

    @classmethod
    def from_rankings(
        cls, rankings: Rankings, weights: JudgmentWeights, pair: tuple[int, int] | None, known: int
    ) -> _HiddenJudgments:
        """Hide the judgments of all documents below rank *known* in every run."""
        affects, weight = mask_rows(rankings, weights.weigh_rows(rankings), pair)
        ungraded = rankings.ungraded_mask()
        graded_rows = np.flatnonzero(affects & ~ungraded)
        judged = JudgmentCandidates.from_rows(rankings, graded_rows, weight[graded_rows])
        is_hidden = judged.best_rank > known
        rows = graded_rows[is_hidden[judged.document_of_row]]
        documents = JudgmentCandidates.from_rows(rankings, rows, weight[rows])
        ungraded_rows = np.flatnonzero(affects & ungraded)
        gain_share = weights.share_gains(rankings.levels)
        share = gain_share[documents.code]
        if pair is not None:
            # The weights of the two runs partly cancel for a document, so there is one row per document.
            unjudged = JudgmentCandidates.from_rows(rankings, ungraded_rows, weight[ungraded_rows])
            cell = np.zeros(len(documents.weight), dtype=np.int64)
            document: Ints = np.arange(len(cell))
            permanent = np.array([unjudged.weight.sum()])
            empty = np.zeros(0)
            return cls(documents, cell, document, documents.weight, permanent, empty, share, len(rankings.topics))
        run = rankings.ranking // len(rankings.topics)
        permanent = np.bincount(run[ungraded_rows], weights=weight[ungraded_rows], minlength=len(rankings.runs))
        known_rows = graded_rows[~is_hidden[judged.document_of_row]]
        known_gain = weight[known_rows] * gain_share[rankings.code[known_rows]]
        return cls(
            documents,
            run[rows],
            documents.document_of_row,
            weight[rows],
            permanent.astype(np.float64),
            sum_weights(run[known_rows], known_gain, len(rankings.runs)),
            share,
            len(rankings.topics),
        )

    def choose_steps(self, steps: Sequence[int] | None, known: int) -> tuple[Ints, tuple[int | None, ...]]:
        """Return the steps (numbers of judgments) to report, and for each step the depth of the pool of that size."""
        total = len(self.documents.weight)
        sizes = {int((self.documents.best_rank <= depth).sum()): depth for depth in reversed(DEPTHS) if depth > known}
        if steps is None:
            reported = sorted({0, total, *sizes})
        else:
            reported = sorted({min(check_integer("steps", int(step), 0), total) for step in steps})
        return np.array(reported, dtype=np.int64), tuple(sizes.get(step) if step else None for step in reported)

    def order_documents(self, rankings: Rankings, order: str, seed: int) -> Ints:
        """Return the documents in the order in which they are revealed; topic and document id break ties."""
        documents, by_id = self.documents, self._sort_by_id(rankings)
        if order == "random":
            return by_id[np.random.default_rng(seed).permutation(len(by_id))]
        if order in RUN_WEIGHTS:
            return self._order_adaptively(by_id, order)
        best_rank, weight = documents.best_rank[by_id], documents.rounded_priority[by_id]
        return by_id[np.lexsort((best_rank,) if order == "depth" else (best_rank, -weight))]

    def _order_adaptively(self, by_id: Ints, order: str) -> Ints:
        """Return the documents ordered by weights that depend on the grades of the documents revealed before."""
        batch_size = max(1, -(-len(by_id) // _BATCHES))
        revealed = np.zeros(len(by_id), dtype=bool)
        batches = []
        while not revealed.all():
            gained = self.amount * np.where(revealed, self.share, 0.0)[self.document]
            hidden = self.amount * ~revealed[self.document]
            base, residual = (
                (start + sum_weights(self.cell, amount, len(start))) / max(self.topic_count, 1)
                for start, amount in ((self.base, gained), (self.permanent, hidden))
            )
            factor = weigh_runs(order, base, residual)[self.cell]
            priority = round_sums(sum_weights(self.document, hidden * factor, len(by_id)))
            candidates = by_id[~revealed[by_id]]
            ranked = np.lexsort((self.documents.best_rank[candidates], -priority[candidates]))[:batch_size]
            batches.append(candidates[ranked])
            revealed[batches[-1]] = True
        return np.concatenate(batches) if batches else by_id

    def _sort_by_id(self, rankings: Rankings) -> Ints:
        """Return all documents in the order of topic and id; the order of hash keys differs between processes."""
        indices: Ints = np.arange(len(self.documents.weight))
        frame = pl.DataFrame({"topic": self.documents.topic, "doc": self.documents.look_up_ids(rankings, indices)})
        return frame.select(pl.arg_sort_by("topic", "doc")).to_series().to_numpy().astype(np.int64)

    def compute_curve(self, order: Ints) -> Floats:
        """Return the mean uncertainty after 0, 1, 2 … judgments."""
        # Summing from the end makes the last value exactly the permanent uncertainty.
        hidden = self.documents.weight[order]
        remaining = np.cumsum(np.concatenate([[self.permanent.sum()], hidden[::-1]]))[::-1]
        return np.asarray(remaining / (len(self.permanent) * max(self.topic_count, 1)))

    def compute_worst(self, order: Ints, steps: Ints) -> Floats:
        """Return the largest uncertainty of any cell after each of *steps* judgments."""
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(1, len(order) + 1)
        # The t-th judgment to be revealed is still hidden at all steps below t.
        interval = np.searchsorted(steps, position)[self.document]
        shape = (len(self.permanent), len(steps) + 1)
        amount = np.bincount(self.cell * shape[1] + interval, weights=self.amount, minlength=shape[0] * shape[1])
        remaining = np.cumsum(amount.reshape(shape)[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return np.asarray((remaining + self.permanent[:, None]).max(axis=0, initial=0) / max(self.topic_count, 1))
