"""The order on runs: which of two rankings is at least as good whatever the measure, as long as it rewards relevance.

Rank-based: r is below s if for every rank k and every grade p above 0 the top k of r hold no more documents of grade p
or better than those of s. That is so if and only if the m-th document of grade p or better never stands higher in r
than in s: rankings are compared by the ranks of their relevant documents, all pairs of runs at once. Set-based: the
same for the whole rankings only. Two rankings may be incomparable: there measures are free to differ. Rankings of
unequal length are incomparable, too, unless the shorter one is padded with documents that are not relevant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from assay.engine.workers import Progress
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.checks import whole
from assay.model.judged import Judged
from assay.model.notes import count
from assay.model.policies import Policies, refuse_expected
from assay.results._evaluate import Prepared, evaluated, prepared
from assay.results.square import square
from assay.results.table import Results

OUTCOMES = ("less", "greater", "equal", "incomparable")
LESS, GREATER, EQUAL, INCOMPARABLE = range(4)
UNEQUAL = ("incomparable", "pad")
"""How rankings of unequal length compare: not at all, or with the shorter one padded with non-relevant documents."""
_PAIRS = 1 << 14  # pairs of runs compared together


def compare(
    r: Sequence[float | None], s: Sequence[float | None], *, ranked: bool = True, unequal: str = "incomparable"
) -> str:
    """Compare two judged runs: less, greater, equal or incomparable.

    None is an unjudged document, which counts as not relevant. With *ranked* False only what was retrieved matters.
    Runs of unequal length are incomparable; with *unequal* ``pad`` the shorter one is filled up with documents that are
    not relevant.

    >>> compare([0, 1, 1, 2, 2], [2, 0, 1, 2, 1]), compare([0, 1, 0, 1, 0], [1, 0, 0, 0, 1])
    ('less', 'incomparable')
    >>> compare([0, 1], [1]), compare([0, 1], [1], unequal="pad")
    ('incomparable', 'less')
    """
    _check_unequal(unequal)
    if len(r) != len(s) and unequal != "pad":
        return OUTCOMES[INCOMPARABLE]
    judged = Judged.from_grades([r, s])
    [outcome] = compared(profiles(judged, np.arange(2), ranked), np.array([[0, 1]]))
    return OUTCOMES[outcome]


def _check_unequal(unequal: str) -> None:
    if unequal not in UNEQUAL:
        raise InputError(f"unequal {unequal!r}: choose one of {', '.join(UNEQUAL)}{suggestion(unequal, UNEQUAL)}")


def profiles(judged: Judged, rankings: Ints, ranked: bool = True) -> Ints:
    """What tells rankings of one topic apart: for each of their thresholds the ranks of documents that reach it.

    Rankings that have fewer such documents than others are filled up with a rank beyond all. A ranking is below another
    if none of its numbers is smaller. If not *ranked*, how many documents are missing takes the place of ranks.
    """
    levels = np.flatnonzero(judged.levels > 0)
    part = judged.only(rankings)
    beyond = part.longest + 1
    columns = []
    for level in levels:
        gain = np.concatenate([[0.0], np.arange(len(judged.levels)) >= level])
        rows = part.rows(gain.astype(np.float64))
        number = part.found(rows) - 1
        table = np.full((len(part), int(number.max(initial=-1)) + 1), beyond, dtype=np.int64)
        table[rows.ranking, number] = rows.rank if ranked else 0
        columns.append(table)
    return np.hstack([np.zeros((len(part), 0), dtype=np.int64), *columns])


def compared(profile: Ints, pairs: Ints) -> Ints:
    """The outcome for each pair of rows of *profile*."""
    found = np.empty(len(pairs), dtype=np.int64)
    for begin in range(0, len(pairs), _PAIRS):
        some = pairs[begin : begin + _PAIRS]
        first, second = profile[some[:, 0]], profile[some[:, 1]]
        below, above = np.all(first >= second, axis=1), np.all(first <= second, axis=1)
        found[begin : begin + len(some)] = _outcome(below, above)
    return found


def _outcome(below: Bools, above: Bools) -> Ints:
    return np.select([below & above, below, above], [EQUAL, LESS, GREATER], default=INCOMPARABLE)


@dataclass(frozen=True, eq=False)
class OrderReport:
    """What :func:`order_report` returns.

    Attributes
    ----------
    results
        The values of the measures that were checked.
    pairs
        Pairs x 2: the numbers of the runs.
    outcomes
        Pairs x topics: the number of the outcome in ``OUTCOMES``, seen from the first run; -1 where there is none.
    ready
        The runs, joined with the qrels.
    unequal
        How rankings of unequal length were compared.
    """

    results: Results
    pairs: Ints
    outcomes: Ints
    ready: Prepared
    unequal: str

    def __repr__(self) -> str:
        return f"OrderReport({len(self.pairs)} pairs of runs x {len(self.results.topics)} topics)"

    def counts(self) -> Ints:
        """Pairs x outcomes: on how many topics."""
        return np.stack([(self.outcomes == outcome).sum(axis=1) for outcome in range(4)], axis=1)

    def frame(self) -> pl.DataFrame:
        """A row for each pair: on how many topics the run is below, above, equal to or incomparable with the other."""
        names = pl.Series(self.results.runs, dtype=pl.String)
        counts = self.counts()
        return pl.DataFrame(
            {
                "run": names.gather(self.pairs[:, 0]),
                "other": names.gather(self.pairs[:, 1]),
                "below": counts[:, LESS],
                "above": counts[:, GREATER],
                "equal": counts[:, EQUAL],
                "incomparable": counts[:, INCOMPARABLE],
            }
        )

    def summary(self) -> pl.DataFrame:
        """A row for each run and one for all: on how many topics, over all other runs."""
        runs = len(self.results.runs)
        table = np.zeros((runs, 4), dtype=np.int64)
        counts = self.counts()
        np.add.at(table, self.pairs[:, 0], counts)
        np.add.at(table, self.pairs[:, 1], counts[:, [GREATER, LESS, EQUAL, INCOMPARABLE]])
        table = np.vstack([table, counts.sum(axis=0)])
        total = np.maximum(table.sum(axis=1), 1)
        columns = dict(zip(("below", "above", "equal", "incomparable"), table.T, strict=True))
        shares = {"comparable": 1 - table[:, INCOMPARABLE] / total}
        return pl.DataFrame({"run": [*self.results.runs, "all"], **columns, **shares})

    def matrix(self) -> pl.DataFrame:
        """Runs x runs: on how many topics the run of the row is below that of the column."""
        runs = len(self.results.runs)
        table = np.zeros((runs, runs), dtype=np.int64)
        counts = self.counts()
        table[self.pairs[:, 0], self.pairs[:, 1]] = counts[:, LESS]
        table[self.pairs[:, 1], self.pairs[:, 0]] = counts[:, GREATER]
        return square(self.results.runs, table)

    def violations(self) -> pl.DataFrame:
        """Where a measure contradicts the order: topic, both runs, the first rank that differs, and both values."""
        return self._violations

    @cached_property
    def _violations(self) -> pl.DataFrame:
        found = []
        for number, measure in enumerate(self.results.measures):
            values = self.results.values[number]
            first, second = values[self.pairs[:, 0]], values[self.pairs[:, 1]]
            wrong = _contradicts(self.outcomes, first, second)
            for pair, topic in zip(*np.nonzero(wrong), strict=True):
                one, other = self.pairs[pair]
                low, high = (one, other) if self.outcomes[pair, topic] != GREATER else (other, one)
                names = (self.results.topics[topic], self.results.runs[low], self.results.runs[high])
                rank = self._first_difference(int(low), int(high), int(topic))
                found.append((str(measure), *names, rank, float(values[low, topic]), float(values[high, topic])))
        texts = dict.fromkeys(("measure", "topic", "lower", "higher"), pl.String)
        numbers = {"rank": pl.Int64, "value_lower": pl.Float64, "value_higher": pl.Float64}
        return pl.DataFrame(found, schema={**texts, **numbers}, orient="row")

    def _first_difference(self, one: int, other: int, topic: int) -> int | None:
        """The first rank at which two rankings differ."""
        first, second = (np.array(judged_grades(self.ready, run, topic)) for run in (one, other))
        differs = np.flatnonzero(first != second)
        return int(differs[0]) + 1 if len(differs) else None

    def checked(self) -> pl.DataFrame:
        """For each measure how many pairs and topics are comparable, and how many of these it contradicts."""
        comparable = int(((self.outcomes >= 0) & (self.outcomes != INCOMPARABLE)).sum())
        wrong = self.violations()["measure"].value_counts()
        times = dict(wrong.iter_rows())
        names = [str(measure) for measure in self.results.measures]
        counts = [times.get(name, 0) for name in names]
        return pl.DataFrame({"measure": names, "comparable": [comparable] * len(names), "violations": counts})

    def profile(self) -> pl.DataFrame:
        """How often two measures disagree where the order is silent.

        Over incomparable pairs and topics: the shares on which both prefer the same run, different runs, or one of them
        neither.
        """
        silent = self.outcomes == INCOMPARABLE
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        signs = [_sign(values[first], values[second])[silent] for values in self.results.values]
        total = max(int(silent.sum()), 1)
        rows = []
        for (i, one), (j, other) in combinations(enumerate(self.results.measures), 2):
            product = signs[i] * signs[j]
            shares = [float((product == sign).sum() / total) for sign in (1, -1, 0)]
            rows.append((str(one), str(other), int(silent.sum()), *shares))
        schema = ["measure", "other", "incomparable", "agree", "disagree", "undecided"]
        kinds = [pl.String, pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Float64]
        return pl.DataFrame(rows, schema=dict(zip(schema, kinds, strict=True)), orient="row")


def _sign(one: Floats, other: Floats) -> Ints:
    """Return which of two values is larger: 1, -1, or 0 if they differ by no more than rounding or one is missing.

    The tolerance is relative: at deep ranks the weights of RBP and its like make differences that are small but real.
    """
    difference = np.nan_to_num(one - other)
    slack = ROUNDING * np.maximum(np.abs(one), np.abs(other)) + np.finfo(np.float64).eps
    return np.where(np.abs(difference) <= slack, 0, np.sign(difference)).astype(np.int64)


def _contradicts(outcomes: Ints, first: Floats, second: Floats) -> Bools:
    """Where a lower ranking has the larger value, or equal ones have different values."""
    sign = _sign(first, second)
    wrong = (outcomes == LESS) & (sign > 0)
    return np.asarray(wrong | ((outcomes == GREATER) & (sign < 0)) | ((outcomes == EQUAL) & (sign != 0)))


@check_arguments
def order_report(
    qrels: Any,
    runs: Any,
    measures: Any,
    *,
    ranked: bool = True,
    depth: int | None = None,
    unequal: str = "incomparable",
    ties: str = "trec_eval-10",
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    lenient: bool = False,
    progress: Progress | None = None,
) -> OrderReport:
    r"""Compare every pair of runs on every topic, and check measures against the order.

    A ranking r is at most as good as s if for every rank k and every grade g above 0

    .. math:: |\{i \le k: r_i \ge g\}| \le |\{i \le k: s_i \ge g\}|

    and, where only sets are compared, if that holds for k at the end. Rankings may be incomparable.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``; at least two runs.
    measures
        Measures that are checked: a measurement of utility never contradicts the order.
    ranked
        The rank-based order, or the set-based one.
    depth
        Compare only so many documents from the top.
    unequal
        How rankings of unequal length compare: ``incomparable``, as the paper has it, or ``pad``: ranks that the
        shorter one lacks count as not relevant. A note says how many comparisons that concerns.
    ties, topics, undefined, unjudged, lenient, progress
        As in ``evaluate``; ties cannot be ``expected``.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015.

    Examples
    --------
    >>> runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "bad": {"q": {"b": 2.0, "a": 1.0}}}
    >>> order_report({"q": {"a": 1}}, runs, "AP").frame().rows()
    [('good', 'bad', 0, 1, 0, 0)]
    """
    refuse_expected(ties, "rankings are compared in an order")
    chosen = parse_measures(measures)
    ready = prepared(qrels, runs, Policies(ties, topics, undefined, unjudged), lenient=lenient, progress=progress)
    return ordered(ready, chosen, ranked=ranked, depth=depth, unequal=unequal)


def ordered(
    ready: Prepared,
    measures: tuple[Measure, ...],
    *,
    ranked: bool = True,
    depth: int | None = None,
    unequal: str = "incomparable",
) -> OrderReport:
    """Compare runs that are joined with the qrels."""
    _check_unequal(unequal)
    if len(ready.runs) < 2:
        raise InputError("runs: name at least two runs to compare")
    if depth is not None:
        whole("depth", depth, 1)
        ready = Prepared(ready.qrels, ready.runs, ready.judged.top(depth), ready.provenance, ready.notes)
    pairs = np.array(list(combinations(range(len(ready.runs)), 2)))
    outcomes, results = _outcomes(ready, pairs, ranked), evaluated(ready, measures)
    length = ready.judged.length.reshape(ready.shape)[pairs]
    differs = (length[:, 0] != length[:, 1]) & (outcomes >= 0)
    if unequal != "pad":
        outcomes[differs] = INCOMPARABLE
    notes = (*results.notes, *_length_notes(differs, outcomes, unequal))
    return OrderReport(replace(results, notes=notes), pairs, outcomes, ready, unequal)


def _length_notes(differs: Bools, outcomes: Ints, unequal: str) -> list[str]:
    """Report how many comparisons are of rankings of unequal length, and how they were made."""
    if not differs.any():
        return []
    how = (
        "are incomparable; --unequal pad fills the shorter ones up with non-relevant documents, --depth N cuts all at N"
        if unequal != "pad"
        else "were compared with the shorter one filled up with non-relevant documents"
    )
    where = ", ".join(count(int(differs.any(axis=axis).sum()), what) for axis, what in ((1, "run pair"), (0, "topic")))
    share = f"{differs.sum():,} of {(outcomes >= 0).sum():,} comparisons"
    return [f"{share} ({where}) are of rankings of unequal length, which {how}"]


def _outcomes(ready: Prepared, pairs: Ints, ranked: bool) -> Ints:
    """Topic by topic: the rankings of one topic are compared with each other."""
    runs, topics = ready.shape
    found = np.empty((len(pairs), topics), dtype=np.int64)
    answered = ready.judged.answered.reshape(runs, topics)
    for topic in range(topics):
        found[:, topic] = compared(profiles(ready.judged, np.arange(runs) * topics + topic, ranked), pairs)
        if ready.judged.policies.topics == "intersection":
            both = answered[pairs, topic].all(axis=1)
            found[~both, topic] = -1
    return found


def judged_grades(ready: Prepared, run: int, topic: int) -> list[float]:
    """The grades of one ranking, as the order sees them: 0 for what is not relevant, filled up to one length."""
    number = run * len(ready.qrels.topics) + topic
    judged = ready.judged
    codes = judged.code[judged.start[number] : judged.start[number + 1]]
    grades = np.maximum(np.concatenate([[0.0], judged.levels])[codes], 0)
    return [*grades.tolist(), *[0.0] * (judged.longest - len(grades))]


def measurement(measure: Measure) -> bool:
    """Whether the catalogue says that a measure is a measurement of utility: both axioms hold.

    It must also see nothing but what the order sees. bpref tells unjudged documents from those that are not relevant,
    and the measures of sets tell a ranking from the same one filled up with documents that are not relevant.
    """
    counts = {0.0: 4, 1.0: 3}
    seen = [measure.of(ranking, counts) for ranking in ([0, 1], [None, 1], [0, 1, 0, 0])]
    return bool(measure.swap and measure.replacement) and np.ptp(seen) <= ROUNDING
