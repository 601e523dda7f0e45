"""The order on runs: a ranking is above another if it is at least as good for every measure that rewards relevance.

Rank-based: r is below s if for every rank k and every grade p above 0 the top k of r hold no more documents of grade p
or better than those of s. That is so if and only if the m-th document of grade p or better never stands higher in r
than in s: rankings are compared by the ranks of their relevant documents, all pairs of runs at once. Set-based: the
same for the whole rankings only. Two rankings may be incomparable: there measures are free to differ. Rankings of
unequal length are incomparable, too, unless the shorter one is padded with documents that are not relevant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.checks import check_integer
from assay.model.judged import Judged
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table, align_texts

if TYPE_CHECKING:
    from assay.theory._chain import Chain

OUTCOMES = ("less", "greater", "equal", "incomparable")
LESS, GREATER, EQUAL, INCOMPARABLE = range(4)
UNEQUAL = ("incomparable", "pad")
"""Treatment of rankings of unequal length: incomparable, or the shorter one padded with non-relevant documents."""
MEASURES = ("AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR")
"""The measures that are checked by default."""
MOST = 10
"""Runs of a matrix for people; of more the table ``runs`` is shown."""
_WIDTH = 80  # of a matrix with names; a wider one has numbers in its head
_COUNTS = "Topics on which a run is above, below, equal to or incomparable with another."
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
    [outcome] = compare_profiles(profiles(judged, np.arange(2), ranked), np.array([[0, 1]]))
    return OUTCOMES[outcome]


def _check_unequal(unequal: str) -> None:
    if unequal not in UNEQUAL:
        raise InputError(f"unequal {unequal!r}: choose one of {', '.join(UNEQUAL)}{suggestion(unequal, UNEQUAL)}")


def profiles(judged: Judged, rankings: Ints, ranked: bool = True) -> Ints:
    """Return for each ranking of one topic the ranks of the documents that reach each threshold.

    Rankings that have fewer such documents than others are filled up with a rank beyond all. A ranking is below another
    if none of its numbers is smaller. If not *ranked*, how many documents are missing takes the place of ranks.
    """
    levels = np.flatnonzero(judged.levels > 0)
    part = judged.select_rankings(rankings)
    beyond = part.max_depth + 1
    columns = []
    for level in levels:
        gain = np.concatenate([[0.0], np.arange(len(judged.levels)) >= level])
        rows = part.rows(gain.astype(np.float64))
        number = part.cumulative_count(rows) - 1
        table = np.full((len(part), int(number.max(initial=-1)) + 1), beyond, dtype=np.int64)
        table[rows.ranking, number] = rows.rank if ranked else 0
        columns.append(table)
    return np.hstack([np.zeros((len(part), 0), dtype=np.int64), *columns])


def compare_profiles(profile: Ints, pairs: Ints) -> Ints:
    """Return the outcome for each pair of rows of *profile*."""
    outcomes = np.empty(len(pairs), dtype=np.int64)
    for begin in range(0, len(pairs), _PAIRS):
        some = pairs[begin : begin + _PAIRS]
        first, second = profile[some[:, 0]], profile[some[:, 1]]
        below, above = np.all(first >= second, axis=1), np.all(first <= second, axis=1)
        outcomes[begin : begin + len(some)] = _outcome(below, above)
    return outcomes


def _outcome(below: Bools, above: Bools) -> Ints:
    return np.select([below & above, below, above], [EQUAL, LESS, GREATER], default=INCOMPARABLE)


@dataclass(frozen=True, eq=False)
class OrderReport(Report):
    """Each pair of runs on each topic in the order on runs, and measures against it; the report of :func:`order`.

    Attributes
    ----------
    results
        The values of the measures that were checked.
    pairs
        Pairs x 2: the numbers of the runs.
    outcomes
        Pairs x topics: the number of the outcome in ``OUTCOMES``, seen from the first run; -1 where there is none.
    campaign
        The campaign, cut at the depth that was asked for.
    unequal
        Treatment of rankings of unequal length.
    sets
        Whether the order is that of sets, in which ranks do not matter.
    provenance
        The inputs, policies and settings behind the order.
    notes
        What was ignored, skipped or assumed, one line each.
    """

    results: Results
    pairs: Ints
    outcomes: Ints
    campaign: Campaign
    unequal: str
    sets: bool
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "order"
    tables: ClassVar[Mapping[str, str]] = {
        "matrix": "topics on which the run of the row is above / below that of the column; of many runs, as runs",
        "pairs": "each pair of runs",
        "runs": "each run against all others",
        "check": "how often each measure contradicts the order",
        "violations": "where it does",
        "profile": "how often two measures disagree on incomparable rankings",
    }

    def __repr__(self) -> str:
        runs, topics = pluralize(len(self.results.runs), "run"), pluralize(len(self.results.topics), "topic")
        return f"OrderReport({pluralize(len(self.pairs), 'pair')} of {runs} x {topics})"

    def counts(self) -> Ints:
        """Return the number of topics of each outcome: pairs x outcomes."""
        return np.stack([(self.outcomes == outcome).sum(axis=1) for outcome in range(4)], axis=1)

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs: run, other, below, above, equal, incomparable.

        The numbers are those of the topics on which *run* is below, above, equal to or incomparable with *other*.
        """
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

    def by_run(self) -> pl.DataFrame:
        """Return a row for each run and one for all: run, below, above, equal, incomparable, comparable.

        Numbers of topics are added up over all other runs; *comparable* is the share of comparisons that are not
        incomparable. The last row counts each pair once, seen from its first run.
        """
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
        """Return runs x runs: the number of topics on which the run of the row is below that of the column."""
        return to_square_frame(self.results.runs, self._below())

    def _below(self) -> Ints:
        runs = len(self.results.runs)
        table = np.zeros((runs, runs), dtype=np.int64)
        counts = self.counts()
        table[self.pairs[:, 0], self.pairs[:, 1]] = counts[:, LESS]
        table[self.pairs[:, 1], self.pairs[:, 0]] = counts[:, GREATER]
        return table

    def violations(self) -> pl.DataFrame:
        """Return where measures contradict the order: a row for each measure, topic and pair of runs.

        Columns measure, topic, lower and higher (the runs), rank (the first at which they differ), value_lower and
        value_higher.
        """
        return self._violations

    @cached_property
    def _violations(self) -> pl.DataFrame:
        rows = []
        for number, measure in enumerate(self.results.measures):
            values = self.results.values[number]
            first, second = values[self.pairs[:, 0]], values[self.pairs[:, 1]]
            wrong = _contradicts(self.outcomes, first, second)
            for pair, topic in zip(*np.nonzero(wrong), strict=True):
                one, other = self.pairs[pair]
                low, high = (one, other) if self.outcomes[pair, topic] != GREATER else (other, one)
                names = (self.results.topics[topic], self.results.runs[low], self.results.runs[high])
                rank = self._first_difference(int(low), int(high), int(topic))
                rows.append((str(measure), *names, rank, float(values[low, topic]), float(values[high, topic])))
        texts = dict.fromkeys(("measure", "topic", "lower", "higher"), pl.String)
        numbers = {"rank": pl.Int64, "value_lower": pl.Float64, "value_higher": pl.Float64}
        return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")

    def _first_difference(self, one: int, other: int, topic: int) -> int | None:
        """Return the first rank at which two rankings differ."""
        first, second = (np.array(judged_grades(self.campaign, run, topic)) for run in (one, other))
        differs = np.flatnonzero(first != second)
        return int(differs[0]) + 1 if len(differs) else None

    def checked(self) -> pl.DataFrame:
        """Return how often each measure contradicts the order: measure, comparable, violations, measurement.

        *comparable* is the number of comparisons (pair of runs and topic) that are not incomparable; *measurement*
        whether the catalogue declares that the measure never contradicts the order.
        """
        comparable = int(((self.outcomes >= 0) & (self.outcomes != INCOMPARABLE)).sum())
        times = dict(self.violations()["measure"].value_counts().iter_rows())
        names = [str(measure) for measure in self.results.measures]
        return pl.DataFrame(
            {
                "measure": pl.Series(names, dtype=pl.String),
                "comparable": [comparable] * len(names),
                "violations": [times.get(name, 0) for name in names],
                "measurement": [measurement(measure) for measure in self.results.measures],
            }
        )

    def profile(self) -> pl.DataFrame:
        """Return how two measures decide between incomparable rankings: a row for each pair of measures.

        Columns measure, other, incomparable (comparisons), agree, disagree and undecided: the shares of these on which
        both prefer the same run, different runs, or at least one of them neither.
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

    def chain(self, topic: str) -> Chain:
        """Return the steps from the lower of two rankings of a topic up to the higher one.

        Refused if the report has more than two runs, or if they are incomparable on the topic.
        """
        from assay.theory._chain import connect

        return connect(self, topic)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return how many comparisons the order decides, and which measures contradict it."""
        counts = self.counts().sum(axis=0)
        total = int(counts.sum())
        if not total:
            return "No topic is answered by two runs: there is nothing to compare."
        return f"{self._decided(counts.tolist(), total)} {self._contradictions()}"

    def _decided(self, counts: Sequence[int], total: int) -> str:
        below, above, equal, incomparable = counts
        if len(self.pairs) == 1:
            one, other = self.results.runs
            return (
                f"{self._every} {one} is at least as good as {other} on {above + equal} of {pluralize(total, 'topic')}"
                f", and {other} as {one} on {below + equal} (both include {equal} on which they are equal); they are "
                f"incomparable on {incomparable}."
            )
        decided = total - incomparable
        return (
            f"The order decides {decided} of {total} comparisons (two runs on a topic), {100 * decided / total:.0f} %: "
            f"{self._every.lower()} one run is at least as good ({equal} equal). The others are incomparable."
        )

    @property
    def _every(self) -> str:
        """The measures that cannot contradict the order."""
        return "By every measure of sets," if self.sets else "By every measure of utility,"

    def _contradictions(self) -> str:
        check = self.checked()
        wrong = check.filter(pl.col("violations") > 0).sort("violations", descending=True, maintain_order=True)
        if not len(wrong):
            names = check["measure"].to_list()
            return (
                f"{names[0]} never contradicts the order." if len(names) == 1 else "No measure contradicts the order."
            )
        times = [
            f"{one} ({pluralize(number, 'time')})" for one, number in wrong.select("measure", "violations").iter_rows()
        ]
        return f"Contradicting the order: {', '.join(times)}."

    def _show_matrix(self) -> Table:
        if len(self.results.runs) > MOST:
            return replace(self._show_runs(), frame=self.frame())
        below, names = self._below(), self.results.runs
        heads = names
        numbered = {f"{i} {name}": str(i) for i, name in enumerate(names, 1)}
        if max(map(len, names)) + sum(2 + max(len(name), 5) for name in names) > _WIDTH:
            names, heads = tuple(numbered), tuple(numbered.values())
        size = range(len(names))
        cells = np.array([["-" if i == j else f"{below[j, i]}/{below[i, j]}" for j in size] for i in size])
        compact = to_square_frame(heads, cells)
        first = compact.columns[0]
        compact = compact.with_columns(pl.Series(first, names, dtype=pl.String))
        return Table(
            self.frame(),
            compact.select(first, *(align_texts(compact[name]) for name in compact.columns[1:])),
            caption="12/3: the run of the row is above that of the column on 12 topics and below it on 3.",
        )

    def _show_pairs(self) -> Table:
        frame = self.frame()
        return Table(frame, frame.select("run", "other", "above", "below", "equal", "incomparable"), caption=_COUNTS)

    def _show_runs(self) -> Table:
        frame = self.by_run()
        order = ("run", "above", "below", "equal", "incomparable", "comparable")
        compact = frame.head(-1).select(order)
        caption = f"{_COUNTS} Added up over the other runs; comparable: share of comparisons that are not incomparable."
        return Table(frame, compact, best=("above",), least=("below",), caption=caption)

    def _show_check(self) -> Table:
        frame = self.checked()
        says = pl.when("measurement").then(pl.lit("yes")).otherwise(pl.lit("not declared"))
        compact = frame.with_columns(says.alias("measurement")).rename({"measurement": "measurement of utility"})
        caption = (
            "A violation is a comparison in which the lower ranking has the larger value, or equal rankings have "
            "different values. A measurement of utility (by the catalogue) never contradicts the order."
        )
        return Table(frame, compact, caption=caption)

    def _show_violations(self) -> Table:
        frame = self.violations()
        words = {"rank": "first rank", "value_lower": "value", "value_higher": "value of higher"}
        compact = frame.rename(words)
        caption = (
            "The lower run is below the higher one in the order. first rank: where the two rankings begin to differ."
        )
        return Table(frame, compact, heading="measure" if len(frame) else None, caption=caption if len(frame) else "")

    def _show_profile(self) -> Table:
        frame = self.profile()
        compact = frame.drop("incomparable")
        number = int((self.outcomes == INCOMPARABLE).sum())
        caption = (
            f"Shares of the {number} incomparable comparisons on which both measures prefer the same run, different "
            "runs, or at least one of them neither."
        )
        return Table(frame, compact, caption=caption)


