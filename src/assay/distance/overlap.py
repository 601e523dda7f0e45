"""How much the rankings of runs agree, with nothing judged: rank-biased overlap and rank correlation by topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.distance.aligned import Aligned, Side, known_treatment, together
from assay.distance.rank_correlation import correlations
from assay.distance.rbo import check_persistence, overlaps
from assay.engine.joining import list_all
from assay.engine.workers import Progress
from assay.errors import InputError, PolicyError, SkippableError, suggestion
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.checks import whole
from assay.model.notes import count, some
from assay.model.policies import Policies, refuse_expected
from assay.model.provenance import Provenance
from assay.model.rankings import Listed, Rankings
from assay.results._evaluate import described
from assay.results.square import square

ALL = "all"
COEFFICIENTS = ("rbo", "min", "max", "residual", "tau", "tau_ap", "overlap")
COLUMNS = (*COEFFICIENTS, "depth_a", "depth_b")
TOPICS = {
    "union": "topics that either of two runs has; of one that a run lacks it has an empty ranking",
    "intersection": "topics that both of two runs have",
}
_ROWS = 256  # pairs of rankings compared together


@dataclass(frozen=True, eq=False)
class OverlapReport:
    """What :func:`overlap` returns.

    Attributes
    ----------
    runs, topics
        What was compared.
    pairs
        Pairs x 2: the numbers of the runs. Each run is also compared with itself, unless only with the first.
    values
        ``COLUMNS`` x pairs x topics; NaN where there is no value.
    p, depth, tied, topics_policy
        The persistence, the depth at which rankings were cut, the treatment of ties, which topics count.
    provenance, notes
        The inputs and policies behind the report, and what was ignored or assumed.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    pairs: Ints
    values: Floats
    p: float
    depth: int | None
    tied: str
    topics_policy: str
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        pairs = count(int((self.pairs[:, 0] != self.pairs[:, 1]).sum()), "pair")
        return f"OverlapReport({pairs} of runs x {count(len(self.topics), 'topic')}: p={self.p:g})"

    def means(self) -> Floats:
        """``COLUMNS`` x pairs: the means over the topics that have a value; NaN where none has."""
        there = ~np.isnan(self.values)
        number = there.sum(axis=2)
        total = np.where(there, self.values, 0.0).sum(axis=2)
        return np.where(number > 0, total / np.maximum(number, 1), np.nan)

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """A row for each pair of runs, or for each pair and topic and then for all: the mean.

        Columns: run_a, run_b, topic, rbo (extrapolated), min, max, residual, tau, tau_ap, overlap (the share of the
        documents of the longer ranking that the other one has too), depth_a, depth_b (how many documents there are).
        """
        different = np.flatnonzero(self.pairs[:, 0] != self.pairs[:, 1])
        values = self.means()[:, different, None]
        topics = pl.Series("topic", [ALL], dtype=pl.String)
        if per_topic:
            values = np.concatenate([self.values[:, different], values], axis=2)
            topics = pl.Series("topic", [*self.topics, ALL], dtype=pl.String)
        # A topic that neither run has is none of theirs.
        pair, topic = np.nonzero(~np.isnan(values[0]) | (np.arange(len(topics)) == len(topics) - 1))
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[different[pair], 0]),
                "run_b": names.gather(self.pairs[different[pair], 1]),
                "topic": topics.gather(topic),
                **{name: pl.Series(column[pair, topic]) for name, column in zip(COLUMNS, values, strict=True)},
            }
        ).with_columns(pl.col(COLUMNS).fill_nan(None))

    def matrix(self, of: str = "rbo") -> pl.DataFrame:
        """Runs x runs: the mean of one of the ``COEFFICIENTS`` over topics; symmetric."""
        if of not in COEFFICIENTS:
            raise InputError(f"matrix of {of!r}: choose one of {', '.join(COEFFICIENTS)}{suggestion(of, COEFFICIENTS)}")
        if not (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise InputError("a matrix needs all pairs of runs, not only those with the first")
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        value = self.means()[COLUMNS.index(of)]
        for one, other in ((0, 1), (1, 0)):
            table[self.pairs[:, one], self.pairs[:, other]] = value
        return square(self.runs, table)


@check_arguments
def overlap(
    runs: Any,
    *,
    p: float = 0.9,
    depth: int | None = None,
    ties: str = "trec_eval-10",
    tied: str = "order",
    topics: str = "union",
    first: bool = False,
    lenient: bool = False,
    progress: Progress | None = None,
) -> OverlapReport:
    r"""Compare the rankings of every pair of runs on every topic, without judgments.

    .. math:: RBO = (1 - p) \sum_{d \ge 1} p^{d-1} A_d

    where A_d is the share of documents that the first d of both rankings have in common; beside it Kendall's tau and
    tau-AP of the documents that both have.

    Parameters
    ----------
    runs
        As in ``evaluate``; at least two.
    p
        Persistence of rank-biased overlap, above 0 and below 1.
    depth
        Compare only so many documents from the top. Where ties are treated, a group that the depth cuts through is
        kept whole.
    ties
        The order of documents, as in ``evaluate``.
    tied
        What ties mean: ``order`` (nothing: they are broken as *ties* says), ``w`` (documents share a rank), ``a`` (the
        mean over all orders), ``b`` (the same, corrected for ties); see ``rbo`` and ``rank_correlation``. Other than
        ``order`` they are what has the same score.
    topics
        ``union``: topics that either of two runs has, where one that lacks a topic shares nothing with the other (rbo
        and min 0, max 1 or with ties a little less, no correlation). ``intersection``: topics that both have.
    first
        Compare the first run with each of the others, and not these with each other.
    lenient
        Go on after bad lines, duplicates and runs that share no topic with any other.
    progress
        Called with the number of runs read and their total, then with the number of topics compared and their total.

    References
    ----------
    Webber, Moffat & Zobel, *A similarity measure for indefinite rankings*, TOIS 28 (2010). Corsi & Urbano, *The
    treatment of ties in rank-biased overlap*, SIGIR 2024. Yilmaz, Aslam & Robertson, *A new rank correlation
    coefficient for information retrieval*, SIGIR 2008.

    Examples
    --------
    >>> runs = {"x": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}}
    >>> [found] = overlap(runs, p=0.8).frame().rows(named=True)
    >>> found["run_a"], found["run_b"], round(found["rbo"], 4), found["tau"]
    ('x', 'y', 0.5867, -1.0)
    """
    check_persistence(p)
    known_treatment(tied)
    policies = _policies(ties, tied, topics)
    if depth is not None:
        whole("depth", depth, 1)
    # The order of expected ties is that of trec_eval-10, and the ties are known.
    known = "expected" if ties == "trec_eval-10" else ties
    cut = depth if tied == "order" else None
    _, found = list_all(None, runs, known, depth=cut, lenient=lenient, progress=progress)
    if len(found) < 2:
        raise InputError("runs: name at least two runs to compare")
    names, provenance, notes = described(None, runs, found, policies)
    rankings = Rankings.of(found, names, None)
    has = rankings.length > 0
    if not lenient:
        _refuse_strangers(found, has, rankings.topics)
    pairs = _pairs(len(found), first)
    values, beyond = _compared(rankings, pairs, _How(float(p), depth, tied, topics), progress)
    more = [
        *_missing(names, has, topics),
        *_ties(rankings, tied),
        *_beyond(beyond, depth),
        *_uncorrelated(values, pairs),
    ]
    return OverlapReport(
        names, rankings.topics, pairs, values, float(p), depth, tied, topics, provenance, (*notes, *more)
    )


def _policies(ties: str, tied: str, topics: str) -> Policies:
    refuse_expected(ties, "what ties mean is asked for by tied: order, w, a or b")
    if topics not in TOPICS:
        raise PolicyError(f"topics {topics!r}: choose one of {', '.join(TOPICS)}{suggestion(str(topics), TOPICS)}")
    policies = Policies(ties=ties)
    if tied != "order" and ties != "trec_eval-10":
        raise PolicyError(f"tied {tied!r}: documents are tied by their scores; it does not go with ties {ties!r}")
    return policies


def _pairs(runs: int, first: bool) -> Ints:
    if first:
        return np.array([(0, other) for other in range(1, runs)])
    return np.array(sorted(combinations_with_replacement(range(runs), 2), key=lambda pair: pair[0] == pair[1]))


def _refuse_strangers(runs: list[Listed], has: Bools, topics: tuple[str, ...]) -> None:
    shared = has.sum(axis=0) > 1
    for run, own in zip(runs, has, strict=True):
        if not (own & shared).any():
            ours = some(topic for topic, there in zip(topics, own, strict=True) if there)
            theirs = some(topic for topic, there in zip(topics, own, strict=True) if not there)
            raise SkippableError(
                f"{run.source}: shares no topic with another run (it has {ours}; the others have {theirs})"
            )


# Comparing -------------------------------------------------------------------------------------------------------


class _How(NamedTuple):
    """What is asked for; see :func:`overlap`."""

    p: float
    depth: int | None
    tied: str
    topics: str


class _Waiting(NamedTuple):
    """Rows that are to be compared: which pairs and topics they are of, side by side."""

    pair: Ints
    topic: int
    rows: Aligned


def _compared(rankings: Rankings, pairs: Ints, how: _How, progress: Progress | None) -> tuple[Floats, int]:
    """The values, and by how many documents a ranking was left longer than the depth at most.

    Topics are gathered until there are enough rows to compare at once: a few pairs on many topics are as fast as many
    pairs on a few. Rankings with ties wait apart, as they take longer.
    """
    values = np.full((len(COLUMNS), len(pairs), len(rankings.topics)), np.nan)
    queues: dict[bool, list[_Waiting]] = {False: [], True: []}
    beyond = 0
    for number, lists in enumerate(rankings):
        side = Side(lists, how.depth)
        beyond = max(beyond, int(side.length.max(initial=0)) - (how.depth or 0))
        for waiting in _rows(side, pairs, number, how):
            queue = queues[waiting.rows.groups is not None]
            queue.append(waiting)
            if sum(len(one.rows) for one in queue) >= _ROWS:
                _fill(values, queue, how)
                queue.clear()
        if progress is not None:
            progress(number + 1, len(rankings.topics))
    for queue in queues.values():
        _fill(values, queue, how)
    return values, beyond if how.depth is not None else 0


def _rows(side: Side, pairs: Ints, topic: int, how: _How) -> Iterator[_Waiting]:
    """The pairs of runs that are compared on a topic, a number of them at a time."""
    there = side.length[pairs] > 0
    chosen = there.all(axis=1) if how.topics == "intersection" else there.any(axis=1)
    uses_ties = side.tied[pairs].any(axis=1) & (how.tied != "order")
    for ties in (False, True):
        some_pairs = np.flatnonzero(chosen & (uses_ties == ties))
        for begin in range(0, len(some_pairs), _ROWS):
            part = some_pairs[begin : begin + _ROWS]
            yield _Waiting(part, topic, side.aligned(pairs[part, 0], pairs[part, 1], ties))


def _fill(values: Floats, queue: list[_Waiting], how: _How) -> None:
    """Compare what waits."""
    if not queue:
        return
    rows = together([one.rows for one in queue])
    pair = np.concatenate([one.pair for one in queue])
    topic = np.repeat([one.topic for one in queue], [len(one.rows) for one in queue])
    found = overlaps(rows, how.p, how.tied)
    correlated = correlations(rows, how.tied)
    share = found.shared / rows.length.max(axis=1)
    columns = (found.ext, found.min, found.max, found.residual, *correlated, share, *rows.length.T)
    for number, column in enumerate(columns):
        values[number, pair, topic] = column


# What is said about it -------------------------------------------------------------------------------------------


def _missing(names: Sequence[str], has: Bools, topics: str) -> list[str]:
    how = "left out" if topics == "intersection" else "rbo and min are 0 there"
    lacks = len(has.T) - has.sum(axis=1)
    return [
        f"{name}: lacks {number} of the {count(len(has.T), 'topic')} of all runs; {how}"
        for name, number in zip(names, lacks, strict=True)
        if number
    ]


def _ties(rankings: Rankings, tied: str) -> list[str]:
    """That the order of tied documents is arbitrary, and counts."""
    if tied != "order" or rankings.tied is None or not rankings.tied.any():
        return []
    before = rankings.tied.copy()
    before[:-1] |= rankings.tied[1:]
    share = f"{before.sum()} of {count(len(before), 'document')} ({before.mean():.1%})"
    return [f"{share} tied with another of the run, in the order of trec_eval; tied 'a' is the mean over all orders"]


def _beyond(beyond: int, depth: int | None) -> list[str]:
    if beyond < 1:
        return []
    more = count(beyond, "document")
    return [f"groups of ties that depth {depth} cuts through were kept whole: up to {more} more"]


def _uncorrelated(values: Floats, pairs: Ints) -> list[str]:
    different = values[:, pairs[:, 0] != pairs[:, 1]]
    compared = ~np.isnan(different[COLUMNS.index("rbo")])
    without = compared & np.isnan(different[COLUMNS.index("tau_ap")])
    if not without.any():
        return []
    share = f"{without.sum()} of {count(int(compared.sum()), 'pair')} of rankings"
    return [f"no tau or tau_ap for {share}: they share fewer than two documents, or one has all of these tied"]
