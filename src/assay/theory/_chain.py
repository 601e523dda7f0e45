"""The way from a ranking up to a better one: single swaps and replacements, none of which leaves the order.

The construction is the corrected one: the printed one fails for graded relevance. At the highest grade p whose
documents stand elsewhere in both rankings, the stretch where the lower one lags behind begins at k and ends before l,
where both have as many of them again. The best document below p in that stretch changes places with the one of grade p
at l; if there is no l, it is raised to p. Above p both rankings agree, so the one at l has grade p exactly.
"""

from __future__ import annotations

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
from assay.results.tables import Table, drop_fractions
from assay.theory._order import GREATER, INCOMPARABLE, OrderReport, compare, judged_grades


class ChainStep(NamedTuple):
    """One step: a ``swap`` of two ranks, or the ``replacement`` of one document; *run* is the ranking after it."""

    kind: str
    rank: int
    other: int | None
    before: float
    after: float
    run: tuple[float, ...]


@check_arguments
def chain(r: Sequence[float], s: Sequence[float]) -> list[ChainStep]:
    """Return the steps from *r* up to *s*, which must not be below it; both are grades by rank, of one length.

    >>> [(step.kind, step.rank, step.other) for step in chain([0, 1, 2], [0, 2, 1])]
    [('swap', 2, 3)]
    """
    if len(r) != len(s):
        raise InputError(
            f"there is no chain: runs of {len(r)} and {len(s)} documents are incomparable; pad the shorter one with 0"
        )
    outcome = compare(r, s)
    if outcome not in ("less", "equal"):
        raise InputError(f"there is no chain: the first run is {_words(outcome)} the second")
    here, goal = np.maximum(np.array(r, dtype=np.float64), 0), np.maximum(np.array(s, dtype=np.float64), 0)
    steps: list[ChainStep] = []
    while (here != goal).any():
        steps.append(_step(here, goal))
        here = np.array(steps[-1].run)
    return steps


def _words(outcome: str) -> str:
    return "above" if outcome == "greater" else "incomparable with"


def _step(here: Floats, goal: Floats) -> ChainStep:
    top = _highest_difference(here, goal)
    lag: Ints = np.cumsum(goal >= top) - np.cumsum(here >= top)
    start = int(np.flatnonzero(lag > 0)[0])
    level = np.flatnonzero(lag[start:] == 0)
    end = start + int(level[0]) if len(level) else len(here)
    below = np.where(here[start:end] < top, here[start:end], -np.inf)
    place = start + int(np.flatnonzero(below == below.max())[-1])
    after = here.copy()
    if end < len(here):
        after[[place, end]] = here[[end, place]]
        return ChainStep("swap", place + 1, end + 1, float(here[place]), float(after[place]), tuple(after.tolist()))
    after[place] = top
    return ChainStep("replacement", place + 1, None, float(here[place]), top, tuple(after.tolist()))


def _highest_difference(here: Floats, goal: Floats) -> float:
    """Return the highest grade whose documents stand elsewhere."""
    for grade in np.unique(np.concatenate([here, goal]))[::-1]:
        if ((here >= grade) != (goal >= grade)).any():
            return float(grade)
    raise AssertionError("the rankings are the same")  # pragma: no cover - asked for different rankings only


# The chain between two runs ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Chain(Report):
    """The steps from the lower of two rankings up to the higher one; the report of ``OrderReport.chain``.

    Attributes
    ----------
    topic, lower, higher
        The topic, and the names of the runs.
    steps
        The steps, from the lower ranking to the higher one; none if they are equal.
    provenance
        The inputs, policies and settings behind the rankings.
    notes
        What was ignored, skipped or assumed, one line each.
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

        *before* and *after* are the grades at *rank*; *other* is the second rank of a swap, null for a replacement.
        """
        kinds = [pl.Int64, pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Float64]
        names = ["step", "kind", "rank", "other", "before", "after"]
        rows = [(number, *step[:5]) for number, step in enumerate(self.steps, 1)]
        return pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")

    def summary(self) -> str:
        """Return how many steps of each kind there are."""
        if not self.steps:
            return f"{self.lower} and {self.higher} are equal on topic {self.topic}: no step is needed."
        swaps = sum(step.kind == "swap" for step in self.steps)
        each = [
            pluralize(number, kind)
            for number, kind in ((swaps, "swap"), (len(self.steps) - swaps, "replacement"))
            if number
        ]
        lead = "leads" if len(self.steps) == 1 else "lead"
        return (
            f"On topic {self.topic}, {' and '.join(each)} {lead} from {self.lower} up to {self.higher}. No step lowers "
            "a measure for which both axioms hold."
        )

    def _show_steps(self) -> Table:
        frame = self.frame()
        words = {"kind": "change", "other": "with rank", "before": "grade", "after": "becomes"}
        return Table(frame, drop_fractions(frame, "before", "after").rename(words))


def connect(report: OrderReport, topic: str) -> Chain:
    """Return the chain between the only two runs of a report on a topic, whichever is the lower one."""
    runs, topics = report.results.runs, report.results.topics
    if report.sets:
        raise InputError("chain: the steps are those of the order by ranks, not of that on sets")
    if len(runs) != 2:
        raise InputError(f"chain: needs two runs, got {len(runs)}")
    if topic not in topics:
        raise InputError(f"topic {topic}: the qrels have no such topic{suggestion(topic, topics)}")
    number = topics.index(topic)
    outcome = report.outcomes[0, number]
    if outcome < 0:
        raise InputError(f"chain: topic {topic} is not answered by both runs")
    if outcome == INCOMPARABLE:
        raise InputError(_no_chain(report, number))
    low, high = (1, 0) if outcome == GREATER else (0, 1)
    steps = chain(judged_grades(report.campaign, low, number), judged_grades(report.campaign, high, number))
    provenance = report.provenance.with_settings(topic=topic)
    return Chain(topic, runs[low], runs[high], tuple(steps), provenance, report.notes)


def _no_chain(report: OrderReport, topic: int) -> str:
    """Return why there is no chain between two rankings: they differ in length, or neither is better."""
    first, second = report.results.runs
    one, other = report.campaign.judged.length.reshape(report.campaign.shape)[:, topic]
    reason, remedy = "incomparable", ""
    if one != other and report.unequal != "pad":
        reason, remedy = (
            f"of unequal length ({one} and {other} documents)",
            "; pad the shorter one (unequal=pad) or set a depth",
        )
    name = report.results.topics[topic]
    return f"chain: {first} and {second} are {reason} on topic {name}, so there is no chain{remedy}"