def _sign(one: Floats, other: Floats) -> Ints:
    """Return which of two values is larger: 1, -1, or 0 if they differ by no more than rounding or one is missing.

    The tolerance is relative: at deep ranks the weights of RBP and its like make differences that are small but real.
    """
    difference = np.nan_to_num(one - other)
    slack = ROUNDING * np.maximum(np.abs(one), np.abs(other)) + np.finfo(np.float64).eps
    return np.where(np.abs(difference) <= slack, 0, np.sign(difference)).astype(np.int64)


def _contradicts(outcomes: Ints, first: Floats, second: Floats) -> Bools:
    """Find where a lower ranking has the larger value, or equal ones have different values."""
    sign = _sign(first, second)
    wrong = (outcomes == LESS) & (sign > 0)
    return np.asarray(wrong | ((outcomes == GREATER) & (sign < 0)) | ((outcomes == EQUAL) & (sign != 0)))


@check_arguments
def order(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    sets: bool = False,
    depth: int | None = None,
    unequal: str = "incomparable",
) -> OrderReport:
    r"""Compare every pair of runs on every topic, and check measures against the order.

    A ranking r is at most as good as s if for every rank k and every grade g above 0

    .. math:: |\{i \le k: r_i \ge g\}| \le |\{i \le k: s_i \ge g\}|

    and, where only sets are compared, if that holds for k at the end. Rankings may be incomparable.

    Parameters
    ----------
    campaign
        Judgments and at least two runs; ties cannot be ``expected``.
    measures
        Measures to check, by default ``MEASURES``: a measurement of utility never contradicts the order.
    sets
        Use the set-based order, in which ranks do not matter.
    depth
        Compare the first *depth* documents.
    unequal
        Treatment of rankings of unequal length: ``incomparable``, as in the paper, or ``pad``: ranks that the shorter
        one lacks count as not relevant. A note gives the number of such comparisons.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015.

    Examples
    --------
    >>> import assay
    >>> runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "bad": {"q": {"b": 2.0, "a": 1.0}}}
    >>> order(assay.read({"q": {"a": 1}}, runs), "AP").frame().rows()
    [('good', 'bad', 0, 1, 0, 0)]
    """
    reject_expected_ties(campaign.policies.ties, "rankings are compared in an order")
    _check_unequal(unequal)
    if len(campaign.runs) < 2:
        raise InputError("runs: need at least two runs to compare")
    if depth is not None:
        check_integer("depth", depth, 1)
        campaign = campaign.top(depth)
    pairs = np.array(list(combinations(range(len(campaign.runs)), 2)))
    results = evaluate(campaign, MEASURES if measures is None else measures)
    outcomes = _outcomes(campaign, pairs, ranked=not sets)
    length = campaign.judged.length.reshape(campaign.shape)[pairs]
    differs = (length[:, 0] != length[:, 1]) & (outcomes >= 0)
    if unequal != "pad":
        outcomes[differs] = INCOMPARABLE
    notes = (*results.notes, *_length_notes(differs, outcomes, unequal))
    names = [str(measure) for measure in results.measures]
    provenance = results.provenance.with_settings(measures=names, sets=sets, depth=depth, unequal=unequal)
    return OrderReport(replace(results, notes=notes), pairs, outcomes, campaign, unequal, sets, provenance, notes)


