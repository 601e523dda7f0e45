"""The balancing index: the last rank from which on relevant documents make up for a single one at rank 1.

References
----------
Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval effectiveness*,
ICTIR 2015, section 6. The algorithm stops at rank 1 here, and the closed forms of RBP and ERR are the corrected ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.measures._graded import Graded
from assay.measures.average_precision import AP
from assay.measures.cascade import ERR
from assay.measures.dcg import DCG, discount, nDCG
from assay.measures.precision import P
from assay.measures.rank_biased import RBP, RBPnorm
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.checks import check_integer
from assay.model.judged import Judged
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts
from assay.theory._geometric import NONE, geometric, rank_biased

if TYPE_CHECKING:
    from assay.engine.workers import Progress

MEASURES = ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG(base=2)", "nDCG(base=10)")
"""The default measures."""
LENGTHS = (5, 10, 20, 50, 100, 200)
"""The default lengths of rankings."""
_WIDTH = 80  # of the table for people
_DOCUMENTS = 1 << 20  # of rankings evaluated together


@dataclass(frozen=True)
class RelevanceScale:
    """The two grades that are compared, and the topic of the rankings.

    Attributes
    ----------
    qmin, qmax
        The smallest and the largest grade that is relevant; *qmax* None is *qmin*: relevance is binary.
    recall_base
        Number of relevant documents: at least as many as the rankings hold, which is the default.
    counts
        Number of judged documents of each grade, instead of *recall_base*.
    """

    qmin: float = 1
    qmax: float | None = None
    recall_base: int | None = None
    counts: Mapping[float, int] | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.qmin) and self.qmin > 0):
            raise InputError(f"qmin must be a grade above 0, got {self.qmin:g}")
        if not (math.isfinite(self.top) and self.top >= self.qmin):
            raise InputError(f"qmax must be a grade of at least qmin={self.qmin:g}, got {self.top:g}")
        if self.recall_base is not None and self.counts is not None:
            raise InputError("write either recall_base or counts")

    @property
    def top(self) -> float:
        """The grade of the one document on top."""
        return self.qmin if self.qmax is None else self.qmax

    def topic(self, n: int) -> dict[float, int]:
        """Return the number of documents of each grade of the topic, for rankings of *n* documents."""
        used = {0.0: n - 1, float(self.top): 1, float(self.qmin): n}
        topic = dict(used)
        if self.recall_base is not None:
            topic[float(self.qmin)] = self.recall_base - (self.top != self.qmin)
        if self.counts is not None:
            topic = {0.0: n - 1, **{float(grade): number for grade, number in self.counts.items()}}
        for grade, needed in used.items():
            if topic.get(grade, 0) < needed:
                has = f"{topic.get(grade, 0)} of grade {grade:g}"
                raise InputError(f"rankings of {n} documents need {needed} of grade {grade:g}, but the topic has {has}")
        return topic

    def words(self) -> str:
        """Describe the topic."""
        if self.counts is not None:
            return ", ".join(f"{number} documents of grade {grade:g}" for grade, number in self.counts.items())
        relevant = "n" if self.recall_base is None else f"{self.recall_base - (self.top != self.qmin)}"
        one = "" if self.top == self.qmin else f", one of grade {self.top:g}"
        return f"{relevant} documents of grade {self.qmin:g}{one} and n - 1 of grade 0"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"qmin": self.qmin, "qmax": self.top, "topic": self.words()}


@dataclass(frozen=True, eq=False)
class Balance(Report):
    """Balancing indices of measures for several lengths of rankings; the report of :func:`balance`.

    Attributes
    ----------
    measures, n
        The measures and the lengths of rankings.
    values
        Measures x lengths: the balancing index, ``-inf`` where there is none.
    scale
        The grades, and the topic.
    provenance
        The settings.
    """

    measures: tuple[Measure, ...]
    n: tuple[int, ...]
    values: Floats
    scale: RelevanceScale
    provenance: Provenance

    name = "balance"
    tables: ClassVar[Mapping[str, str]] = {"lengths": "the balancing index of each measure, by length of the rankings"}

    def __repr__(self) -> str:
        lengths = f"n = {self.n[0]}" if len(self.n) == 1 else f"{len(self.n)} lengths"
        return f"Balance({', '.join(map(str, self.measures))}; {lengths})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and length: measure, n, balance (null where there is none)."""
        indices = [None if value == NONE else int(value) for value in self.values.ravel()]
        return pl.DataFrame(
            {
                "measure": pl.Series([str(one) for one in self.measures for _ in self.n], dtype=pl.String),
                "n": pl.Series(list(self.n) * len(self.measures), dtype=pl.Int64),
                "balance": pl.Series(indices, dtype=pl.Int64),
            }
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The topic that was assumed, where it can matter, and why some measures have no index."""
        needy = [str(one) for one in self.measures if one.uses_recall_base]
        topic = (f"{', '.join(needy)}: for a topic with {self.scale.words()}",) if needy else ()
        without = [str(one) for one, row in zip(self.measures, self.values, strict=True) if (row == NONE).any()]
        full = f"a ranking full of grade {self.scale.qmin:g} is worth less than a single document of grade"
        return topic + tuple(f"{one}: none where even {full} {self.scale.top:g} on top" for one in without)

    def summary(self) -> str:
        """Return which measures are most and least top-heavy for the longest rankings."""
        if not self.n or not self.measures:
            return ""
        place = int(np.argmax(self.n))
        longest = {str(one): float(row[place]) for one, row in zip(self.measures, self.values, strict=True)}
        n = f"n = {self.n[place]}"
        without = [name for name, value in longest.items() if value == NONE]
        none = f" {' and '.join(without)} {'has' if len(without) == 1 else 'have'} no index." if without else ""
        if 0 < len(without) < len(longest):
            longest = {name: value for name, value in longest.items() if value != NONE}
        lowest, highest = min(longest.values()), max(longest.values())
        if len(longest) == 1:
            [name] = longest
            index = f"{write_index(lowest)} (the closer to 1, the more top-heavy)"
            return f"Balancing index of {name} for {n}: {index}.{none if len(self.measures) > 1 else ''}"
        if lowest == highest:
            return f"All measures are tied for {n}: balancing index {write_index(lowest)}."
        return f"Most top-heavy for {n}: {_list_tied(longest, lowest)}. Least: {_list_tied(longest, highest)}.{none}"

    def _show_lengths(self) -> Table:
        names = pl.Series("measure", [str(one) for one in self.measures], dtype=pl.String)
        columns = [self._column(place) for place in range(len(self.n))]
        shown = self._fitting(names, columns)
        dropped = len(columns) - len(shown)
        caption = (
            "Balancing index: the last rank b such that relevant documents at ranks b to n make up for a single one at "
            "rank 1. Near 1 a measure is top-heavy, near n all ranks count much the same."
        )
        if (self.values == NONE).any():
            caption += " none: not even relevant documents at all ranks make up for it."
        return Table(
            self.frame(),
            pl.DataFrame([names, *(columns[place] for place in shown)]),
            caption=caption + f" {dropped} of {len(columns)} lengths are not shown." * (dropped > 0),
        )

    def _column(self, place: int) -> pl.Series:
        """Return the indices for one length: numbers, or texts if a measure has none."""
        name, values = f"n={self.n[place]}", self.values[:, place].tolist()
        if NONE in values:
            return align_texts(pl.Series(name, [write_index(value) for value in values], dtype=pl.String))
        return pl.Series(name, values).cast(pl.Int64)

    def _fitting(self, names: pl.Series, columns: list[pl.Series]) -> list[int]:
        """Return the lengths that fit beside each other, evenly spaced from the first to the last."""
        first = max(len(text) for text in ("measure", *names))
        widest = max((len(str(text)) for column in columns for text in (column.name, *column)), default=1)
        most = max((_WIDTH - first) // (widest + 2), 1)
        if len(columns) <= most:
            return list(range(len(columns)))
        return sorted({int(place) for place in np.linspace(0, len(columns) - 1, most).round()})


def write_index(value: float) -> str:
    """Return a balancing index as text; ``none`` if there is no index."""
    return "none" if value == NONE else f"{value:.0f}"


def _list_tied(values: Mapping[str, float], extreme: float) -> str:
    names = [name for name, value in values.items() if value == extreme]
    return f"{' and '.join(names)} ({write_index(extreme)})"


@check_arguments
def balance(
    measures: str | Measure | Iterable[str | Measure] | None = None,
    n: int | Iterable[int] = LENGTHS,
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
    progress: Progress | None = None,
) -> Balance:
    r"""Compute the balancing index of measures for several lengths of rankings: how top-heavy they are.

    .. math:: B(n) = \max \{ b \in 1..n : M(q_{max}, 0, ..., 0) \le M(0^{b-1}, q_{min}^{n-b+1}) \}

    Near *n* relevant documents at all ranks count much the same, near 1 only the top counts; ``-inf`` if there is no b.

    Parameters
    ----------
    measures
        Measures or their names; by default ``MEASURES``.
    n
        The lengths of rankings, or one.
    qmin, qmax
        The smallest and the largest relevant grade; by default relevance is binary.
    recall_base, counts
        The number of relevant documents of the topic, or of judged documents of each grade, for measures that need it.
    progress
        Called with the number of values done and their total.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, section 6.

    Examples
    --------
    >>> balance(["AP", "ERR"], [5, 10]).values.tolist()
    [[3.0, 7.0], [1.0, 1.0]]
    """
    chosen = parse_measures(MEASURES if measures is None else measures)
    lengths = tuple(check_integer("n", length, 1) for length in ([n] if isinstance(n, int | np.integer) else n))
    scale = RelevanceScale(qmin, qmax, recall_base, counts)
    values = np.full((len(chosen), len(lengths)), NONE)
    for i, one in enumerate(chosen):
        for j, length in enumerate(lengths):
            values[i, j] = _balancing(one, length, scale)
            if progress is not None:
                progress(i * len(lengths) + j + 1, values.size)
    topic = None if counts is None else {f"{grade:g}": number for grade, number in counts.items()}
    settings = {"recall_base": recall_base, "counts": topic, **scale.as_dict()}
    settings |= {"measures": [str(one) for one in chosen], "n": list(lengths)}
    return Balance(chosen, lengths, values, scale, Provenance().with_settings(**settings))


def balancing(
    measure: str | Measure,
    n: int,
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
) -> float:
    r"""Return the balancing index of a measure M for rankings of *n* documents; ``-inf`` if there is none.

    .. math:: B(n) = \max \{ b \in 1..n : M(q_{max}, 0, ..., 0) \le M(0^{b-1}, q_{min}^{n-b+1}) \}

    Near *n* relevant documents at all ranks count much the same, near 1 only the top counts: the measure is top-heavy.
    All b are tried, so nothing is assumed about the measure; values that differ by rounding are equal. Geometric
    weights come closer to a limit than that without reaching it: RBP and RBPnorm are then compared exactly.

    Parameters
    ----------
    qmin, qmax
        The smallest and the largest relevant grade; by default relevance is binary.
    recall_base
        For measures that need it, the number of relevant documents of the topic: at least as many as the rankings
        hold. That is the default: *n* of grade *qmin*, and one of *qmax* if that is another. It cancels out in AP and
        nDCG.
    counts
        Instead of *recall_base*, the number of judged documents of each grade (by default n - 1 of grade 0).

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, Definition of the balancing index and Algorithm 1 (which need not stop; this does).

    Examples
    --------
    >>> balancing("RBP(p=0.8)", 20), balancing("RBP(p=0.8)", 21), balancing("ERR", 21, qmax=3)
    (7, 8, -inf)
    """
    return _balancing(parse_measure(measure), check_integer("n", n, 1), RelevanceScale(qmin, qmax, recall_base, counts))


def balancing_series(
    measure: str | Measure,
    ns: Iterable[int],
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
) -> list[float]:
    """Return the balancing index for each of several lengths.

    >>> balancing_series("AP", [5, 10, 20, 50])
    [3, 7, 15, 41]
    """
    chosen, scale = parse_measure(measure), RelevanceScale(qmin, qmax, recall_base, counts)
    return [_balancing(chosen, check_integer("n", n, 1), scale) for n in ns]


def _balancing(measure: Measure, n: int, scale: RelevanceScale) -> float:
    """Try b from the largest down, many at a time: the first one that balances is the largest."""
    topic = scale.topic(n)
    levels = sorted(topic)
    nothing, least, most = (np.uint16(1 + levels.index(grade)) for grade in (0.0, float(scale.qmin), float(scale.top)))

    rank = np.arange(1, n + 1)
    [single] = valued(measure, rankings(np.where(rank == 1, most, nothing)[None, :], topic))
    rows = max(1, _DOCUMENTS // n)
    exact = geometric(measure, n, *_gains(measure, scale)) if isinstance(measure, RBP | RBPnorm) else None
    for high in range(n, 0, -rows):
        first = np.arange(max(high - rows, 0) + 1, high + 1)
        tail = valued(measure, rankings(np.where(rank >= first[:, None], least, nothing), topic))
        enough = at_most(single, tail)
        if exact is not None:
            close = enough & at_most(tail, np.full(len(tail), single))
            enough[close] = [exact.balances(int(b)) for b in first[close]]
        if enough.any():
            return int(first[enough][-1])
    return NONE


def rankings(code: np.ndarray[Any, Any], topic: Mapping[float, int]) -> Judged:
    """Return judged rankings of one length and one topic from a matrix of codes: 1 + the place of the grade."""
    many, n = code.shape
    levels = sorted(topic)
    return Judged(
        levels=np.array(levels, dtype=np.float64),
        counts=np.array([[topic[grade] for grade in levels]], dtype=np.int64),
        topic=np.zeros(many, dtype=np.int64),
        start=np.arange(many + 1) * n,
        code=code.ravel(),
        answered=np.ones(many, dtype=bool),
    )


def valued(measure: Measure, judged: Judged) -> Floats:
    """Return the values of rankings of an artificial topic; refused if the measure is not defined for it."""
    if not measure.defined(judged).all():
        grades = " ".join(f"{grade:g}" for grade in judged.levels)
        raise MeasureError(f"measure '{measure}': has no value for a topic with the grades {grades}")
    return measure.score(judged)


def at_most(value: float | Floats, others: Floats) -> Bools:
    """Return whether a value is at most each of the others, or more by no more than rounding."""
    value = np.broadcast_to(value, others.shape)
    near = np.zeros(len(others), dtype=bool)
    finite = np.isfinite(others) & np.isfinite(value)
    a, b = value[finite], others[finite]
    near[finite] = a - b <= ROUNDING * np.maximum(np.abs(a), np.abs(b))
    return near | (value <= others)


# Closed forms ----------------------------------------------------------------------------------------------------


def closed_form(measure: str | Measure, n: int, *, qmin: float = 1, qmax: float | None = None) -> float | None:
    """Return the balancing index by the closed form of AP, RBP, ERR, DCG, nDCG or P; None for any other measure.

    >>> closed_form("RBP(p=0.95)", 134), closed_form("ERR", 20), closed_form("P@10", 20), closed_form("RR", 20)
    (59, 1, 10, None)
    """
    chosen, length, scale = parse_measure(measure), check_integer("n", n, 1), RelevanceScale(qmin, qmax)
    form = _FORMS.get(type(chosen))
    if form is None or (isinstance(chosen, RBP) and chosen.p is None):
        return None
    nothing, least, most = _gains(chosen, scale)
    if nothing != 0:
        return None  # what is not relevant is worth less than nothing
    if most <= 0:
        return length
    cut: int | None = getattr(chosen, "cutoff", None)
    return form(chosen, length if cut is None else min(length, cut), least, most)


def _gains(measure: Measure, scale: RelevanceScale) -> tuple[float, float, float]:
    """Return the gains of documents of grade 0, of the smallest and of the largest relevant grade."""
    judged = rankings(np.zeros((0, 1), dtype=np.uint16), topic := scale.topic(1))
    if isinstance(measure, Graded | RBPnorm):
        table = measure.gain(judged)
    else:
        table = judged.relevance(getattr(measure, "rel", 1))
    of = dict(zip(sorted(topic), table[1:].tolist(), strict=True))
    return of[0.0], of[float(scale.qmin)], of[float(scale.top)]


def _largest(enough: Bools) -> float:
    """Return the largest b for which *enough* is true."""
    return int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else NONE


def _tails(amount: Floats) -> Floats:
    """Return the sum from each place to the end."""
    return np.cumsum(amount[::-1])[::-1]


def _average_precision(_measure: Measure, n: int, least: float, _most: float) -> float:
    """The sum over k = 1..n-b+1 of k / (k + b - 1) is at least 1; with i = k + b - 1 it is over 1 - (b - 1) / i."""
    rank = np.arange(1, n + 1)
    return _largest(at_most(1.0, n - rank + 1 - (rank - 1) * _tails(1 / rank))) if least else NONE


def _cascade(_measure: Measure, n: int, least: float, most: float) -> float:
    """The sum over k = b..n of x (1 - x)^(k-b) / k; the printed exponent k - 1 lets documents worth nothing stop."""
    from_below = accumulate(range(n, 0, -1), lambda below, rank: least / rank + (1 - least) * below, initial=0.0)
    return _largest(at_most(most, np.array([*from_below][:0:-1])))


def _discounted(measure: Any, n: int, least: float, most: float) -> float:
    """The sum over i = b..n of 1 / discount(i); the discount of rank 1 is 1, and an ideal value cancels out."""
    rank: Ints = np.arange(1, n + 1)
    return _largest(at_most(most, least * _tails(1 / discount(rank, measure.base))))


def _precision(_measure: Measure, n: int, least: float, _most: float) -> float:
    return n if least else NONE


_FORMS: dict[type[Measure], Callable[[Any, int, float, float], float]] = {
    AP: _average_precision,
    RBP: rank_biased,
    ERR: _cascade,
    DCG: _discounted,
    nDCG: _discounted,
    P: _precision,
}
