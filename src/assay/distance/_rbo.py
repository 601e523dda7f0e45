"""Agreement of the rankings of runs, without judgments: rank-biased overlap and rank correlation by topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.distance.rank_biased_overlap import check_persistence, compute_overlaps
from assay.distance.rank_correlation import compute_correlations
from assay.distance.ranking_pairs import PairBuilder, RankingPairs, check_tie_treatment, concatenate_pairs
from assay.distance.shared_topics import missing_topic_notes, refuse_lonely_runs
from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.errors import InputError, PolicyError, suggestion
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints, subtract
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings
from assay.results.report import Report
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table

ALL = "all"
COEFFICIENTS = ("rbo", "min", "max", "residual", "tau", "tau_ap", "overlap")
COLUMNS = (*COEFFICIENTS, "depth_a", "depth_b")
_BLOCK_ROWS = 256  # pairs of rankings compared together


@dataclass(frozen=True, eq=False)
class OverlapReport(Report):
    """The report of :func:`rbo`: the agreement of each two runs on each topic.

    Attributes
    ----------
    runs, topics
        The runs and the topics that were compared.
    pairs
        Pairs x 2: the numbers of the runs. Each run is also compared with itself, unless only with the first.
    values
        ``COLUMNS`` x pairs x topics; NaN where there is no value.
    p, depth, tied
        The persistence, the depth at which rankings were cut, and the treatment of ties.
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
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "rbo"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "the agreement of each pair of runs, in the mean over topics",
        "topics": "the agreement on each topic, then over all",
        "matrix": "runs x runs: the mean rank-biased overlap",
    }

    def __repr__(self) -> str:
        pairs = pluralize(int((self.pairs[:, 0] != self.pairs[:, 1]).sum()), "pair")
        return f"OverlapReport({pairs} of runs x {pluralize(len(self.topics), 'topic')}: p={self.p:g})"

    def means(self) -> Floats:
        """Return ``COLUMNS`` x pairs: the means over the topics that have a value; NaN where none has."""
        there = ~np.isnan(self.values)
        number = there.sum(axis=2)
        total = np.where(there, self.values, 0.0).sum(axis=2)
        return np.where(number > 0, total / np.maximum(number, 1), np.nan)

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs: the mean over topics.

        Columns: run_a, run_b, topic (``all``), rbo (extrapolated), min, max, residual, tau, tau_ap, overlap (the share
        of the documents of the longer ranking that the other one has too), depth_a, depth_b (how many documents there
        are).
        """
        return self._tabulate(self.means()[..., None], (ALL,), overall=True)

    def topic_frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs and topic; the columns of :meth:`frame`."""
        return self._tabulate(self.values, self.topics)

    def _tabulate(self, values: Floats, topics: tuple[str, ...], overall: bool = False) -> pl.DataFrame:
        """Return a row for each pair of different runs and topic; *values* are columns x pairs x topics.

        *overall*: the last one stands for all topics.
        """
        different = np.flatnonzero(self.pairs[:, 0] != self.pairs[:, 1])
        shown = values[:, different]
        always = np.arange(len(topics)) == (len(topics) - 1 if overall else -1)
        pair, topic = np.nonzero(~np.isnan(shown[0]) | always)  # a topic that neither run has is none of theirs
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[different[pair], 0]),
                "run_b": names.gather(self.pairs[different[pair], 1]),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                **{name: pl.Series(column[pair, topic]) for name, column in zip(COLUMNS, shown, strict=True)},
            }
        ).with_columns(pl.col(COLUMNS).fill_nan(None))

    def matrix(self, of: str = "rbo") -> pl.DataFrame:
        """Return runs x runs: the mean of one of the ``COEFFICIENTS`` over topics; symmetric."""
        if of not in COEFFICIENTS:
            raise InputError(f"matrix of {of!r}: choose one of {', '.join(COEFFICIENTS)}{suggestion(of, COEFFICIENTS)}")
        if not (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise InputError("a matrix needs all pairs of runs; leave out first")
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        value = self.means()[COLUMNS.index(of)]
        for one, other in ((0, 1), (1, 0)):
            table[self.pairs[:, one], self.pairs[:, other]] = value
        return to_square_frame(self.runs, table)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the most and the least similar runs by rank-biased overlap."""
        frame = self.frame().drop_nulls("rbo")
        if not len(frame):
            return "No topic on which two runs can be compared."
        over = f"in the mean over {pluralize(len(self.topics), 'topic')} (p = {self.p:g})"
        if len(frame) == 1:
            row = frame.row(0, named=True)
            return (
                f"RBO of {row['run_a']} and {row['run_b']}: {row['rbo']:.4f}, between {row['min']:.4f} and "
                f"{row['max']:.4f} whatever follows the ends of the rankings, {over}."
            )
        most, least = (_name_pairs(frame, float(end)) for end in (frame["rbo"].max(), frame["rbo"].min()))  # type: ignore[arg-type]
        if most == least:
            return f"All {len(frame)} pairs of runs have the same RBO, {frame['rbo'][0]:.4f}, {over}."
        return f"Most similar: {most}; least similar: {least}; RBO {over}."

    def _show_pairs(self) -> Table:
        frame = self.frame()
        return Table(frame, _name_columns(frame), caption=_CAPTION)

    def _show_topics(self) -> Table:
        both = np.concatenate([self.values, self.means()[..., None]], axis=2)
        frame = self._tabulate(both, (*self.topics, ALL), overall=True)
        return Table(frame, _name_columns(frame, "topic"), caption=_CAPTION)

    def _show_matrix(self) -> Table:
        frame = self.matrix()
        return Table(frame, frame, caption="RBO, in the mean over topics")


_HEADERS = {"rbo": "RBO", "min": "lowest", "max": "highest", "tau": "tau", "tau_ap": "tau-AP", "overlap": "overlap"}
_CAPTION = (
    "lowest, highest: RBO if nothing, or all that can be, is shared after the ends of the rankings; tau, tau-AP: of "
    "the documents that both have; overlap: share of documents that both have"
)


def _name_columns(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Return the columns for people."""
    runs = (pl.col("run_a").alias("run"), pl.col("run_b").alias("other run"))
    return frame.select(*runs, *keys, *(pl.col(name).alias(header) for name, header in _HEADERS.items()))


def _name_pairs(frame: pl.DataFrame, value: float) -> str:
    """Return the pair of runs with this RBO, or how many pairs have it."""
    rows = frame.filter(pl.Series(subtract(frame["rbo"].to_numpy(), value) == 0))
    named = f"{rows['run_a'][0]} and {rows['run_b'][0]}" if len(rows) == 1 else f"{len(rows)} tied pairs"
    return f"{named} ({value:.4f})"


@check_arguments
def rbo(
    campaign: Campaign,
    *,
    p: float = 0.9,
    depth: int | None = None,
    tied: str = "order",
    first: bool = False,
    progress: Progress | None = None,
) -> OverlapReport:
    r"""Compare the rankings of every pair of runs on every topic, without judgments.

    .. math:: RBO = (1 - p) \sum_{d \ge 1} p^{d-1} A_d

    where A_d is the share of documents that the first d of both rankings have in common; beside it Kendall's tau and
    tau-AP of the documents that both have.

    Parameters
    ----------
    campaign
        Two runs or more; judgments are not needed. A topic that one of two runs lacks is an empty ranking, which shares
        nothing with the other one (rbo and min 0, max 1 or with ties a little less, no correlation); with the policy
        ``missing="exclude"`` it is left out. Runs that share no topic with any other are refused unless the
        campaign was read with ``lenient=True``.
    p
        Persistence of rank-biased overlap, above 0 and below 1.
    depth
        Compare the first *depth* documents. Where ties are treated, a group that the depth cuts through is kept whole.
    tied
        Treatment of tied documents: ``order`` (in the order of the tie policy), ``w`` (documents share a rank), ``a``
        (the mean over all orders), ``b`` (``a``, corrected for ties); see ``rank_biased_overlap`` and
        ``rank_correlation``. Other than ``order`` it needs the tie policy ``trec_eval-10``: documents with equal
        scores are tied.
    first
        Compare only the first run with each of the others.
    progress
        Called with the number of topics compared and their total.

    References
    ----------
    Webber, Moffat & Zobel, *A similarity measure for indefinite rankings*, TOIS 28 (2010). Corsi & Urbano, *The
    treatment of ties in rank-biased overlap*, SIGIR 2024. Yilmaz, Aslam & Robertson, *A new rank correlation
    coefficient for information retrieval*, SIGIR 2008.

    Examples
    --------
    >>> import assay
    >>> runs = {"x": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}}
    >>> [row] = rbo(assay.read(runs=runs), p=0.8).frame().rows(named=True)
    >>> row["run_a"], row["run_b"], round(row["rbo"], 4), row["tau"]
    ('x', 'y', 0.5867, -1.0)
    """
    check_persistence(p)
    check_tie_treatment(tied)
    _check_ties(campaign.policies.ties, tied)
    if depth is not None:
        check_integer("depth", depth, 1)
    if len(campaign.runs) < 2:
        raise InputError("runs: need at least two runs to compare")
    rankings = campaign.rankings(depth=depth if tied == "order" else None, tie_flags=True)
    refuse_lonely_runs(campaign, rankings)
    pairs = _pairs(len(campaign.runs), first)
    options = _OverlapOptions(float(p), depth, tied, campaign.policies.missing == "exclude")
    values, beyond = _compare(rankings, pairs, options, progress)
    notes = [
        *campaign.notes,
        *missing_topic_notes(campaign, rankings, "left out" if options.exclude else "rbo and min are 0 there"),
        *_tie_notes(rankings, tied, campaign.policies.ties),
        *_depth_notes(beyond, depth),
        *_correlation_notes(values, pairs),
    ]
    provenance = campaign.provenance.with_settings(p=float(p), depth=depth, tied=tied, first=first)
    return OverlapReport(campaign.runs, campaign.topics, pairs, values, float(p), depth, tied, provenance, tuple(notes))


def _check_ties(ties: str, tied: str) -> None:
    reject_expected_ties(ties, "choose the treatment of ties by tied: order, w, a or b")
    if tied != "order" and ties != "trec_eval-10":
        raise PolicyError(
            f"tied {tied!r}: documents are tied by their scores; choose ties 'trec_eval-10', not {ties!r}"
        )


def _pairs(runs: int, first: bool) -> Ints:
    if first:
        return np.array([(0, other) for other in range(1, runs)])
    return np.array(sorted(combinations_with_replacement(range(runs), 2), key=lambda pair: pair[0] == pair[1]))


# Comparing -------------------------------------------------------------------------------------------------------


class _OverlapOptions(NamedTuple):
    """Arguments of :func:`rbo`; *exclude*: leave out topics that one of two runs lacks."""

    p: float
    depth: int | None
    tied: str
    exclude: bool


class _Batch(NamedTuple):
    """Pairs of rankings of one topic that wait to be compared."""

    pair: Ints
    topic: int
    rows: RankingPairs


def _compare(
    rankings: Rankings, pairs: Ints, options: _OverlapOptions, progress: Progress | None
) -> tuple[Floats, int]:
    """Return the values, and by how many documents a ranking was left longer than the depth at most.

    Topics are gathered until there are enough rows to compare at once: a few pairs on many topics are as fast as many
    pairs on a few. Rankings with ties are queued separately, as they take longer.
    """
    values = np.full((len(COLUMNS), len(pairs), len(rankings.topics)), np.nan)
    queues: dict[bool, list[_Batch]] = {False: [], True: []}
    beyond = 0
    for number, topic in enumerate(rankings):
        side = PairBuilder(topic, options.depth)
        beyond = max(beyond, int(side.length.max(initial=0)) - (options.depth or 0))
        for batch in _batches(side, pairs, number, options):
            queue = queues[batch.rows.groups is not None]
            queue.append(batch)
            if sum(len(one.rows) for one in queue) >= _BLOCK_ROWS:
                _fill(values, queue, options)
                queue.clear()
        if progress is not None:
            progress(number + 1, len(rankings.topics))
    for queue in queues.values():
        _fill(values, queue, options)
    return values, beyond if options.depth is not None else 0


def _batches(side: PairBuilder, pairs: Ints, topic: int, options: _OverlapOptions) -> Iterator[_Batch]:
    """Yield the pairs of runs that are compared on a topic, a number of them at a time."""
    there = side.length[pairs] > 0
    chosen = there.all(axis=1) if options.exclude else there.any(axis=1)
    uses_ties = side.tied[pairs].any(axis=1) & (options.tied != "order")
    for ties in (False, True):
        some_pairs = np.flatnonzero(chosen & (uses_ties == ties))
        for begin in range(0, len(some_pairs), _BLOCK_ROWS):
            part = some_pairs[begin : begin + _BLOCK_ROWS]
            yield _Batch(part, topic, side.build(pairs[part, 0], pairs[part, 1], ties))


def _fill(values: Floats, queue: list[_Batch], options: _OverlapOptions) -> None:
    """Compare the pairs of the queue and enter their values."""
    if not queue:
        return
    rows = concatenate_pairs([one.rows for one in queue])
    pair = np.concatenate([one.pair for one in queue])
    topic = np.repeat([one.topic for one in queue], [len(one.rows) for one in queue])
    overlap_values = compute_overlaps(rows, options.p, options.tied)
    share = overlap_values.shared / rows.length.max(axis=1)
    columns = (*overlap_values[:4], *compute_correlations(rows, options.tied), share, *rows.length.T)
    for number, column in enumerate(columns):
        values[number, pair, topic] = column


# Notes -----------------------------------------------------------------------------------------------------------


def _tie_notes(rankings: Rankings, tied: str, ties: str) -> list[str]:
    """Note that tied documents stand in an arbitrary order, which counts."""
    if tied != "order" or rankings.tied is None or not rankings.tied.any():
        return []
    in_group = rankings.tied.copy()
    in_group[:-1] |= rankings.tied[1:]
    share = f"{in_group.sum()} of {pluralize(len(in_group), 'document')} ({in_group.mean():.1%})"
    return [f"{share} tied with another of the run, in the order of {ties}; tied 'a' is the mean over all orders"]


def _depth_notes(beyond: int, depth: int | None) -> list[str]:
    if beyond < 1:
        return []
    more = pluralize(beyond, "document")
    return [f"groups of ties that depth {depth} cuts through were kept whole: up to {more} more"]


def _correlation_notes(values: Floats, pairs: Ints) -> list[str]:
    different = values[:, pairs[:, 0] != pairs[:, 1]]
    compared = ~np.isnan(different[COLUMNS.index("rbo")])
    without = compared & np.isnan(different[COLUMNS.index("tau_ap")])
    if not without.any():
        return []
    share = f"{without.sum()} of {pluralize(int(compared.sum()), 'pair')} of rankings"
    return [f"no tau or tau_ap for {share}: they share fewer than two documents, or one has all of these tied"]
