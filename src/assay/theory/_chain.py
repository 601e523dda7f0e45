"""Chains of steps from a ranking up to a better ranking: swaps and replacements, each of which goes up in the order.

The construction in the paper fails for graded relevance; this is a corrected form. Let p be the highest grade whose
documents are at different ranks in the two rankings. Count the documents of grade p or better in the top ranks. At rank
k, the lower ranking has fewer of them than the higher ranking for the first time; at rank l it has caught up. The best
document below grade p at ranks k to l - 1 is swapped with the document at rank l. If the lower ranking never catches
up, this document is replaced by a document of grade p. Both rankings agree on all grades above p, so that the document
at rank l has exactly grade p.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.sentences import list_names
from assay.results.tables import Table, floats_to_integers
from assay.theory._order import OrderReport, padded_grades
from assay.theory.ranking_order import GREATER, INCOMPARABLE, compare


class ChainStep(NamedTuple):
    """A step: a ``swap`` of two documents or the ``replacement`` of one document.

    *rank* and *other* are the ranks that change (*other* is None for a replacement). *before* and *after* are the
    grades at *rank*. *run* is the ranking after the step.
    """

    kind: str
    rank: int
    other: int | None
    before: float
    after: float
    run: tuple[float, ...]


@check_arguments
def chain(r: Sequence[float], s: Sequence[float]) -> list[ChainStep]:
    """Return the steps from ranking *r* up to ranking *s*, which must be equal to *r* or above it in the order.

    Rankings are lists of grades, from rank 1 on, and have the same length.

    >>> [(step.kind, step.rank, step.other) for step in chain([0, 1, 2], [0, 2, 1])]
    [('swap', 2, 3)]
    """
    if len(r) != len(s):
        raise InputError(
            f"there is no chain between {len(r)} and {len(s)} documents; pad the shorter ranking with grade 0"
        )
    outcome = compare(r, s)
    if outcome not in ("less", "equal"):
        relation = "above" if outcome == "greater" else "incomparable with"
        raise InputError(f"there is no chain: the first ranking is {relation} the second ranking")
    current, goal = np.maximum(np.array(r, dtype=np.float64), 0), np.maximum(np.array(s, dtype=np.float64), 0)
    steps: list[ChainStep] = []
    while (current != goal).any():
        steps.append(_find_step(current, goal))
        current = np.array(steps[-1].run)
    return steps


def _find_step(current: Floats, goal: Floats) -> ChainStep:
    """Return the next step from the current ranking towards the goal; see the module docstring for k, l and p."""
    top = _find_highest_difference(current, goal)  # p
    # At each rank, the number of documents of grade p or better that the current ranking lacks.
    lag: Ints = np.cumsum(goal >= top) - np.cumsum(current >= top)
    start = int(np.flatnonzero(lag > 0)[0])  # k, counted from 0
    caught_up = np.flatnonzero(lag[start:] == 0)
    end = start + int(caught_up[0]) if len(caught_up) else len(current)  # l, counted from 0
    # The last of the best documents below grade p.
    below = np.where(current[start:end] < top, current[start:end], -np.inf)
    index = start + int(np.flatnonzero(below == below.max())[-1])
    after = current.copy()
    after[index] = top  # Also in a swap, because the document at rank l has exactly grade p.
    kind, other = "replacement", None
    if end < len(current):
        after[end] = current[index]
        kind, other = "swap", end + 1
    return ChainStep(kind, index + 1, other, float(current[index]), top, tuple(after.tolist()))


def _find_highest_difference(current: Floats, goal: Floats) -> float:
    """Return the highest grade whose documents are at different ranks."""
    for grade in np.unique(np.concatenate([current, goal]))[::-1]:
        if ((current >= grade) != (goal >= grade)).any():
            return float(grade)
    raise AssertionError("the rankings are equal")  # pragma: no cover - called for different rankings only


# The chain between two runs ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Chain(Report):
    """The steps from the lower of two rankings up to the higher ranking; the report of ``OrderReport.chain``.

    Attributes
    ----------
    topic, lower, higher
        The topic, and the names of the runs.
    steps
        The steps, from the lower ranking to the higher ranking; empty if the rankings are equal.
    provenance
        The inputs, policies and settings of the analysis.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    """

    topic: str
    lower: str
    higher: str
    steps: tuple[ChainStep, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "chain"
    tables: ClassVar[Mapping[str, str]] = {"steps": "each step with the ranks and grades that it changes"}

    def __repr__(self) -> str:
        return f"Chain({self.lower} to {self.higher}, topic {self.topic}: {pluralize(len(self.steps), 'step')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each step: step, kind, rank, other, before, after.

        *before* and *after* are the grades at *rank*. *other* is the second rank of a swap; null for a replacement.
        """
        rows = [(number, *step[:5]) for number, step in enumerate(self.steps, 1)]
        ranks = {"step": pl.Int64, "kind": pl.String, "rank": pl.Int64, "other": pl.Int64}
        return pl.DataFrame(rows, schema={**ranks, "before": pl.Float64, "after": pl.Float64}, orient="row")

    def summary(self) -> str:
        """Return the number of steps of each kind."""
        if not self.steps:
            return f"On topic {self.topic}, {self.lower} and {self.higher} have equal judged rankings."
        counts = Counter(step.kind for step in self.steps)
        kinds = [pluralize(counts[kind], kind) for kind in ("swap", "replacement") if counts[kind]]
        lead = "leads" if len(self.steps) == 1 else "lead"
        return (
            f"On topic {self.topic}, {list_names(kinds)} {lead} from {self.lower} up to {self.higher}. No step lowers "
            "the value of a measure that satisfies both axioms."
        )

    def _show_steps(self) -> Table:
        frame = self.frame()
        labels = {"kind": "change", "other": "with rank", "before": "grade", "after": "becomes"}
        return Table(frame, floats_to_integers(frame, "before", "after").rename(labels))


