"""The balancing index: how far down a ranking full of relevant documents may begin and still make up for one on top.

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
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay._version import VERSION
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
from assay.model.checks import whole
from assay.model.judged import Judged
from assay.theory._geometric import NONE, geometric, rank_biased

if TYPE_CHECKING:
    from assay.engine.workers import Progress

_DOCUMENTS = 1 << 20  # of rankings looked at together


@dataclass(frozen=True)
class RelevanceScale:
    """The two grades that are weighed against each other, and the topic to which the rankings answer.

    Attributes
    ----------
    qmin, qmax
        The smallest and the largest grade that is relevant; *qmax* None is *qmin*: relevance is binary.
    recall_base
        How many documents are relevant: at least as many as the rankings hold, which is the default.
    counts
        How many documents were judged with each grade, in place of *recall_base*.
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
        """How many documents of each grade the topic of rankings of *n* documents has."""
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
        """The topic, for people."""
        if self.counts is not None:
            return ", ".join(f"{number} documents of grade {grade:g}" for grade, number in self.counts.items())
        relevant = "n" if self.recall_base is None else f"{self.recall_base - (self.top != self.qmin)}"
        one = "" if self.top == self.qmin else f", one of grade {self.top:g}"
        return f"{relevant} documents of grade {self.qmin:g}{one} and n - 1 of grade 0"

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"qmin": self.qmin, "qmax": self.top, "topic": self.words()}