def _length_notes(differs: Bools, outcomes: Ints, unequal: str) -> list[str]:
    """Report how many comparisons are of rankings of unequal length, and how they were made."""
    if not differs.any():
        return []
    how = (
        "are incomparable; unequal 'pad' fills the shorter ones up with non-relevant documents, a depth cuts all at "
        "the same rank"
        if unequal != "pad"
        else "were compared with the shorter one filled up with non-relevant documents"
    )
    where = ", ".join(
        pluralize(int(differs.any(axis=axis).sum()), what) for axis, what in ((1, "run pair"), (0, "topic"))
    )
    share = f"{differs.sum():,} of {(outcomes >= 0).sum():,} comparisons"
    return [f"{share} ({where}) are of rankings of unequal length, which {how}"]


def _outcomes(campaign: Campaign, pairs: Ints, ranked: bool) -> Ints:
    """Compare the rankings of each topic with each other: pairs x topics."""
    runs, topics = campaign.shape
    judged = campaign.judged
    outcomes = np.empty((len(pairs), topics), dtype=np.int64)
    answered = judged.answered.reshape(runs, topics)
    for topic in range(topics):
        outcomes[:, topic] = compare_profiles(profiles(judged, np.arange(runs) * topics + topic, ranked), pairs)
        if campaign.policies.missing == "exclude":
            both = answered[pairs, topic].all(axis=1)
            outcomes[~both, topic] = -1
    return outcomes


def judged_grades(campaign: Campaign, run: int, topic: int) -> list[float]:
    """Return the grades of one ranking: 0 for documents that are not relevant, filled up to the longest ranking."""
    number = run * len(campaign.topics) + topic
    judged = campaign.judged
    codes = judged.code[judged.start[number] : judged.start[number + 1]]
    grades = np.maximum(np.concatenate([[0.0], judged.levels])[codes], 0)
    return [*grades.tolist(), *[0.0] * (judged.max_depth - len(grades))]


def measurement(measure: Measure) -> bool:
    """Return whether the catalogue declares a measure to be a measurement of utility: both axioms hold.

    It must also see nothing but what the order sees. bpref tells unjudged documents from those that are not relevant,
    and the measures of sets tell a ranking from the same one filled up with documents that are not relevant.
    """
    counts = {0.0: 4, 1.0: 3}
    seen = [measure.of(ranking, counts) for ranking in ([0, 1], [None, 1], [0, 1, 0, 0])]
    return bool(measure.swap and measure.replacement and np.ptp(seen) <= ROUNDING)
