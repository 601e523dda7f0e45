"""The partial order on runs: compare every pair of runs on every topic, and check measures against the order.

See ``ranking_order`` for the order on rankings.
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
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Ints
from assay.model.checks import check_integer
from assay.model.gains import Gains
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import pair_runs
from assay.results.sentences import list_names
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table, align_texts
from assay.theory.ranking_order import (
    EQUAL,
    GREATER,
    INCOMPARABLE,
    LESS,
    GainSpec,
    build_profiles,
    check_unequal,
    compare_profiles,
    compare_values,
    compute_units,
    find_contradictions,
    is_measurement,
)

if TYPE_CHECKING:
    from assay.theory._chain import Chain

MEASURES = ("AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR")
"""The default measures."""
MAX_MATRIX_RUNS = 10
"""Maximum number of runs in a matrix; with more runs, the table ``runs`` is shown instead."""
_NO_CONTRADICTION = "No measure contradicts the order."
_WIDTH = 80  # If the matrix is wider than this, its column names are numbers instead of run names.
_COLUMNS = ("below", "above", "equal", "incomparable")  # The outcomes LESS, GREATER, EQUAL and INCOMPARABLE.
_COUNTS = "Number of topics on which a run is above, below, equal to or incomparable with another run."


@dataclass(frozen=True, eq=False)
class OrderReport(Report):
    """Comparisons of every pair of runs on every topic, and checks of measures; the report of :func:`order`.

    Attributes
    ----------
    results
        The values of the measures that were checked.
    pairs
        Pairs x 2: the indices of the runs.
    outcomes
        Pairs x topics: the outcome for the first run of the pair, as an index in ``OUTCOMES``; -1 if one of the runs
        has no documents for the topic and such topics are excluded.
    campaign
        The campaign, with rankings cut at *depth*.
    unequal
        Treatment of rankings of unequal length.
    sets
        True for the set-based order, which ignores ranks.
    gains
        The gain of each grade if sums of gains are compared; None if the order uses only the order of the grades.
    provenance
        The inputs, policies and settings of the analysis.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    """

    results: Results
    pairs: Ints
    outcomes: Ints
    campaign: Campaign
    unequal: str
    sets: bool
    gains: Gains | None
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "order"
    tables: ClassVar[Mapping[str, str]] = {
        "matrix": "the number of topics on which the run of the row is above / below the run of the column",
        "pairs": "the number of topics with each outcome, for each pair of runs",
        "runs": "the number of topics with each outcome, for each run against all others",
        "check": "the number of comparisons in which each measure contradicts the order",
        "violations": "the comparisons in which a measure contradicts the order",
        "profile": "the fraction of incomparable rankings on which two measures disagree",
    }

    def __repr__(self) -> str:
        runs, topics = pluralize(len(self.results.runs), "run"), pluralize(len(self.results.topics), "topic")
        return f"OrderReport({pluralize(len(self.pairs), 'pair')} of {runs} x {topics})"

    def counts(self) -> Ints:
        """Return the number of topics with each outcome, pairs x outcomes."""
        return np.stack([(self.outcomes == outcome).sum(axis=1) for outcome in range(4)], axis=1)

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs: run, other, below, above, equal, incomparable.

        The last four columns count the topics on which *run* is below, above, equal to or incomparable with *other*.
        """
        names = pl.Series(self.results.runs, dtype=pl.String)
        run, other = (names.gather(index) for index in self.pairs.T)
        return pl.DataFrame({"run": run, "other": other, **dict(zip(_COLUMNS, self.counts().T, strict=True))})

    def by_run(self) -> pl.DataFrame:
        """Return a row for each run and one for all runs: run, below, above, equal, incomparable, comparable.

        The counts of topics are summed over all other runs. *comparable* is the fraction of comparisons that are not
        incomparable. The last row counts each pair once, for its first run.
        """
        table = np.zeros((len(self.results.runs), 4), dtype=np.int64)
        counts = self.counts()
        np.add.at(table, self.pairs[:, 0], counts)
        np.add.at(table, self.pairs[:, 1], counts[:, [GREATER, LESS, EQUAL, INCOMPARABLE]])
        table = np.vstack([table, counts.sum(axis=0)])
        columns = dict(zip(_COLUMNS, table.T, strict=True))
        comparable = 1 - table[:, INCOMPARABLE] / np.maximum(table.sum(axis=1), 1)
        return pl.DataFrame({"run": [*self.results.runs, "all"], **columns, "comparable": comparable})

    def matrix(self) -> pl.DataFrame:
        """Return the number of topics on which the run of the row is below the run of the column, runs x runs."""
        return to_square_frame(self.results.runs, self._count_below())

    def _count_below(self) -> Ints:
        run_count = len(self.results.runs)
        table = np.zeros((run_count, run_count), dtype=np.int64)
        counts = self.counts()
        table[self.pairs[:, 0], self.pairs[:, 1]] = counts[:, LESS]
        table[self.pairs[:, 1], self.pairs[:, 0]] = counts[:, GREATER]
        return table

    def violations(self) -> pl.DataFrame:
        """Return the comparisons in which a measure contradicts the order: a row for each measure, topic and pair.

        The columns are measure, topic, lower and higher (the runs), rank (the first rank at which the rankings differ),
        value_lower and value_higher.
        """
        return self._violations

    @cached_property
    def _violations(self) -> pl.DataFrame:
        rows = []
        for number, measure in enumerate(self.results.measures):
            values = self.results.values[number]
            first, second = values[self.pairs[:, 0]], values[self.pairs[:, 1]]
            contradicts = find_contradictions(self.outcomes, first, second)
            for pair, topic in zip(*np.nonzero(contradicts), strict=True):
                one, other = self.pairs[pair]
                low, high = (one, other) if self.outcomes[pair, topic] != GREATER else (other, one)
                names = (self.results.topics[topic], self.results.runs[low], self.results.runs[high])
                rank = self._find_first_difference(int(low), int(high), int(topic))
                rows.append((str(measure), *names, rank, float(values[low, topic]), float(values[high, topic])))
        texts = dict.fromkeys(("measure", "topic", "lower", "higher"), pl.String)
        numbers = {"rank": pl.Int64, "value_lower": pl.Float64, "value_higher": pl.Float64}
        return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")

    def _find_first_difference(self, one: int, other: int, topic: int) -> int | None:
        """Return the first rank at which two rankings differ; None if they are equal."""
        first, second = (np.array(padded_grades(self.campaign, run, topic)) for run in (one, other))
        different = np.flatnonzero(first != second)
        return int(different[0]) + 1 if len(different) else None

    def count_contradictions(self) -> pl.DataFrame:
        """Return the number of contradictions of each measure: measure, comparable, violations, measurement.

        *comparable* is the number of comparisons (of a pair of runs on a topic) that are not incomparable.
        *measurement* is True if the catalogue declares that the measure never contradicts the order. It declares
        nothing about the set-based order and about sums of gains.
        """
        comparable = int(((self.outcomes >= 0) & (self.outcomes != INCOMPARABLE)).sum())
        violations = dict(self.violations()["measure"].value_counts().iter_rows())
        rows = [
            (str(measure), comparable, violations.get(str(measure), 0), self._is_declared(measure))
            for measure in self.results.measures
        ]
        schema = {"measure": pl.String, "comparable": pl.Int64, "violations": pl.Int64, "measurement": pl.Boolean}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _is_declared(self, measure: Measure) -> bool:
        """Return True if the catalogue declares that a measure never contradicts this order."""
        return not self.sets and self.gains is None and is_measurement(measure)

    def profile(self) -> pl.DataFrame:
        """Return the agreement of measures on incomparable rankings: a row for each pair of measures.

        The columns are measure, other, incomparable, agree, disagree, undecided. *incomparable* is the number of
        comparisons of incomparable rankings. The last three columns are fractions of these comparisons: both measures
        prefer the same run (*agree*), they prefer different runs (*disagree*), or at least one measure prefers neither
        run (*undecided*).
        """
        incomparable = self.outcomes == INCOMPARABLE
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        signs = [compare_values(values[first], values[second])[incomparable] for values in self.results.values]
        total = int(incomparable.sum())
        rows = []
        for (i, one), (j, other) in combinations(enumerate(self.results.measures), 2):
            product = signs[i] * signs[j]
            fractions = [float((product == sign).sum() / max(total, 1)) for sign in (1, -1, 0)]
            rows.append((str(one), str(other), total, *fractions))
        names = {"measure": pl.String, "other": pl.String}
        numbers = {"incomparable": pl.Int64, "agree": pl.Float64, "disagree": pl.Float64, "undecided": pl.Float64}
        return pl.DataFrame(rows, schema={**names, **numbers}, orient="row")

    def chain(self, topic: str) -> Chain:
        """Return the steps from the lower of two rankings of a topic up to the higher ranking.

        The report must have two runs, and their rankings of the topic must be comparable.
        """
        from assay.theory._chain import connect

        return connect(self, topic)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the number of comparable rankings, and the measures that contradict the order."""
        counts = self.counts().sum(axis=0)
        total = int(counts.sum())
        if not total:
            return "No two runs have documents for the same topic, so no rankings are compared."
        return f"{self._describe_outcomes(counts.tolist(), total)} {self._describe_contradictions()}"

    def _describe_outcomes(self, counts: Sequence[int], total: int) -> str:
        below, above, equal, incomparable = counts
        if len(self.pairs) == 1:
            one, other = self.results.runs
            return (
                f"{self._scope.capitalize()}, {one} is at least as good as {other} on {above + equal} of "
                f"{pluralize(total, 'topic')}, and {other} is at least as good as {one} on {below + equal}. Both "
                f"numbers include {pluralize(equal, 'topic')} on which the runs are equal. The runs are incomparable "
                f"on {pluralize(incomparable, 'topic')}."
            )
        comparable = total - incomparable
        others = " In the other comparisons, the runs are incomparable." if incomparable else ""
        return (
            f"The order decides {comparable} of {total} comparisons of two runs on a topic "
            f"({100 * comparable / total:.0f} %): one run is at least as good as the other {self._scope}. In {equal} "
            f"of these comparisons, the runs are equal.{others}"
        )

    @property
    def _scope(self) -> str:
        """Phrase that names the measures that cannot contradict the order."""
        if self.gains is not None:
            total = f"by the sum of gains ({self.gains})"
            weighted = f"under every sum of gains ({self.gains}) whose weights do not rise with the rank"
            return total if self.sets else weighted
        return "under every set-based measure" if self.sets else "under every measure that satisfies both axioms"

    def _describe_contradictions(self) -> str:
        check = self.count_contradictions()
        violators = check.filter(pl.col("violations") > 0).sort("violations", descending=True, maintain_order=True)
        if not len(violators):
            only_measure = len(check) == 1
            return f"{check['measure'][0]} never contradicts the order." if only_measure else _NO_CONTRADICTION
        times = [
            f"{one} ({pluralize(count, 'time')})"
            for one, count in violators.select("measure", "violations").iter_rows()
        ]
        return f"Measures that contradict the order: {list_names(times, limit=None)}."

    def _show_matrix(self) -> Table:
        if len(self.results.runs) > MAX_MATRIX_RUNS:
            return replace(self._show_runs(), frame=self.frame())
        below, names = self._count_below(), self.results.runs
        headers = names
        if max(map(len, names)) + sum(2 + max(len(name), 5) for name in names) > _WIDTH:
            headers = tuple(str(i) for i in range(1, len(names) + 1))
            names = tuple(f"{i} {name}" for i, name in zip(headers, names, strict=True))
        indices = range(len(names))
        cells = np.array([["-" if i == j else f"{below[j, i]}/{below[i, j]}" for j in indices] for i in indices])
        compact = to_square_frame(headers, cells)
        first = compact.columns[0]
        compact = compact.with_columns(pl.Series(first, names, dtype=pl.String))
        return Table(
            self.frame(),
            compact.select(first, *(align_texts(compact[name]) for name in compact.columns[1:])),
            caption="12/3: the run of the row is above the run of the column on 12 topics and below it on 3 topics.",
        )

    def _show_pairs(self) -> Table:
        frame = self.frame()
        return Table(frame, frame.select("run", "other", "above", "below", "equal", "incomparable"), caption=_COUNTS)

    def _show_runs(self) -> Table:
        frame = self.by_run()
        compact = frame.head(-1).select("run", "above", "below", "equal", "incomparable", "comparable")
        caption = f"{_COUNTS} The numbers are summed over the other runs. comparable: fraction of comparable rankings."
        return Table(frame, compact, highest_is_best=("above",), lowest_is_best=("below",), caption=caption)

    def _show_check(self) -> Table:
        frame = self.count_contradictions()
        declared = pl.when("measurement").then(pl.lit("yes")).otherwise(pl.lit("not declared"))
        compact = frame.with_columns(declared.alias("measurement")).rename({"measurement": "measurement of utility"})
        caption = (
            "violations: number of comparisons in which the lower ranking has the larger value, or equal rankings have "
            "different values. measurement of utility: the catalogue declares that the measure never contradicts the "
            "order."
        )
        return Table(frame, compact, caption=caption)

    def _show_violations(self) -> Table:
        frame = self.violations()
        compact = frame.rename({"rank": "first rank", "value_lower": "value", "value_higher": "value of higher"})
        if not len(frame):
            return Table(frame, compact)
        caption = (
            "The lower run is below the higher run in the order. first rank: the first rank at which the rankings "
            "differ. value: value of the lower run."
        )
        return Table(frame, compact, heading="measure", caption=caption)

    def _show_profile(self) -> Table:
        frame = self.profile()
        total = (self.outcomes == INCOMPARABLE).sum()
        caption = (
            f"Fractions of {total} comparisons of incomparable rankings. agree: both measures prefer the same run; "
            "disagree: they prefer different runs; undecided: at least one measure prefers neither run."
        )
        return Table(frame, frame.drop("incomparable"), caption=caption)


@check_arguments
def order(
    campaign: Campaign,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    sets: bool = False,
    gains: GainSpec | None = None,
    depth: int | None = None,
    unequal: str = "incomparable",
) -> OrderReport:
    r"""Compare every pair of runs on every topic, and check measures against the order.

    A ranking r is at most as good as s if for every rank k and every grade g above 0

    .. math:: |\{i \le k: r_i \ge g\}| \le |\{i \le k: s_i \ge g\}|

    The set-based order requires this only for k at the end of the rankings. Rankings may be incomparable.

    If grades have *gains* on a ratio scale, the sums of gains are compared instead:

    .. math:: \sum_{i \le k} g(r_i) \le \sum_{i \le k} g(s_i)

    This holds for every k if and only if no weighted sum of gains with weights that do not rise with the rank (such as
    DCG with these gains) prefers r to s. With *sets*, the order is total: it orders rankings by their total gain.

    Parameters
    ----------
    campaign
        Judgments and at least two runs. The tie policy cannot be ``expected``.
    measures
        Measures to check against the order (default: ``MEASURES``). A measurement of utility never contradicts it.
    sets
        Use the set-based order, which ignores ranks.
    gains
        The gain of each grade on a ratio scale: a name such as ``identity`` (the grade) or ``exp``, or a mapping from
        grades to gains. By default, only the order of the grades is used.
    depth
        Compare only the first *depth* documents.
    unequal
        Treatment of rankings of unequal length. ``incomparable``: they are incomparable, as in the paper. ``pad``: the
        shorter ranking is padded with non-relevant documents. A note gives the number of such comparisons.

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
    reject_expected_ties(campaign.policies.ties, "the comparison of rankings needs a single order of documents")
    check_unequal(unequal)
    pairs = pair_runs(campaign.runs)
    if depth is not None:
        check_integer("depth", depth, 1)
        campaign = campaign.top(depth)
    results = evaluate(campaign, MEASURES if measures is None else measures)
    units = None if gains is None else compute_units(gains, campaign.judged.levels)
    outcomes = _compare_rankings(campaign, pairs, ranked=not sets, units=units)
    length = campaign.judged.length.reshape(campaign.shape)[pairs]
    unequal_length = (length[:, 0] != length[:, 1]) & (outcomes >= 0)
    # The comparison pads the shorter ranking implicitly. Without padding, the rankings are incomparable.
    if unequal != "pad":
        outcomes[unequal_length] = INCOMPARABLE
    notes = (*results.notes, *_note_lengths(unequal_length, outcomes, unequal))
    names = [str(measure) for measure in results.measures]
    scale = None if gains is None else Gains(gains)
    settings = {"gains": None if scale is None else str(scale), "depth": depth, "unequal": unequal}
    provenance = results.provenance.with_settings(measures=names, sets=sets, **settings)
    results = replace(results, notes=notes)
    return OrderReport(results, pairs, outcomes, campaign, unequal, sets, scale, provenance, notes)


