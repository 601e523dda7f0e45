"""The balancing index: the last rank b such that relevant documents at ranks b to n balance one at rank 1.

References
----------
Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval effectiveness*,
ICTIR 2015, section 6. Unlike the algorithm in the paper, the search here always stops, at rank 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures.rank_biased import RBP, RBPnorm
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.checks import check_integer
from assay.model.judged import Judged
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.sentences import find_extremes, list_names
from assay.results.tables import Table, align_texts
from assay.theory._geometric import NONE, to_geometric
from assay.theory._steps import check_grades

if TYPE_CHECKING:
    from assay.engine.workers import Progress

MEASURES = ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG(base=2)", "nDCG(base=10)")
"""The default measures."""
LENGTHS = (5, 10, 20, 50, 100, 200)
"""The default lengths of rankings."""
_WIDTH = 80  # Maximum width of the compact table.
_DOCUMENTS = 1 << 20  # Maximum number of documents in a block of rankings.


@dataclass(frozen=True)
class RelevanceScale:
    """The two grades that are compared, and the topic of the rankings.

    Attributes
    ----------
    qmin, qmax
        The smallest and the largest relevant grade. If *qmax* is None, relevance is binary: *qmax* equals *qmin*.
    recall_base
        Number of relevant documents of the topic, at least as many as the rankings contain (default: this minimum).
    counts
        Number of judged documents of each grade, instead of *recall_base*.
    grades
        All grades of the relevance scale. The gains of some measures, such as ERR, depend on the highest grade.
    """

    qmin: float = 1
    qmax: float | None = None
    recall_base: int | None = None
    counts: Mapping[float, int] | None = None
    grades: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.qmin) and self.qmin > 0):
            raise InputError(f"qmin must be a grade above 0, got {self.qmin:g}")
        if not (math.isfinite(self.top) and self.top >= self.qmin):
            raise InputError(f"qmax must be a grade of at least qmin={self.qmin:g}, got {self.top:g}")
        if self.recall_base is not None and self.counts is not None:
            raise InputError("recall_base cannot be combined with counts")

    @property
    def top(self) -> float:
        """The grade of the single document at rank 1."""
        return self.qmin if self.qmax is None else self.qmax

    def topic(self, n: int) -> dict[float, int]:
        """Return the number of documents of each grade of the topic, for rankings of *n* documents."""
        needed = {0.0: n - 1, float(self.top): 1, float(self.qmin): n}
        unused = dict.fromkeys(self.grades, 0)
        topic = {**unused, **needed}
        if self.recall_base is not None:
            topic[float(self.qmin)] = self.recall_base - (self.top != self.qmin)
        if self.counts is not None:
            topic = {**unused, 0.0: n - 1, **{float(grade): count for grade, count in self.counts.items()}}
        for grade, count in needed.items():
            if topic.get(grade, 0) < count:
                documents = f"{pluralize(count, 'document')} of grade {grade:g}"
                raise InputError(f"rankings of {n} documents need {documents}; the topic has {topic.get(grade, 0)}")
        return topic

    def describe_topic(self) -> str:
        """Return the number of documents of each grade in words."""
        if self.counts is not None:
            return ", ".join(f"{count} documents of grade {grade:g}" for grade, count in self.counts.items())
        relevant = "n" if self.recall_base is None else f"{self.recall_base - (self.top != self.qmin)}"
        one = "" if self.top == self.qmin else f", one of grade {self.top:g}"
        return f"{relevant} documents of grade {self.qmin:g}{one} and n - 1 of grade 0"


@dataclass(frozen=True, eq=False)
class Balance(Report):
    """Balancing indices of measures for several lengths of rankings; the report of :func:`balance`.

    Attributes
    ----------
    measures, n
        The measures and the lengths of rankings.
    scales
        The pairs of grades, each with its topic; a single pair unless all pairs of a scale are compared.
    values
        Rows x lengths: the balancing index; ``-inf`` if there is none. There is a row for each measure and, within a
        measure, for each pair of grades.
    provenance
        The settings of the analysis.
    """

    measures: tuple[Measure, ...]
    n: tuple[int, ...]
    scales: tuple[RelevanceScale, ...]
    values: Floats
    provenance: Provenance

    name = "balance"
    tables: ClassVar[Mapping[str, str]] = {"lengths": "the balancing index of each measure, by length of the rankings"}

    def __repr__(self) -> str:
        lengths = f"n = {self.n[0]}" if len(self.n) == 1 else f"{len(self.n)} lengths"
        return f"Balance({', '.join(map(str, self.measures))}; {lengths})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure, pair of grades and length: measure, qmin, qmax, n, balance.

        *balance* is null if there is no index.
        """
        rows = [
            (str(one), scale.qmin, scale.top, n, None if value == NONE else int(value))
            for (one, scale), values in zip(self._rows, self.values, strict=True)
            for n, value in zip(self.n, values, strict=True)
        ]
        grades = {"qmin": pl.Float64, "qmax": pl.Float64}
        schema = {"measure": pl.String, **grades, "n": pl.Int64, "balance": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def _rows(self) -> list[tuple[Measure, RelevanceScale]]:
        """The measure and the pair of grades of each row of *values*."""
        return [(measure, scale) for measure in self.measures for scale in self.scales]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the assumed topic, if a measure depends on it, and on measures without an index."""
        scale = self.scales[0] if len(self.scales) == 1 else None
        dependent = ", ".join(str(one) for one in self.measures if one.uses_recall_base)
        has_topic = scale is not None or self.scales[0].counts is not None
        documents = self.scales[0].describe_topic() if has_topic else _PAIR_TOPIC
        notes = [f"{dependent}: computed for a topic with {documents}"] if dependent else []
        lower, higher = ("qmin", "qmax") if scale is None else (f"{scale.qmin:g}", f"{scale.top:g}")
        reason = (
            f"even a ranking with grade {lower} at all ranks has a lower value than a single document of grade "
            f"{higher} at rank 1"
        )
        cases = "lengths" if scale is not None else "lengths and grades"
        rows = zip(self._rows, self.values, strict=True)
        without = dict.fromkeys(str(one) for (one, _), row in rows if (row == NONE).any())
        return (*notes, *(f"{one}: no index for some {cases}, because {reason}" for one in without))

    def summary(self) -> str:
        """Return the measures that are most and least top-heavy for the longest rankings.

        If there are several pairs of grades, the sentence is about the lowest and the highest grade, as in the paper.
        """
        if not self.n or not self.measures:
            return ""
        longest = int(np.argmax(self.n))
        rows = zip(self._rows, self.values, strict=True)
        grades = (self.scales[0].qmin, self.scales[-1].top)
        values = {str(one): float(row[longest]) for (one, scale), row in rows if (scale.qmin, scale.top) == grades}
        n = f"n = {self.n[longest]}"
        if len(self.scales) > 1:
            n += f", grades {grades[0]:g} and {grades[1]:g}"
        without = [name for name, value in values.items() if value == NONE]
        no_index = f" {list_names(without)} {'has' if len(without) == 1 else 'have'} no index." if without else ""
        if 0 < len(without) < len(values):
            values = {name: value for name, value in values.items() if value != NONE}
        extremes = find_extremes(values)
        assert extremes is not None, "there is a measure, and an index is never NaN"
        lowest, highest = format_index(extremes.low), format_index(extremes.high)
        if len(values) == 1:
            index = f"{lowest} (values near 1 mean top-heavy)"
            others = no_index if len(self.measures) > 1 else ""
            return f"The balancing index of {extremes.lowest[0]} for {n} is {index}.{others}"
        if extremes.all_equal:
            return f"All measures are tied for {n}: the balancing index is {lowest}."
        return (
            f"Most top-heavy for {n}: {list_names(extremes.lowest)} ({lowest}). "
            f"Least top-heavy: {list_names(extremes.highest)} ({highest}).{no_index}"
        )

    def _show_lengths(self) -> Table:
        names = [pl.Series("measure", [str(one) for one, _ in self._rows], dtype=pl.String)]
        several = len(self.scales) > 1
        if several:
            names += [
                pl.Series(name, [f"{getattr(scale, attribute):g}" for _, scale in self._rows], dtype=pl.String)
                for name, attribute in (("qmin", "qmin"), ("qmax", "top"))
            ]
        columns = [self._build_column(i) for i in range(len(self.n))]
        selected = self._select_columns(names, columns)
        omitted = len(columns) - len(selected)
        caption = (
            "Balancing index: the last rank b such that a ranking with relevant documents at ranks b to n has at least "
            "the value of a ranking with a single relevant document at rank 1. An index near 1 means that the measure "
            "is top-heavy; near n, all ranks have similar weight."
        )
        if several:
            caption += " qmax: grade of the document at rank 1; qmin: grade of the documents at ranks b to n."
        if (self.values == NONE).any():
            caption += " none: even a ranking with relevant documents at all ranks has a lower value."
        return Table(
            self.frame(),
            pl.DataFrame([names[0], *map(align_texts, names[1:]), *(columns[i] for i in selected)]),
            caption=caption + f" {omitted} of {len(columns)} lengths are not shown." * (omitted > 0),
        )

    def _build_column(self, i: int) -> pl.Series:
        """Return the balancing indices for the i-th length: integers, or texts if a measure has no index."""
        name, values = f"n={self.n[i]}", self.values[:, i].tolist()
        if NONE in values:
            return align_texts(pl.Series(name, [format_index(value) for value in values], dtype=pl.String))
        return pl.Series(name, values).cast(pl.Int64)

    def _select_columns(self, names: list[pl.Series], columns: list[pl.Series]) -> list[int]:
        """Return the indices of evenly spaced columns, from the first to the last, that fit into the width."""
        first = sum(2 + max(len(text) for text in (series.name, *series)) for series in names) - 2
        widest = max((len(str(text)) for column in columns for text in (column.name, *column)), default=1)
        max_columns = max((_WIDTH - first) // (widest + 2), 1)
        if len(columns) <= max_columns:
            return list(range(len(columns)))
        return sorted({int(i) for i in np.linspace(0, len(columns) - 1, max_columns).round()})


def format_index(value: float) -> str:
    """Return a balancing index as text; ``none`` if there is no index."""
    return "none" if value == NONE else f"{value:.0f}"


@check_arguments
def balance(
    measures: str | Measure | Iterable[str | Measure] | None = None,
    n: int | Iterable[int] = LENGTHS,
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
    grades: Sequence[float] | None = None,
    progress: Progress | None = None,
) -> Balance:
    r"""Compute the balancing index of measures, which shows how top-heavy they are, for several ranking lengths.

    .. math:: B(n) = \max \{ b \in 1..n : M(q_{max}, 0, ..., 0) \le M(0^{b-1}, q_{min}^{n-b+1}) \}

    If the index is near 1, the measure is top-heavy: only the top ranks count. If it is near *n*, all ranks have
    similar weight. The index is ``-inf`` if there is no such b.

    Parameters
    ----------
    measures
        Measures or their names; by default ``MEASURES``.
    n
        One or several lengths of rankings.
    qmin, qmax
        The smallest and the largest relevant grade; by default relevance is binary.
    recall_base, counts
        The number of relevant documents of the topic, or the number of judged documents of each grade. Some measures
        depend on them.
    grades
        The grades of the relevance scale, ascending from 0, instead of *qmin* and *qmax*: compute an index for every
        pair of grades above 0. The lower grade of the pair is qmin, the higher is qmax; the two may be equal.
    progress
        Function that is called with the number of indices done and their total.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, section 6.

    Examples
    --------
    >>> balance(["AP", "ERR"], [5, 10]).values.tolist()
    [[3.0, 7.0], [1.0, 1.0]]
    >>> balance("CG", 10, grades=[0, 1, 3]).frame().select("qmin", "qmax", "balance").rows()
    [(1.0, 1.0, 10), (1.0, 3.0, 8), (3.0, 3.0, 10)]
    """
    chosen = parse_measures(MEASURES if measures is None else measures)
    lengths = tuple(check_integer("n", length, 1) for length in ([n] if isinstance(n, int | np.integer) else n))
    scales = _pair_grades(qmin, qmax, recall_base, counts, grades)
    values = np.full((len(chosen) * len(scales), len(lengths)), NONE)
    for i, (one, scale) in enumerate(product(chosen, scales)):
        for j, length in enumerate(lengths):
            values[i, j] = _search_index(one, length, scale)
            if progress is not None:
                progress(i * len(lengths) + j + 1, values.size)
    provenance = Provenance().with_settings(
        recall_base=recall_base,
        counts=None if counts is None else {f"{grade:g}": count for grade, count in counts.items()},
        grades=None if grades is None else list(scales[0].grades),
        qmin=scales[0].qmin,
        qmax=scales[-1].top,
        topic=scales[0].describe_topic() if grades is None else _PAIR_TOPIC,
        measures=[str(one) for one in chosen],
        n=list(lengths),
    )
    return Balance(chosen, lengths, scales, values, provenance)


_PAIR_TOPIC = "n documents of grade qmin, one of grade qmax and n - 1 of grade 0"


def _pair_grades(
    qmin: float,
    qmax: float | None,
    recall_base: int | None,
    counts: Mapping[float, int] | None,
    grades: Sequence[float] | None,
) -> tuple[RelevanceScale, ...]:
    """Return all pairs of *grades* above 0, or the single pair of *qmin* and *qmax*."""
    if grades is None:
        return (RelevanceScale(qmin, qmax, recall_base, counts),)
    if qmin != 1 or qmax is not None:
        raise InputError("grades cannot be combined with qmin or qmax")
    if recall_base is not None:
        raise InputError("grades cannot be combined with recall_base; use counts")
    scale = tuple(check_grades(grades).tolist())
    pairs = combinations_with_replacement(scale[1:], 2)
    return tuple(RelevanceScale(lower, higher, None, counts, scale) for lower, higher in pairs)


def _search_index(measure: Measure, n: int, scale: RelevanceScale) -> float:
    """Return the largest b that balances rank 1. All b are tried in descending order, in blocks.

    Nothing is assumed about the measure: b + 1 may balance rank 1 although b does not. Values that differ only by
    rounding errors are equal. Values of RBP and RBPnorm can differ by less than the rounding error; such values are
    compared exactly.
    """
    topic = scale.topic(n)
    levels = sorted(topic)
    codes = [1 + levels.index(grade) for grade in (0, scale.qmin, scale.top)]
    nonrelevant, smallest, largest = np.array(codes, dtype=np.uint16)
    rank = np.arange(1, n + 1)
    one_relevant = judged_from_codes(np.where(rank == 1, largest, nonrelevant)[None, :], topic)
    [single] = score_artificial(measure, one_relevant)
    exact = None
    if isinstance(measure, RBP | RBPnorm):
        exact = to_geometric(measure, n, *measure.gain(one_relevant)[codes].tolist())
    block_size = max(1, _DOCUMENTS // n)
    for high in range(n, 0, -block_size):
        first = np.arange(max(high - block_size, 0) + 1, high + 1)
        tail_codes = np.where(rank >= first[:, None], smallest, nonrelevant)
        tail = score_artificial(measure, judged_from_codes(tail_codes, topic))
        balances = is_at_most(single, tail)
        if exact is not None:
            close = balances & is_at_most(tail, single)
            balances[close] = [exact.balances(int(b)) for b in first[close]]
        if balances.any():
            return int(first[balances][-1])
    return NONE


def judged_from_codes(code: np.ndarray[Any, Any], topic: Mapping[float, int]) -> Judged:
    """Return judged rankings of one topic from a matrix of codes, rankings x ranks.

    The code of a document is 1 + the index of its grade. *topic* gives the number of documents of each grade.
    """
    rankings, n = code.shape
    levels = sorted(topic)
    return Judged(
        levels=np.array(levels, dtype=np.float64),
        counts=np.array([[topic[grade] for grade in levels]], dtype=np.int64),
        topic=np.zeros(rankings, dtype=np.int64),
        start=np.arange(rankings + 1) * n,
        code=code.ravel(),
        answered=np.ones(rankings, dtype=bool),
    )


def score_artificial(measure: Measure, judged: Judged) -> Floats:
    """Return the values of rankings of an artificial topic; raise an error if the measure is undefined on the topic."""
    if not measure.is_defined(judged).all():
        grades = " ".join(f"{grade:g}" for grade in judged.levels)
        raise MeasureError(f"measure '{measure}': undefined for a topic with the grades {grades}")
    return measure.score(judged)


def is_at_most(value: float | Floats, others: float | Floats) -> Bools:
    """Return True where *value* is at most the corresponding value in *others*, apart from rounding errors."""
    with np.errstate(invalid="ignore"):  # The difference of two infinities is not a number.
        is_close = value - others <= ROUNDING * np.maximum(np.abs(value), np.abs(others))
    return np.asarray((value <= others) | (is_close & np.isfinite(value) & np.isfinite(others)))