def connect(report: OrderReport, topic: str) -> Chain:
    """Return the chain between the two runs of a report on a topic, from the lower run to the higher run."""
    runs, topics = report.results.runs, report.results.topics
    if report.sets:
        raise InputError("chain: not defined for the set-based order; omit sets")
    if report.gains is not None:
        raise InputError("chain: not defined for sums of gains; omit gains")
    if len(runs) != 2:
        raise InputError(f"chain: need exactly two runs, got {len(runs)}")
    if topic not in topics:
        raise InputError(f"topic {topic}: the qrels have no such topic{suggestion(topic, topics)}")
    number = topics.index(topic)
    outcome = report.outcomes[0, number]
    if outcome < 0:
        raise InputError(f"chain: one of the runs has no documents for topic {topic}")
    if outcome == INCOMPARABLE:
        raise InputError(_explain_no_chain(report, number))
    low, high = (1, 0) if outcome == GREATER else (0, 1)
    steps = chain(padded_grades(report.campaign, low, number), padded_grades(report.campaign, high, number))
    provenance = report.provenance.with_settings(topic=topic)
    return Chain(topic, runs[low], runs[high], tuple(steps), provenance, report.notes)


def _explain_no_chain(report: OrderReport, topic: int) -> str:
    """Return an error message: there is no chain because the rankings differ in length or are incomparable."""
    first, second = report.results.runs
    one, other = report.campaign.judged.length.reshape(report.campaign.shape)[:, topic]
    reason, remedy = "incomparable", ""
    if one != other and report.unequal != "pad":
        reason = f"of unequal length ({one} and {other} documents)"
        remedy = "; pad the shorter ranking (unequal=pad) or set a depth"
    name = report.results.topics[topic]
    return f"chain: the rankings of {first} and {second} are {reason} on topic {name}{remedy}"
