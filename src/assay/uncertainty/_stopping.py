"""Stopping rules: whether an order of runs is certain for any grades of unjudged documents.

A rule consists of comparisons of two runs A and B. The difference between their mean values lies in an interval over
all grades of the unjudged documents that the two runs retrieved. A comparison is decided if the interval excludes 0, or
if it is a single point. Topics are independent, so the ends of the interval are means of the ends over topics.

For weighted sums over ranks, the interval is exact and every judgment narrows it by a known amount. For other measures,
the ends are those of MED, which are exact for many measures and outer bounds for the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.distance._med.request import MedRequest
from assay.distance.maximized_effectiveness import compute_extremes, score_current
from assay.engine.campaign import Campaign
from assay.errors import InputError, MeasureError, PolicyError
from assay.io.problems import format_value
from assay.measures import Measure
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.uncertainty._judging_queue import JudgingQueue

_TOP = re.compile(r"top:(\d{1,9})", re.ASCII)
_FORMS = "write top:K, such as top:10, or pair:RUN,RUN"


class StoppingRule(NamedTuple):
    """A rule: the order of the best *top* runs, or the order of a *pair* of runs (as indices)."""

    text: str
    top: int = 0
    pair: tuple[int, int] | None = None

    def choose_pairs(self, values: Floats) -> Ints:
        """Return pairs x 2: the comparisons that the rule needs, better run first; *values* are higher for better runs.

        The order of the best k runs is certain if each of them is certainly better than the next, and the last of them
        is certainly better than every other run.
        """
        order = np.argsort(-values, kind="stable")
        if self.pair is not None:
            a, b = self.pair
            return np.array([(a, b) if values[a] >= values[b] else (b, a)])
        last = min(self.top, len(order)) - 1
        chain = [(order[i], order[i + 1]) for i in range(last)]
        return np.array([*chain, *((order[last], run) for run in order[last + 1 :])], dtype=np.int64).reshape(-1, 2)


class Intervals(NamedTuple):
    """Intervals of the differences of pairs of runs, over all grades of unjudged documents.

    Attributes
    ----------
    low, high
        The ends.
    exact
        Mask of the intervals whose ends are attained.
    confirm, decide
        Smallest number of judgments after which the first run can be certainly better, and after which either run can
        be certainly better; None if it is not known.
    """

    low: Floats
    high: Floats
    exact: np.ndarray
    confirm: Ints | None = None
    decide: Ints | None = None

    @property
    def decided(self) -> np.ndarray:
        """Mask of the pairs whose order is certain, or whose difference is known."""
        return np.asarray((self.low > ROUNDING) | (self.high < -ROUNDING) | (self.high - self.low <= ROUNDING))


@dataclass(frozen=True)
class RuleStatus:
    """A stopping rule by one measure: whether it holds, and what is still open.

    Attributes
    ----------
    rule, measure
        The rule, such as ``top:10``, and the measure.
    comparisons, decided
        Number of comparisons of two runs that the rule needs, and number of those that are decided.
    exact
        True if all intervals are exact. Otherwise the rule may hold although some comparison seems undecided.
    needed
        Number of judgments without which the rule cannot hold: for a pair in either order, for the best runs in their
        present order; None if it is not known.
    run, other, low, high
        The pair of runs with the least certain order, better run first, and the interval of its difference; None for a
        single run.
    recall_base
        True if the intervals assume that unjudged documents that neither ranking contains, down to the cutoff of the
        measure, are not relevant.
    """

    rule: str
    measure: str
    comparisons: int
    decided: int
    exact: bool
    needed: int | None
    run: str | None
    other: str | None
    low: float | None
    high: float | None
    recall_base: bool

    @property
    def holds(self) -> bool:
        """True if judging can stop."""
        return self.decided == self.comparisons

    def describe(self) -> str:
        """State whether the rule holds, and what is missing, in one sentence."""
        condition = ", if no unjudged document outside the compared ranks is relevant" if self.recall_base else ""
        kind, _, names = self.rule.partition(":")
        subject = "the order of the runs" if kind == "pair" else _name_top(int(names))
        if kind == "pair" and self.holds:
            return f"By {self.measure}, {self._describe_pair()} for any grades of unjudged documents{condition}."
        if self.holds:
            return f"By {self.measure}, {subject} can no longer change{condition}."
        needed = "" if not self.needed else f"; at least {pluralize(self.needed, 'judgment')} more needed"
        if kind == "pair":
            outer = "" if self.exact else " (outer bounds)"
            interval = f"{self.run} minus {self.other} is between {self.low:.4f} and {self.high:.4f}{outer}"
            return f"By {self.measure}, the pair is undecided: {interval}{needed}."
        bounds = "" if self.exact else " by outer bounds"
        order = f"{needed} for the present order" if needed else ""
        count = f"{self.decided} of {pluralize(self.comparisons, 'comparison')} decided{bounds}"
        return f"By {self.measure}, {subject} is not certain: {count}{order}."

    def _describe_pair(self) -> str:
        if self.low is not None and self.high is not None and self.high - self.low <= ROUNDING:
            return f"the difference between {self.run} and {self.other} is {self.low:.4f}"
        better, worse = (self.run, self.other) if (self.low or 0) > 0 else (self.other, self.run)
        return f"{better} is better than {worse}"


def _name_top(top: int) -> str:
    return "the best run" if top == 1 else f"the order of the top {top}"


def parse_rules(texts: str | Iterable[str], runs: Sequence[str]) -> tuple[StoppingRule, ...]:
    """Return the rules; names of runs may contain commas."""
    rules = []
    for text in [texts] if isinstance(texts, str) else texts:
        kind, _, names = str(text).partition(":")
        match = _TOP.fullmatch(str(text))
        if match and int(match[1]) > 0:
            rules.append(StoppingRule(str(text), top=int(match[1])))
        elif kind == "pair":
            rules.append(StoppingRule(str(text), pair=_split_pair(names, runs)))
        else:
            raise InputError(f"stop {format_value(text)}: {_FORMS}")
    return tuple(dict.fromkeys(rules))


def _split_pair(names: str, runs: Sequence[str]) -> tuple[int, int]:
    """Return the indices of two runs whose names are separated by a comma."""
    commas = [match.start() for match in re.finditer(",", names)]
    splits = [(names[:comma].strip(), names[comma + 1 :].strip()) for comma in commas]
    if not splits:
        raise InputError(f"stop {format_value(f'pair:{names}')}: {_FORMS}")
    for a, b in splits:
        if a in runs and b in runs and a != b:
            return runs.index(a), runs.index(b)
    a, b = splits[0]
    if a == b:
        raise InputError(f"stop {format_value(f'pair:{names}')}: name two different runs")
    missing = next((name for name in (a, b) if name not in runs), a)
    raise InputError(f"stop {format_value(f'pair:{names}')}: there is no run {missing}; {_FORMS}")


def check_campaign(campaign: Campaign) -> None:
    """Raise an error for policies under which runs are not compared on all topics and documents."""
    for name, required in (("missing", "empty"), ("undefined", "zero"), ("unjudged", "nonrelevant")):
        value = getattr(campaign.policies, name)
        if value != required:
            raise PolicyError(f"{name} {value!r}: stopping rules need {required!r}")
    if len(campaign.runs) < 2:
        raise InputError("stop: need at least two runs")


# Status ----------------------------------------------------------------------------------------------------------


def check_additive_rules(rules: Iterable[StoppingRule], queue: JudgingQueue) -> list[RuleStatus]:
    """Return the status of *rules* by the measure of a queue of all runs; judgments of the queue count."""
    statuses = []
    for rule in rules:
        pairs = rule.choose_pairs(queue.values())
        statuses.append(_summarize(rule, queue.measure, queue.rankings.runs, pairs, _bound_sums(queue, pairs)))
    return statuses


class StoppingMonitor:
    """Stopping rules that are checked again after each judgment, without reading the runs again.

    Attributes
    ----------
    queue
        A queue of all runs. Its judgments count.
    """

    def __init__(self, rules: str | Iterable[str], queue: JudgingQueue) -> None:
        self.queue = queue
        self._rules = parse_rules(rules, queue.rankings.runs)

    def describe(self) -> list[dict[str, str | bool]]:
        """Return, for each rule, whether it holds, and a sentence."""
        statuses = check_additive_rules(self._rules, self.queue)
        return [{"holds": status.holds, "text": status.describe()} for status in statuses]


def _bound_sums(queue: JudgingQueue, pairs: Ints) -> Intervals:
    """Return the exact intervals of differences of weighted sums over ranks."""
    low, high = np.zeros(len(pairs)), np.zeros(len(pairs))
    confirm, decide = np.zeros((2, len(pairs)), dtype=np.int64)
    for i, (base, weight) in enumerate(queue.weigh_differences(pairs)):
        low[i], high[i] = base + np.minimum(weight, 0).sum(), base + np.maximum(weight, 0).sum()
        amounts = np.sort(np.abs(weight[weight != 0]))[::-1]
        confirm[i] = _count_needed(low[i], amounts)
        decide[i] = min(confirm[i], _count_needed(-high[i], amounts))
    return Intervals(low, high, np.ones(len(pairs), dtype=bool), confirm, decide)


def _count_needed(low: float, amounts: Floats) -> int:
    """Return how many judgments raise *low* above 0 at best, or leave nothing uncertain; *amounts* descend.

    A judgment narrows the interval by its amount. At best, the whole amount is added to the lower end.
    """
    raised = np.concatenate([[0.0], np.cumsum(amounts)])
    enough = (low + raised > ROUNDING) | (raised[-1] - raised <= ROUNDING)
    return int(np.argmax(enough))


def check_rules(
    rules: Iterable[StoppingRule], campaign: Campaign, measure: Measure, topics: Sequence[str], *, all_topics: bool
) -> list[RuleStatus]:
    """Return the status of *rules* by any measure, from the directed maxima of MED."""
    reject_expected_ties(campaign.policies.ties, "stopping rules by this measure need an order")
    if measure.aggregate != "mean":
        raise MeasureError(f"measure '{measure}': its values are not averaged over topics; use another for stop")
    request = MedRequest((measure,))
    rankings = campaign.rankings(depth=request.max_depth, topics="all" if all_topics else "judged")
    rankings = rankings.select(topics=topics)
    tasks = request.tasks(longest=max(rankings.max_depth, 1))
    scores = [score_current(tasks[0].measure, topic.top(tasks[0].judged_depth)) for topic in rankings]
    sign = -1.0 if measure.lower_is_better else 1.0
    values = sign * np.mean(scores, axis=0)
    statuses = []
    for rule in rules:
        pairs = rule.choose_pairs(values)
        directed = pairs if sign > 0 else pairs[:, ::-1]
        extremes, _ = compute_extremes(rankings, tasks, directed)
        up, up_bound, down, down_bound = (extremes[name][0] for name in ("up", "up_bound", "down", "down_bound"))
        exact = ((up_bound - up <= ROUNDING) & (down_bound - down <= ROUNDING)).all(axis=1)
        intervals = Intervals(-down_bound.mean(axis=1), up_bound.mean(axis=1), exact)
        statuses.append(_summarize(rule, measure, rankings.runs, pairs, intervals))
    return statuses


def _summarize(
    rule: StoppingRule, measure: Measure, runs: Sequence[str], pairs: Ints, intervals: Intervals
) -> RuleStatus:
    """Summarize the comparisons of a rule."""
    decided = intervals.decided
    by_pair = rule.pair is not None
    counts = intervals.decide if by_pair else intervals.confirm
    needed = None if counts is None else int(np.where(decided, 0, counts).max(initial=0))
    # The least certain comparison: undecided, with the lowest lower end.
    worst = int(np.lexsort((intervals.low, decided))[0]) if len(pairs) else None
    run, other = (None, None) if worst is None else (runs[i] for i in pairs[worst])
    low, high = (None, None) if worst is None else (float(intervals.low[worst]), float(intervals.high[worst]))
    return RuleStatus(
        rule=rule.text,
        measure=str(measure),
        comparisons=len(pairs),
        decided=int(decided.sum()),
        exact=bool(intervals.exact.all()),
        needed=0 if decided.all() else needed,
        run=run,
        other=other,
        low=low,
        high=high,
        recall_base=measure.uses_recall_base,
    )
