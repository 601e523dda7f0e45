"""Tie report: the values of every run, topic and measure in each order of tied documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints, subtract
from assay.model.notes import join_names, pluralize
from assay.model.policies import TIES
from assay.model.provenance import Provenance
from assay.results.aggregation import aggregate_values
from assay.results.report import Report
from assay.results.tables import DIGITS, Table, align_texts, floats_to_integers, format_cell

ALL = "all"
COUNTS = ("documents", "tied", "groups", "largest", "mixed")
PRECISIONS = ("trec_eval-10", "trec_eval-9")
"""Policies that determine ties by scores as 64-bit numbers and as 32-bit numbers."""
ORDERS = (*TIES, "min", "max")
SEEN = {"min": "lowest seen", "max": "highest seen"}
"""Labels of extremes over sampled orders."""
_ORDERS_CAPTION = (
    "min, max: over all orders of tied documents; tied: documents with the same score as another document, as 64-bit "
    "numbers (trec_eval-10) and as 32-bit numbers (trec_eval-9); mixed: tied documents whose group has different grades"
)


class TieColumn(NamedTuple):
    """Values of a measure or a count: labels x runs x topics, NaN where there is no value.

    *applies* is True for labels that can have values. *exact* is True for labels whose values are not sampled.
    """

    name: str
    values: Floats
    applies: Bools
    exact: Bools


@dataclass(frozen=True, eq=False)
class TieReport(Report):
    """Values in every order of tied documents, and counts of tied documents.

    Attributes
    ----------
    runs, topics, measures
        Names of the runs and topics, and the measures.
    values
        Orders (``ORDERS``: the tie policies, min, max) x measures x runs x topics; NaN where there is no value.
    exact
        Orders x measures: False where values are estimated from sampled orders. A *min* that is not exact is the lowest
        value of the sample, and the true minimum may be lower; likewise for *max*.
    counts
        Precisions (scores as 64-bit numbers, scores as 32-bit numbers) x ``COUNTS`` x runs x topics.
    provenance, notes
        Inputs and policies of the report, and notes on reading, ties and sampling.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    exact: Bools
    counts: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "ties"
    tables: ClassVar[Mapping[str, str]] = {
        "runs": "the tied documents of each run, and the range of its value over all orders of tied documents",
        "orders": "the values of each run under each tie policy",
        "topics": "the values of each topic under each tie policy, then over all topics",
    }

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"TieReport({pluralize(len(self.runs), 'run')} x {pluralize(len(self.topics), 'topic')}: {shown})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and measure, over topics.

        Columns: run, measure, value (under the tie policy of the campaign), low, high (over all orders of tied
        documents), exact (True if low and high are exact), documents (number of documents), tied (number of tied
        documents), share (tied / documents), groups (number of tie groups), largest (size of the largest group), mixed
        (number of documents in groups with different grades).
        """
        extremes_exact = self.exact[ORDERS.index("min")]
        run, measure = np.indices((len(self.runs), len(self.measures))).reshape(2, -1)
        orders = {"value": self.provenance.policies.ties, "low": "min", "high": "max"}
        values = {name: pl.Series(self.overall(order)[measure, run]) for name, order in orders.items()}
        counts = {name: pl.Series(numbers[0, run, -1]) for name, numbers in self._count_ties().items()}
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series(list(map(str, self.measures)), dtype=pl.String).gather(measure),
                **values,
                "exact": extremes_exact[measure],
                **counts,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))

    def overall(self, order: str) -> Floats:
        """Return measures x runs: the aggregate over topics under one of the ``ORDERS``; NaN without a value."""
        return np.array(
            [
                [_aggregate(run_values, measure) for run_values in by_run]
                for measure, by_run in zip(self.measures, self.values[ORDERS.index(order)], strict=True)
            ]
        ).reshape(len(self.measures), len(self.runs))

    def _count_ties(self) -> dict[str, np.ndarray]:
        """Return the ``COUNTS`` and the share of tied documents: precisions x runs x (topics, then all topics)."""
        # Counts are summed over topics, except the largest group, which is a maximum.
        over_topics = self.counts.sum(axis=3, keepdims=True)
        largest = COUNTS.index("largest")
        over_topics[:, largest] = self.counts[:, largest].max(axis=2, initial=0, keepdims=True)
        documents, tied, *others = np.concatenate([self.counts, over_topics], axis=3).transpose(1, 0, 2, 3)
        share = np.divide(tied, documents, out=np.full(documents.shape, np.nan), where=documents > 0)
        return {"documents": documents, "tied": tied, "share": share, **dict(zip(COUNTS[2:], others, strict=True))}

    def _tabulate(self, per_topic: bool) -> pl.DataFrame:
        """Return run, measure, topic, ties, value, exact; the topic ``all`` stands for all topics together.

        Counts come first, as measures named documents, tied, share, groups, largest and mixed. *ties* is a tie policy,
        or min, max, lowest seen or highest seen.
        """
        columns = self.columns(per_topic)
        labels, topics = self.labels, self.list_topics(per_topic)
        value = np.stack([column.values for column in columns]).transpose(2, 0, 3, 1)
        applies = np.stack([column.applies for column in columns])[None, :, None, :]
        cells = np.flatnonzero(np.broadcast_to(applies, value.shape))
        run, measure, topic, label = np.unravel_index(cells, value.shape)
        exact = np.stack([column.exact for column in columns])[measure, label]
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([column.name for column in columns]).gather(measure),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "ties": pl.Series(labels).gather(label),
                "value": pl.Series(value.ravel()[cells]).fill_nan(None),
                "exact": exact,
            }
        )

    def summary(self) -> str:
        """State how many documents are tied, and whether their order changes the order of runs by the first measure."""
        counts = self.counts[0].sum(axis=2)
        documents, tied = (int(counts[COUNTS.index(name)].sum()) for name in ("documents", "tied"))
        if not tied:
            return " ".join([f"None of {pluralize(documents, 'document')} is tied.", *_describe_policies(self)])
        tied_run_count = int((counts[COUNTS.index("tied")] > 0).sum())
        tied_documents = f"{tied} of {pluralize(documents, 'document')} are tied ({100 * tied / documents:.1f} %)"
        tied_runs = f", in {tied_run_count} of {pluralize(len(self.runs), 'run')}." if len(self.runs) > 1 else "."
        effect = _describe_range(self) if len(self.runs) == 1 else _describe_swaps(self)
        return " ".join([tied_documents + tied_runs, effect, *_describe_policies(self)])

    def _show_runs(self) -> Table:
        """Return a row for each run: counts of tied documents, and the range of each measure over their orders."""
        frame = self.frame()
        step = len(self.measures)
        counts = frame.gather_every(step)
        shares = pl.Series("share", [f"{100 * share:.1f} %" for share in counts["share"].fill_null(0).to_list()])
        ranges = [
            _format_ranges(frame.gather_every(step, offset=index), measure)
            for index, measure in enumerate(self.measures)
        ]
        compact = counts.select("run", "tied").hstack([align_texts(shares), counts["mixed"], *ranges])
        caption = (
            "tied, share: documents with the same score as another document; mixed: tied documents whose group has "
            "different grades; measures: value, or its range over all orders of tied documents"
        )
        if not frame["exact"].all():
            caption += "; ~: range over sampled orders, the true range may be wider"
        return Table(frame, compact, caption=caption)

    def _show_orders(self) -> Table:
        return Table(self._tabulate(per_topic=False), _tabulate_orders(self, per_topic=False), caption=_ORDERS_CAPTION)

    def _show_topics(self) -> Table:
        return Table(self._tabulate(per_topic=True), _tabulate_orders(self, per_topic=True), caption=_ORDERS_CAPTION)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the rows of each run: the orders, and the labels of ``SEEN`` if some extremes are not exact."""
        exact = [extreme for extreme in SEEN if self.exact[ORDERS.index(extreme)].any()]
        sampled = [label for extreme, label in SEEN.items() if not self.exact[ORDERS.index(extreme)].all()]
        return (*TIES, *exact, *sampled)

    def list_topics(self, per_topic: bool) -> tuple[str, ...]:
        """Return the topics of :meth:`columns`: with *per_topic* every topic and ``all``, else only ``all``."""
        return (*self.topics, ALL) if per_topic else (ALL,)

    def columns(self, per_topic: bool = False) -> list[TieColumn]:
        """Return the columns of counts, followed by the columns of measures."""
        return [
            *self._count_columns(per_topic),
            *(self._measure_column(i, per_topic) for i in range(len(self.measures))),
        ]

    def _count_columns(self, per_topic: bool) -> list[TieColumn]:
        """Return a column for each count, and for the share of tied documents."""
        rows = [self.labels.index(precision) for precision in PRECISIONS]
        columns = []
        for name, values in self._count_ties().items():
            column = self._empty_column(name, per_topic)
            column.values[rows] = values if per_topic else values[..., -1:]
            column.applies[rows] = True
            columns.append(column)
        return columns

    def _measure_column(self, index: int, per_topic: bool) -> TieColumn:
        """Return the values of a measure by order; extremes that are not exact get the labels of ``SEEN``."""
        measure = self.measures[index]
        column = self._empty_column(str(measure), per_topic)
        for order, by_run, exact in zip(ORDERS, self.values[:, index], self.exact[:, index], strict=True):
            row = self.labels.index(order if exact else SEEN.get(order, order))
            over_topics = np.array([_aggregate(run_values, measure) for run_values in by_run]).reshape(-1, 1)
            column.values[row] = np.hstack([by_run, over_topics]) if per_topic else over_topics
            column.applies[row], column.exact[row] = True, exact
        return column

    def _empty_column(self, name: str, per_topic: bool) -> TieColumn:
        label_count = len(self.labels)
        values = np.full((label_count, len(self.runs), len(self.list_topics(per_topic))), np.nan)
        return TieColumn(name, values, np.zeros(label_count, dtype=bool), np.ones(label_count, dtype=bool))


