"""The tie report: for every run, topic and measure the values in each order of tied documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints, subtract
from assay.model.notes import count, some
from assay.model.policies import TIES
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.summary import aggregated
from assay.results.tables import DIGITS, Table, align_texts, drop_fractions, format_cell

ALL = "all"
COUNTS = ("documents", "tied", "groups", "largest", "mixed")
PRECISIONS = ("trec_eval-10", "trec_eval-9")
"""The policies that compare scores, as 64-bit and as 32-bit numbers: documents are tied under these."""
ORDERS = (*TIES, "min", "max")
SEEN = {"min": "lowest seen", "max": "highest seen"}
"""Labels of extremes that are not exact."""
_ORDERS_CAPTION = (
    "min, max: over all orders of tied documents; tied: documents with the score of another one, as 64-bit numbers "
    "(trec_eval-10) and as 32-bit numbers (trec_eval-9); mixed: those whose group mixes grades"
)


class TieColumn(NamedTuple):
    """A measure or a count: labels x runs x topics, NaN where there is no value.

    *applies* marks the labels that can have values, *exact* those whose values are not sampled.
    """

    name: str
    values: Floats
    applies: Bools
    exact: Bools


@dataclass(frozen=True, eq=False)
class TieReport(Report):
    """Values in every order of tied documents, and counts of these.

    Attributes
    ----------
    runs, topics, measures
        The names of the runs, the topics and the measures.
    values
        Orders (``ORDERS``: the tie policies, min, max) x measures x runs x topics; NaN where there is no value.
    exact
        Orders x measures: whether the values are exact or come from sampled orders. A *min* or *max* that is not
        exact is the lowest or highest value that was seen; the true one may lie beyond.
    counts
        Precisions (scores as 64-bit numbers, then as 32-bit ones) x ``COUNTS`` x runs x topics.
    provenance, notes
        The inputs and policies behind the report, and notes on reading, ties and sampling.
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
        "runs": "the tied documents of each run, and the range of its value over all their orders",
        "orders": "the values of each run under each tie policy",
        "topics": "the same of each topic, then over all",
    }

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"TieReport({count(len(self.runs), 'run')} x {count(len(self.topics), 'topic')}: {shown})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and measure, over topics.

        Columns: run, measure, value (under the tie policy of the campaign), low, high (over all orders of tied
        documents), exact (of low and high), documents, tied, share, groups, largest, mixed (the number of documents,
        of tied ones and their share, of groups of ties and the size of the largest, and of documents in groups that mix
        grades).
        """
        ends = self.exact[ORDERS.index("min")]
        run, measure = np.indices((len(self.runs), len(self.measures))).reshape(2, -1)
        values = {name: pl.Series(self.overall(order)[measure, run]) for name, order in self._ends().items()}
        counts = {name: pl.Series(numbers[run]) for name, numbers in self._run_counts().items()}
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([str(one) for one in self.measures], dtype=pl.String).gather(measure),
                **values,
                "exact": ends[measure],
                **counts,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))

    def _ends(self) -> dict[str, str]:
        return {"value": self.provenance.policies.ties, "low": "min", "high": "max"}

    def overall(self, order: str) -> Floats:
        """Return the values over topics in one of the ``ORDERS``: measures x runs; NaN where there is none."""
        return np.array(
            [
                [_aggregate(of_run, measure) for of_run in of_runs]
                for measure, of_runs in zip(self.measures, self.values[ORDERS.index(order)], strict=True)
            ]
        ).reshape(len(self.measures), len(self.runs))

    def _run_counts(self) -> dict[str, np.ndarray]:
        """Return the ``COUNTS`` of each run over topics, of 64-bit scores, and the share of tied documents."""
        over = dict(zip(COUNTS, self.counts[0].sum(axis=2), strict=True))
        over["largest"] = self.counts[0, COUNTS.index("largest")].max(axis=1, initial=0)
        documents = over["documents"]
        share = np.divide(over["tied"], documents, out=np.full(len(documents), np.nan), where=documents > 0)
        return {"documents": documents, "tied": over["tied"], "share": share, **over}

    def _tabulate(self, per_topic: bool) -> pl.DataFrame:
        """Return run, measure, topic, ties, value, exact; the topic ``all`` is over topics.

        Numbers of documents come first, as measures named documents, tied, share, groups, largest and mixed. *ties*
        is a tie policy, or min, max, lowest seen or highest seen.
        """
        columns = self.columns(per_topic)
        labels, topics = self.labels, self.shown(per_topic)
        value = np.stack([column.values for column in columns]).transpose(2, 0, 3, 1)
        applies = np.stack([column.applies for column in columns])[None, :, None, :]
        keep = np.flatnonzero(np.broadcast_to(applies, value.shape))
        run, thing, topic, label = np.unravel_index(keep, value.shape)
        exact = np.stack([column.exact for column in columns])[thing, label]
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([column.name for column in columns]).gather(thing),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "ties": pl.Series(labels).gather(label),
                "value": pl.Series(value.ravel()[keep]).fill_nan(None),
                "exact": exact,
            }
        )

    def summary(self) -> str:
        """Return how many documents are tied, and whether their order changes the order of the runs."""
        return describe_ties(self)

    def _show_runs(self) -> Table:
        return tabulate_runs(self)

    def _show_orders(self) -> Table:
        return Table(self._tabulate(per_topic=False), tabulate_orders(self, per_topic=False), caption=_ORDERS_CAPTION)

    def _show_topics(self) -> Table:
        return Table(self._tabulate(per_topic=True), tabulate_orders(self, per_topic=True), caption=_ORDERS_CAPTION)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the rows of each run: the orders; those of ``SEEN`` if some measure has no exact extremes."""
        ends = [end for end in SEEN if self.exact[ORDERS.index(end)].any()]
        seen = [name for end, name in SEEN.items() if not self.exact[ORDERS.index(end)].all()]
        return (*TIES, *ends, *seen)

    def shown(self, per_topic: bool) -> tuple[str, ...]:
        """Return the topics of :meth:`columns`: with *per_topic* each, then all."""
        return (*self.topics, ALL) if per_topic else (ALL,)

    def columns(self, per_topic: bool = False) -> list[TieColumn]:
        """Return the counts of documents, then the measures."""
        return [
            *self._count_columns(per_topic),
            *(self._measure_column(i, per_topic) for i in range(len(self.measures))),
        ]

    def _count_columns(self, per_topic: bool) -> list[TieColumn]:
        over_topics = self.counts.sum(axis=3)
        largest = COUNTS.index("largest")
        over_topics[:, largest] = self.counts[:, largest].max(axis=2, initial=0)
        every = np.concatenate([self.counts, over_topics[..., None]], axis=3).astype(np.float64)
        share = np.divide(every[:, 1], every[:, 0], out=np.full(every[:, 0].shape, np.nan), where=every[:, 0] > 0)
        named = dict(zip(COUNTS, every.transpose(1, 0, 2, 3), strict=True))
        named = {"documents": named["documents"], "tied": named["tied"], "share": share, **named}
        rows = [self.labels.index(precision) for precision in PRECISIONS]
        columns = []
        for name, number in named.items():
            column = self._blank(name, per_topic)
            column.values[rows] = number if per_topic else number[..., -1:]
            column.applies[rows] = True
            columns.append(column)
        return columns

    def _measure_column(self, index: int, per_topic: bool) -> TieColumn:
        measure = self.measures[index]
        column = self._blank(str(measure), per_topic)
        for order, of_runs, exact in zip(ORDERS, self.values[:, index], self.exact[:, index], strict=True):
            row = self.labels.index(order if exact else SEEN.get(order, order))
            over_topics = np.array([_aggregate(of_run, measure) for of_run in of_runs]).reshape(-1, 1)
            column.values[row] = np.hstack([of_runs, over_topics]) if per_topic else over_topics
            column.applies[row], column.exact[row] = True, exact
        return column

    def _blank(self, name: str, per_topic: bool) -> TieColumn:
        labels = len(self.labels)
        nothing = np.full((labels, len(self.runs), len(self.shown(per_topic))), np.nan)
        return TieColumn(name, nothing, np.zeros(labels, dtype=bool), np.ones(labels, dtype=bool))