@dataclass(frozen=True, eq=False)
class Balance:
    """What :func:`balance_report` returns.

    Attributes
    ----------
    measures, ns
        The measures and the lengths of rankings.
    values
        Measures x lengths: the balancing index, ``-inf`` where there is none.
    scale
        The grades, and the topic.
    """

    measures: tuple[Measure, ...]
    ns: tuple[int, ...]
    values: Floats
    scale: RelevanceScale

    def frame(self) -> pl.DataFrame:
        """A polars frame: measure, n, balance (null where there is none)."""
        found = [None if value == NONE else int(value) for value in self.values.ravel()]
        return pl.DataFrame(
            {
                "measure": pl.Series([str(one) for one in self.measures for _ in self.ns], dtype=pl.String),
                "n": pl.Series(list(self.ns) * len(self.measures), dtype=pl.Int64),
                "balance": pl.Series(found, dtype=pl.Int64),
            }
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """What the numbers depend on."""
        return {"assay": VERSION, "balance": self.scale.as_dict()}

    @property
    def notes(self) -> tuple[str, ...]:
        """Which topic was assumed, where that can matter, and that some measures have no index."""
        needy = [str(one) for one in self.measures if one.uses_recall_base]
        topic = (f"{', '.join(needy)}: for a topic with {self.scale.words()}",) if needy else ()
        without = [str(one) for one, found in zip(self.measures, self.values, strict=True) if (found == NONE).any()]
        full = f"a ranking full of grade {self.scale.qmin:g} is worth less than a single document of grade"
        return topic + tuple(f"{one}: none where even {full} {self.scale.top:g} on top" for one in without)


@check_arguments
def balance_report(
    measures: str | Measure | Iterable[str | Measure],
    ns: Iterable[int],
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
    progress: Progress | None = None,
) -> Balance:
    r"""The balancing index of several measures for several lengths of rankings: how top-heavy they are.

    .. math:: B(n) = \max \{ b \in 1..n : M(q_{max}, 0, ..., 0) \le M(0^{b-1}, q_{min}^{n-b+1}) \}

    Near *n* a measure cares for relevant documents at all ranks, near 1 only for the top; ``-inf`` if there is no b.

    Parameters
    ----------
    measures
        Measures or their names.
    ns
        The lengths n.
    qmin, qmax
        The smallest and the largest relevant grade; by default relevance is binary.
    recall_base, counts
        How many documents of the topic are relevant, or how many were judged with each grade, for measures that ask.
    progress
        Called with the number of values done and their total.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, section 6.

    Examples
    --------
    >>> balance_report(["AP", "ERR"], [5, 10]).values.tolist()
    [[3.0, 7.0], [1.0, 1.0]]
    """
    chosen, lengths, scale = (
        parse_measures(measures),
        tuple(whole("n", n, 1) for n in ns),
        RelevanceScale(qmin, qmax, recall_base, counts),
    )
    values = np.full((len(chosen), len(lengths)), NONE)
    for i, one in enumerate(chosen):
        for j, n in enumerate(lengths):
            values[i, j] = _balancing(one, n, scale)
            if progress is not None:
                progress(i * len(lengths) + j + 1, values.size)
    return Balance(chosen, lengths, values, scale)


def balancing(
    measure: str | Measure,
    n: int,
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
) -> float:
    r"""The balancing index of a measure M for rankings of *n* documents; ``-inf`` if there is none.

    .. math:: B(n) = \max \{ b \in 1..n : M(q_{max}, 0, ..., 0) \le M(0^{b-1}, q_{min}^{n-b+1}) \}

    Near *n* a measure cares for relevant documents at all ranks, near 1 only for the top: it is top-heavy.
    All b are looked at, so nothing is assumed about the measure; values that differ by rounding are equal. Geometric
    weights come closer to a limit than that without reaching it: RBP and RBPnorm are then compared exactly.

    Parameters
    ----------
    qmin, qmax
        The smallest and the largest relevant grade; by default relevance is binary.
    recall_base
        For measures that need it, how many documents of the topic are relevant: at least as many as the rankings
        hold. That is the default: *n* of grade *qmin*, and one of *qmax* if that is another. It cancels out in AP and
        nDCG.
    counts
        In place of *recall_base*, how many documents were judged with each grade (by default n - 1 with grade 0).

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, Definition of the balancing index and Algorithm 1 (which need not stop; this does).

    Examples
    --------
    >>> balancing("RBP(p=0.8)", 20), balancing("RBP(p=0.8)", 21), balancing("ERR", 21, qmax=3)
    (7, 8, -inf)
    """
    return _balancing(parse_measure(measure), whole("n", n, 1), RelevanceScale(qmin, qmax, recall_base, counts))


def balancing_series(
    measure: str | Measure,
    ns: Iterable[int],
    *,
    qmin: float = 1,
    qmax: float | None = None,
    recall_base: int | None = None,
    counts: Mapping[float, int] | None = None,
) -> list[float]:
    """The balancing index for each of several lengths.

    >>> balancing_series("AP", [5, 10, 20, 50])
    [3, 7, 15, 41]
    """
    chosen, scale = parse_measure(measure), RelevanceScale(qmin, qmax, recall_base, counts)
    return [_balancing(chosen, whole("n", n, 1), scale) for n in ns]


def _balancing(measure: Measure, n: int, scale: RelevanceScale) -> float:
    """From the largest b down, many at a time: the first one that balances is the largest."""
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
    """Rankings of one length as judged rankings of a topic, from a matrix: 1 + the place of the grade among all."""
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
    """The values of rankings of a topic that was made up; refused if the measure has none for such a topic."""
    if not measure.defined(judged).all():
        grades = " ".join(f"{grade:g}" for grade in judged.levels)
        raise MeasureError(f"measure '{measure}': has no value for a topic with the grades {grades}")
    return measure.score(judged)


def at_most(value: float | Floats, others: Floats) -> Bools:
    """Whether a value is at most each of the others, or more by no more than rounding."""
    value = np.broadcast_to(value, others.shape)
    near = np.zeros(len(others), dtype=bool)
    finite = np.isfinite(others) & np.isfinite(value)
    a, b = value[finite], others[finite]
    near[finite] = a - b <= ROUNDING * np.maximum(np.abs(a), np.abs(b))
    return near | (value <= others)


# Closed forms ----------------------------------------------------------------------------------------------------


def closed_form(measure: str | Measure, n: int, *, qmin: float = 1, qmax: float | None = None) -> float | None:
    """The balancing index by the closed form of AP, RBP, ERR, DCG, nDCG or P; None for any other measure.

    >>> closed_form("RBP(p=0.95)", 134), closed_form("ERR", 20), closed_form("P@10", 20), closed_form("RR", 20)
    (59, 1, 10, None)
    """
    chosen, length, scale = parse_measure(measure), whole("n", n, 1), RelevanceScale(qmin, qmax)
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
    """What documents of grade 0, of the smallest and of the largest grade are worth."""
    judged = rankings(np.zeros((0, 1), dtype=np.uint16), topic := scale.topic(1))
    if isinstance(measure, Graded | RBPnorm):
        table = measure.gain(judged)
    else:
        table = judged.relevance(getattr(measure, "rel", 1))
    of = dict(zip(sorted(topic), table[1:].tolist(), strict=True))
    return of[0.0], of[float(scale.qmin)], of[float(scale.top)]


def _largest(enough: Bools) -> float:
    """The largest b, where *enough* tells of each whether it balances."""
    return int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else NONE


def _tails(amount: Floats) -> Floats:
    """The sum from each place to the end."""
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