def _aggregate(run_values: Floats, measure: Measure) -> float:
    """Return the value of a run over topics; NaN (instead of a sum of 0) if the run has no values in this order."""
    return np.nan if np.isnan(run_values).all() else aggregate_values(run_values, measure.aggregate)


# Tables ----------------------------------------------------------------------------------------------------------


def _format_ranges(rows: pl.DataFrame, measure: Measure) -> pl.Series:
    """Format values; if the order of tied documents matters, format the lowest and the highest value."""
    digits = 0 if measure.aggregate == "sum" else DIGITS
    texts = []
    for value, low, high, exact in rows.select("value", "low", "high", "exact").iter_rows():
        extremes = [format_cell(extreme, digits) for extreme in (low, high)]
        text = format_cell(value, digits) if extremes[0] == extremes[1] else "–".join(extremes)
        texts.append(text if exact else f"{text}~")
    return align_texts(pl.Series(str(measure), texts, dtype=pl.String))


def _tabulate_orders(report: TieReport, per_topic: bool) -> pl.DataFrame:
    """Return a row for each order; counts are in the rows of the policies that compare 64-bit and 32-bit scores."""
    columns = {column.name: column for column in report.columns(per_topic)}
    counts = ("tied", "mixed")
    names = [*(str(measure) for measure in report.measures), *counts]
    topics = report.list_topics(per_topic)
    run, topic, label = np.indices((len(report.runs), len(topics), len(report.labels))).reshape(3, -1)
    keys = {"run": (report.runs, run), "topic": (topics, topic), "ties": (report.labels, label)}
    if not per_topic:
        del keys["topic"]
    frame = pl.DataFrame(
        [
            *(pl.Series(key, texts, dtype=pl.String).gather(index) for key, (texts, index) in keys.items()),
            *(pl.Series(name, columns[name].values.transpose(1, 2, 0).ravel()).fill_nan(None) for name in names),
        ]
    )
    sums = [str(measure) for measure in report.measures if measure.aggregate == "sum"]
    return floats_to_integers(frame, *sums).with_columns(pl.col(counts).cast(pl.Int64))