def _note_lengths(unequal_length: Bools, outcomes: Ints, unequal: str) -> list[str]:
    """Return a note on the number of comparisons of rankings of unequal length, and on their treatment."""
    if not unequal_length.any():
        return []
    treatment = (
        "are incomparable; use unequal 'pad' to pad the shorter ranking with non-relevant documents, or a depth to cut "
        "all rankings at the same rank"
        if unequal != "pad"
        else "are compared after padding the shorter ranking with non-relevant documents"
    )
    pairs, topics = (int(unequal_length.any(axis=axis).sum()) for axis in (1, 0))
    extent = f"{pluralize(pairs, 'run pair')}, {pluralize(topics, 'topic')}"
    affected = f"{unequal_length.sum():,} of {(outcomes >= 0).sum():,} comparisons"
    return [f"rankings of unequal length ({affected}: {extent}) {treatment}"]


def _compare_rankings(campaign: Campaign, pairs: Ints, ranked: bool, units: Sequence[int] | None) -> Ints:
    """Return the outcome of each pair of runs on each topic, pairs x topics."""
    runs, topics = campaign.shape
    judged = campaign.judged
    outcomes = np.empty((len(pairs), topics), dtype=np.int64)
    answered = judged.answered.reshape(runs, topics)
    for topic in range(topics):
        # Rankings are stored run by run, so that the rankings of one topic are *topics* positions apart.
        profiles = build_profiles(judged, np.arange(runs) * topics + topic, ranked, units)
        outcomes[:, topic] = compare_profiles(profiles, pairs)
        if campaign.policies.missing == "exclude":
            both_answered = answered[pairs, topic].all(axis=1)
            outcomes[~both_answered, topic] = -1
    return outcomes


def padded_grades(campaign: Campaign, run: int, topic: int) -> list[float]:
    """Return the grades of one ranking, padded with 0 to the length of the longest ranking.

    Unjudged documents and negative grades become 0.
    """
    index = run * len(campaign.topics) + topic
    judged = campaign.judged
    codes = judged.code[judged.start[index] : judged.start[index + 1]]
    grades = np.maximum(np.concatenate([[0.0], judged.levels])[codes], 0)
    return [*grades.tolist(), *[0.0] * (judged.max_depth - len(grades))]
