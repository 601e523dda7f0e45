"""What the order of judging is worth: judgments are hidden and revealed one by one, and what stays open is counted.

Orders: ``residual`` is that of :func:`judge_next`; ``depth`` pools, the first document of every run before the second
of any; ``random`` is drawn from a seed. What a judgment removes does not depend on grades, so that ``residual`` is the
best of all orders after every number of judgments: the question is by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.checks import whole
from assay.model.notes import count
from assay.uncertainty._campaign import Campaign, read_campaign
from assay.uncertainty._stakes import Documents, Stakes, pair_of, signed

ORDERS = ("residual", "depth", "random")
DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class JudgingCurve:
    """What :func:`judging_curve` returns.

    Attributes
    ----------
    measure
        The measure whose uncertainty shrinks.
    orders, steps
        The orders, and after how many judgments the uncertainty was looked at.
    pools
        For each step the depth of the pool that has as many judgments, None if there is none.
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
    provenance: dict[str, Any]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"JudgingCurve({count(self.curves.shape[1] - 1, 'judgment')} in {len(self.orders)} orders)"

    def frame(self) -> pl.DataFrame:
        """A row for each step and order: judgments, pool, order, uncertainty, worst, needed.

        *needed* is how many judgments of the order leave no more uncertainty than this many of the order ``depth`` do.
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
        """A row for each order: the mean uncertainty over all numbers of judgments, the area under its curve."""
        return pl.DataFrame({"order": self.orders, "area": self.curves.mean(axis=1)})


def judging_curve(
    qrels: Any,
    runs: Any,
    measure: str | Measure = "RBP(p=0.8)",
    *,
    orders: Sequence[str] = ORDERS,
    steps: Sequence[int] | None = None,
    known: int = 0,
    compare: Sequence[str] | None = None,
    seed: int = 0,
    ties: str = "trec_eval-10",
    lenient: bool = False,
    progress: Progress | None = None,
) -> JudgingCurve:
    """Hide the judgments of documents that some run retrieved, reveal them in several orders, and see what stays open.

    What nobody judged cannot be revealed and stays open in all orders. Documents that no run has, or none within the
    cutoff of the measure, are not among the judgments.

    Parameters
    ----------
    qrels, runs, measure, compare, ties, lenient, progress
        As in :func:`judge_next`.
    orders
        Some of ``residual``, ``depth`` and ``random``.
    steps
        After how many judgments to look; by default as many as the pools of some depths have.
    known
        Judgments of the pool of this depth are known from the start.
    seed
        Of the random order.

    Examples
    --------
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> curve = judging_curve({"q": {"a": 1, "b": 0, "c": 0}}, runs, "RBP(p=0.5)", orders=("residual", "depth"))
    >>> curve.frame().filter(judgments=2).select("order", "uncertainty").rows()
    [('residual', 0.25), ('depth', 0.25)]
    """
    _refuse_unknown(orders)
    whole("known", known, 0)
    chosen = parse_measure(measure)
    cut = Stakes.of(chosen, np.zeros(0)).cutoff if ties != "expected" else None
    campaign = read_campaign(qrels, runs, ties, depth=cut, lenient=lenient, progress=progress)
    pair = None if compare is None else pair_of(campaign, compare)
    revealing = _Revealing.of(campaign, Stakes.of(chosen, campaign.levels), pair, known)
    looked, pools = revealing.steps(steps, known)
    ordered = [revealing.order(campaign, order, seed) for order in orders]
    return JudgingCurve(
        measure=chosen,
        orders=tuple(orders),
        steps=looked,
        pools=pools,
        curves=np.stack([revealing.curve(order) for order in ordered]),
        worst=np.stack([revealing.worst(order, looked) for order in ordered]),
        provenance={**campaign.provenance.as_dict(), "measure": str(chosen), "known": known, "seed": seed},
        notes=campaign.notes,
    )


def _refuse_unknown(orders: Sequence[str]) -> None:
    for order in orders:
        if order not in ORDERS:
            raise InputError(f"order {order!r}: choose from {', '.join(ORDERS)}{suggestion(order, ORDERS)}")
    if not orders or isinstance(orders, str) or len(set(orders)) < len(orders):
        raise InputError(f"orders: name some of {', '.join(ORDERS)}, each once")


@dataclass(frozen=True, eq=False)
class _Revealing:
    """Documents that can be revealed, and what is at stake in each of the cells whose uncertainty is counted.

    A cell is a run, or the difference of two. *cell*, *document* and *amount* say which document removes how much from
    which cell (summed over topics); *stays* is what no judgment removes; *over* how many topics there are.
    """

    documents: Documents
    cell: Ints
    document: Ints
    amount: Floats
    stays: Floats
    over: int

    @classmethod
    def of(cls, campaign: Campaign, stakes: Stakes, pair: tuple[int, int] | None, known: int) -> _Revealing:
        matters, worth = signed(campaign, stakes.of_rows(campaign), pair)
        closed = campaign.unsettled()
        shown = np.flatnonzero(matters & ~closed)
        judged = Documents.of(campaign, shown, worth[shown])
        hidden = judged.best > known
        rows = shown[hidden[judged.which]]
        documents = Documents.of(campaign, rows, worth[rows])
        never = np.flatnonzero(matters & closed)
        if pair is not None:
            stays = Documents.of(campaign, never, worth[never]).weight.sum()
            cell = np.zeros(len(documents.weight), dtype=np.int64)
            number: Ints = np.arange(len(cell))
            return cls(documents, cell, number, documents.weight, np.array([stays]), len(campaign.topics))
        run = campaign.ranking // len(campaign.topics)
        open_ = np.bincount(run[never], weights=worth[never], minlength=len(campaign.runs)).astype(np.float64)
        return cls(documents, run[rows], documents.which, worth[rows], open_, len(campaign.topics))

    def steps(self, steps: Sequence[int] | None, known: int) -> tuple[Ints, tuple[int | None, ...]]:
        """After how many judgments to look, and the depth of the pool that has as many."""
        every = len(self.documents.weight)
        sizes = {int((self.documents.best <= depth).sum()): depth for depth in reversed(DEPTHS) if depth > known}
        if steps is None:
            looked = sorted({0, every, *sizes})
        else:
            looked = sorted({min(whole("steps", int(step), 0), every) for step in steps})
        return np.array(looked, dtype=np.int64), tuple(sizes.get(step) if step else None for step in looked)

    def order(self, campaign: Campaign, order: str, seed: int) -> Ints:
        """The documents in the order in which they are revealed; ties go by topic and document in all orders."""
        documents = self.documents
        if order == "random":
            drawn = np.random.default_rng(seed).permutation(len(documents.weight))
            return self._by_name(campaign)[drawn]
        named = self._by_name(campaign)
        best, weight = documents.best[named], documents.rounded[named]
        return named[np.lexsort((best,) if order == "depth" else (best, -weight))]

    def _by_name(self, campaign: Campaign) -> Ints:
        """All documents by topic and id: keys differ from process to process, and so does their order."""
        every: Ints = np.arange(len(self.documents.weight))
        frame = pl.DataFrame({"topic": self.documents.topic, "doc": self.documents.names(campaign, every)})
        return frame.select(pl.arg_sort_by("topic", "doc")).to_series().to_numpy().astype(np.int64)

    def curve(self, order: Ints) -> Floats:
        """The mean uncertainty after 0, 1, 2 … judgments; added from the end, so that it ends with what stays."""
        behind = np.cumsum(np.concatenate([[self.stays.sum()], self.documents.weight[order][::-1]]))[::-1]
        return np.asarray(behind / (len(self.stays) * max(self.over, 1)))

    def worst(self, order: Ints, steps: Ints) -> Floats:
        """The largest uncertainty of a cell after each of *steps* judgments."""
        turn = np.empty(len(order), dtype=np.int64)
        turn[order] = np.arange(1, len(order) + 1)
        # A document that is revealed in turn t is still hidden at the steps before t.
        stretch = np.searchsorted(steps, turn)[self.document]
        shape = (len(self.stays), len(steps) + 1)
        amount = np.bincount(self.cell * shape[1] + stretch, weights=self.amount, minlength=shape[0] * shape[1])
        behind = np.cumsum(amount.reshape(shape)[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return np.asarray((behind + self.stays[:, None]).max(axis=0, initial=0) / max(self.over, 1))