def _aggregate(of_run: Floats, measure: Measure) -> float:
    """Return the value of a run over topics; NaN, not a sum of 0, for an order that the run does not have."""
    return np.nan if np.isnan(of_run).all() else aggregated(of_run, measure.aggregate)


# Tables ----------------------------------------------------------------------------------------------------------


def tabulate_runs(report: TieReport) -> Table:
    """Return a row for each run: counts of tied documents, and the range of each measure over all their orders."""
    frame = report.frame()
    step = len(report.measures)
    counts = frame.gather_every(step)
    shares = pl.Series("share", [f"{100 * share:.1f} %" for share in counts["share"].fill_null(0).to_list()])
    ranges = [
        align_texts(_write_ranges(frame.gather_every(step, offset=number), str(measure), measure.aggregate == "sum"))
        for number, measure in enumerate(report.measures)
    ]
    compact = counts.select("run", "tied").hstack([align_texts(shares), counts["mixed"], *ranges])
    sampled = not frame["exact"].all()
    seen = "; ~: range over sampled orders, others may lie beyond" if sampled else ""
    return Table(
        frame,
        compact,
        caption="tied, share: documents with the score of another one; mixed: tied documents whose group mixes grades; "
        f"measures: value, or its range over all orders of tied documents{seen}",
    )