# Summary ---------------------------------------------------------------------------------------------------------


def _describe_range(report: TieReport) -> str:
    """State the range of the first measure over all orders of tied documents, for a single run."""
    low, high = (report.overall(order)[0, 0] for order in ("min", "max"))
    if not high - low > ROUNDING:
        return f"Their order does not change {report.measures[0]}{_limit_to_samples(report)}."
    extremes = f"between {low:.4f} and {high:.4f}{_limit_to_samples(report)}"
    return f"Depending on their order, {report.measures[0]} lies {extremes}."


def _limit_to_samples(report: TieReport) -> str:
    """Return a restriction to sampled orders if the extremes of the first measure are not exact."""
    if report.exact[ORDERS.index("min"), 0]:
        return ""
    return f" among {report.provenance.policies.samples} sampled orders"


def _describe_swaps(report: TieReport) -> str:
    """State for how many pairs of runs the order by the first measure can change.

    The tied documents of one run are ordered independently of the tied documents of another run. So the order of two
    runs can change if and only if the ranges of their values overlap.
    """
    low, high = (report.overall(order)[0] for order in ("min", "max"))
    a, b = np.triu_indices(len(report.runs), 1)
    known = ~np.isnan(low[a] + low[b])
    smallest, largest = subtract(low[a], high[b]), subtract(high[a], low[b])
    swaps = int((known & (np.sign(smallest) != np.sign(largest))).sum())
    measure, samples = report.measures[0], _limit_to_samples(report)
    if not swaps:
        return f"By {measure} no order of tied documents changes the order of the runs{samples}."
    pairs = f"{swaps} of {pluralize(int(known.sum()), 'pair')} of runs"
    return f"By {measure} other orders of tied documents can change the order of {pairs}{samples}."


def _describe_policies(report: TieReport) -> list[str]:
    """State which tie policies order the runs by the first measure differently from the default policy."""
    values = {order: report.overall(order)[0] for order in TIES}
    known = {order: by_run for order, by_run in values.items() if not np.isnan(by_run).any()}
    if len(report.runs) < 2 or PRECISIONS[0] not in known or len(known) < 2:
        return []
    first, *others = known
    default = _compare_runs(known[first])
    different = [order for order in others if not np.array_equal(_compare_runs(known[order]), default)]
    if different:
        return [f"Tie policies that order the runs differently from {first}: {', '.join(different)}."]
    absent = [order for order in TIES if order not in known]
    exceptions = f" (no values for {join_names(absent)})" if absent else ""
    return [f"All tie policies give the same order of runs{exceptions}."]


def _compare_runs(values: Floats) -> Floats:
    """Return the sign of the difference for every pair of runs; 0 for equal values."""
    return np.asarray(np.sign(subtract(values[:, None], values[None, :])))