def _write_ranges(rows: pl.DataFrame, name: str, counts: bool) -> pl.Series:
    """Return values as texts; where the order of tied documents matters, the lowest and the highest value."""
    digits = 0 if counts else DIGITS
    texts = []
    for value, low, high, exact in rows.select("value", "low", "high", "exact").iter_rows():
        ends = [format_cell(end, digits) for end in (low, high)]
        text = format_cell(value, digits) if ends[0] == ends[1] else "–".join(ends)
        texts.append(text if exact else f"{text}~")
    return pl.Series(name, texts, dtype=pl.String)


def tabulate_orders(report: TieReport, per_topic: bool) -> pl.DataFrame:
    """Return a row for each order; counts are in the rows of the policies that compare 64-bit and 32-bit scores."""
    columns = {column.name: column for column in report.columns(per_topic)}
    counts = ("tied", "mixed")
    shown = [*(str(measure) for measure in report.measures), *counts]
    topics = report.shown(per_topic)
    run, topic, label = np.indices((len(report.runs), len(topics), len(report.labels))).reshape(3, -1)
    heads = {"run": (report.runs, run), "topic": (topics, topic), "ties": (report.labels, label)}
    if not per_topic:
        del heads["topic"]
    frame = pl.DataFrame(
        [
            *(pl.Series(head, names, dtype=pl.String).gather(place) for head, (names, place) in heads.items()),
            *(pl.Series(name, columns[name].values.transpose(1, 2, 0).ravel()).fill_nan(None) for name in shown),
        ]
    )
    sums = [str(measure) for measure in report.measures if measure.aggregate == "sum"]
    return drop_fractions(frame, *sums).with_columns(pl.col(counts).cast(pl.Int64))


# Summary ---------------------------------------------------------------------------------------------------------


def describe_ties(report: TieReport) -> str:
    """Return how many documents are tied, and whether another order changes the order of runs by the first measure."""
    counts = report.counts[0].sum(axis=2)
    documents, tied = (int(counts[COUNTS.index(name)].sum()) for name in ("documents", "tied"))
    if not tied:
        return " ".join([f"None of {count(documents, 'document')} is tied.", *_describe_policies(report)])
    with_ties = int((counts[COUNTS.index("tied")] > 0).sum())
    share = f"{tied} of {count(documents, 'document')} are tied ({100 * tied / documents:.1f} %)"
    where = f", in {with_ties} of {count(len(report.runs), 'run')}." if len(report.runs) > 1 else "."
    effect = _describe_range(report) if len(report.runs) == 1 else _describe_swaps(report)
    return " ".join([share + where, effect, *_describe_policies(report)])


def _describe_range(report: TieReport) -> str:
    low, high = (report.overall(order)[0, 0] for order in ("min", "max"))
    if not high - low > ROUNDING:
        return f"Their order does not change {report.measures[0]}{_among(report)}."
    return f"Their order lets {report.measures[0]} lie between {low:.4f} and {high:.4f}{_among(report)}."


def _among(report: TieReport) -> str:
    """Return the limitation that the extremes of the first measure come from sampled orders, if they do."""
    if report.exact[ORDERS.index("min"), 0]:
        return ""
    return f" among {report.provenance.policies.samples} sampled orders"


def _describe_swaps(report: TieReport) -> str:
    """Return how many pairs of runs can change their order by the first measure.

    The tied documents of one run can be ordered independently of those of another: a pair can change its order if and
    only if the ranges of the two values overlap.
    """
    low, high = (report.overall(order)[0] for order in ("min", "max"))
    a, b = np.triu_indices(len(report.runs), 1)
    known = ~np.isnan(low[a] + low[b])
    least, most = subtract(low[a], high[b]), subtract(high[a], low[b])
    swaps = int((known & (np.sign(least) != np.sign(most))).sum())
    measure, among = report.measures[0], _among(report)
    if not swaps:
        return f"By {measure} no order of tied documents changes the order of the runs{among}."
    pairs = f"{swaps} of {count(int(known.sum()), 'pair')} of runs"
    return f"By {measure} other orders of tied documents can change the order of {pairs}{among}."


def _describe_policies(report: TieReport) -> list[str]:
    """Return which tie policies order the runs by the first measure otherwise than the default one."""
    values = {order: report.overall(order)[0] for order in TIES}
    known = {order: of_runs for order, of_runs in values.items() if not np.isnan(of_runs).any()}
    if len(report.runs) < 2 or PRECISIONS[0] not in known or len(known) < 2:
        return []
    first, *others = known
    own = _order_runs(known[first])
    differ = [order for order in others if not np.array_equal(_order_runs(known[order]), own)]
    if differ:
        return [f"Tie policies that order the runs otherwise than {first}: {', '.join(differ)}."]
    absent = [order for order in TIES if order not in known]
    return [f"The tie policies order the runs alike{f' (no values for {some(absent)})' if absent else ''}."]


def _order_runs(values: Floats) -> Floats:
    """Return the sign of the difference of every two runs, 0 for equal values."""
    return np.asarray(np.sign(subtract(values[:, None], values[None, :])))
