"""Agreement between the rankings of runs, without judgments: rank-biased overlap and rank correlation by topic."""

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
from assay.distance.shared_topics import missing_topic_notes, refuse_isolated_runs
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
from assay.results.run_pairs import require_two_runs
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table

ALL = "all"
COEFFICIENTS = ("rbo", "min", "max", "residual", "tau", "tau_ap", "rho", "overlap")
COLUMNS = (*COEFFICIENTS, "depth_a", "depth_b")
_BLOCK_ROWS = 256  # pairs of rankings compared together


@dataclass(frozen=True, eq=False)
class OverlapReport(Report):
    """The report of :func:`rbo`: the agreement of each pair of runs on each topic.

    Attributes
    ----------
    runs, topics
        The runs and topics compared.
    pairs
        Pairs x 2: the indices of the two runs. With all pairs, each run is also paired with itself.
    values
        ``COLUMNS`` x pairs x topics; NaN where undefined.
    p, depth, tied
        The persistence, the depth at which rankings were cut, and how ties were treated.
    provenance, notes
        The inputs and policies of the report, and notes on what was ignored or assumed.
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
        "pairs": "the mean agreement of each pair of runs over topics",
        "topics": "the agreement on each topic, then the mean",
        "matrix": "runs x runs: the mean rank-biased overlap",
    }

    def __repr__(self) -> str:
        pairs = pluralize(int((self.pairs[:, 0] != self.pairs[:, 1]).sum()), "pair")
        return f"OverlapReport({pairs} of runs x {pluralize(len(self.topics), 'topic')}: p={self.p:g})"

    def means(self) -> Floats:
        """Return ``COLUMNS`` x pairs: the means over the topics with a value; NaN if no topic has a value."""
        defined = ~np.isnan(self.values)
        topic_count = defined.sum(axis=2)
        total = np.where(defined, self.values, 0.0).sum(axis=2)
        return np.where(topic_count > 0, total / np.maximum(topic_count, 1), np.nan)

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs: the mean over topics.

        Columns: run_a, run_b, topic (``all``), rbo (extrapolated), min, max, residual, tau, tau_ap, rho (Spearman's
        coefficient), overlap (the number of shared documents, divided by the length of the longer ranking), depth_a,
        depth_b (the lengths of the rankings).
        """
        return self._tabulate(self.means()[..., None], (ALL,), overall=True)

    def topic_frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs and topic, with the columns of :meth:`frame`."""
        return self._tabulate(self.values, self.topics)

    def _tabulate(self, values: Floats, topics: tuple[str, ...], overall: bool = False) -> pl.DataFrame:
        """Return a row for each pair of different runs and topic; *values* are columns x pairs x topics.

        A topic that neither run contains has no row. With *overall*, the last entry of *topics* stands for all topics;
        this entry always has a row.
        """
        different_pairs = np.flatnonzero(self.pairs[:, 0] != self.pairs[:, 1])
        selected = values[:, different_pairs]
        is_overall = np.arange(len(topics)) == (len(topics) - 1 if overall else -1)
        pair, topic = np.nonzero(~np.isnan(selected[0]) | is_overall)
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[different_pairs[pair], 0]),
                "run_b": names.gather(self.pairs[different_pairs[pair], 1]),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                **{name: pl.Series(column[pair, topic]) for name, column in zip(COLUMNS, selected, strict=True)},
            }
        ).with_columns(pl.col(COLUMNS).fill_nan(None))

    def matrix(self, of: str = "rbo") -> pl.DataFrame:
        """Return runs x runs: the mean of one of the ``COEFFICIENTS`` over topics; symmetric."""
        if of not in COEFFICIENTS:
            raise InputError(f"matrix of {of!r}: choose one of {', '.join(COEFFICIENTS)}{suggestion(of, COEFFICIENTS)}")
        if not (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise InputError("a matrix needs all pairs of runs; compute them without first=True (--first)")
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        value = self.means()[COLUMNS.index(of)]
        for one, other in ((0, 1), (1, 0)):
            table[self.pairs[:, one], self.pairs[:, other]] = value
        return to_square_frame(self.runs, table)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return a sentence on the most and the least similar pairs of runs by rank-biased overlap."""
        frame = self.frame().drop_nulls("rbo")
        if not len(frame):
            return "There is no topic on which two runs can be compared."
        aggregation = f"mean over {pluralize(len(self.topics), 'topic')} (p = {self.p:g})"
        if len(frame) == 1:
            row = frame.row(0, named=True)
            return (
                f"RBO of {row['run_a']} and {row['run_b']}: {row['rbo']:.4f}, between {row['min']:.4f} and "
                f"{row['max']:.4f} for any continuation of the rankings; {aggregation}."
            )
        highest, lowest = (_name_pairs(frame, float(end)) for end in (frame["rbo"].max(), frame["rbo"].min()))  # type: ignore[arg-type]
        if highest == lowest:
            return f"All {len(frame)} pairs of runs have the same RBO, {frame['rbo'][0]:.4f}; {aggregation}."
        return f"Most similar: {highest}; least similar: {lowest}; RBO, {aggregation}."

    def _show_pairs(self) -> Table:
        frame = self.frame()
        return Table(frame, _name_columns(frame), caption=_CAPTION)

    def _show_topics(self) -> Table:
        topics_and_mean = np.concatenate([self.values, self.means()[..., None]], axis=2)
        frame = self._tabulate(topics_and_mean, (*self.topics, ALL), overall=True)
        return Table(frame, _name_columns(frame, "topic"), caption=_CAPTION)

    def _show_matrix(self) -> Table:
        frame = self.matrix()
        return Table(frame, frame, caption="mean RBO over topics")


_HEADERS = {"rbo": "RBO", "min": "lowest", "max": "highest", "tau": "tau", "tau_ap": "tau-AP", "overlap": "overlap"}
_CAPTION = (
    "lowest, highest: RBO if no documents, or as many as possible, are shared after the ends of the rankings; tau, "
    "tau-AP: over the documents in both rankings; overlap: fraction of the documents that are in both rankings"
)


def _name_columns(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Select the columns of the table and rename them for display."""
    runs = (pl.col("run_a").alias("run"), pl.col("run_b").alias("other run"))
    return frame.select(*runs, *keys, *(pl.col(name).alias(header) for name, header in _HEADERS.items()))


def _name_pairs(frame: pl.DataFrame, value: float) -> str:
    """Return the names of the pair of runs with this RBO, or the number of pairs if there are several."""
    rows = frame.filter(pl.Series(subtract(frame["rbo"].to_numpy(), value) == 0))
    names = f"{rows['run_a'][0]} and {rows['run_b'][0]}" if len(rows) == 1 else f"{len(rows)} tied pairs"
    return f"{names} ({value:.4f})"


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

    where A_d is the fraction of the top d documents that the two rankings share. The report also contains Kendall's
    tau, tau-AP and rho over the documents in both rankings.

    Parameters
    ----------
    campaign
        At least two runs; judgments are not needed. If one of two runs lacks a topic, its ranking counts as empty:
        rbo and min are 0, max is 1 (slightly less with ties), and correlations are undefined. With the policy
        ``missing="exclude"`` the topic is omitted. A run that shares no topic with any other run is refused unless the
        campaign was read with ``lenient=True``.
    p
        Persistence of rank-biased overlap, above 0 and below 1.
    depth
        Compare the first *depth* documents. Unless *tied* is ``order``, a tie group at that depth is not split.
    tied
        Treatment of tied documents: ``order`` (the order of the tie policy), ``w`` (tied documents share a rank), ``a``
        (the mean over all orders), ``b`` (``a``, corrected for ties); see ``rank_biased_overlap`` and
        ``rank_correlation``. All except ``order`` need the tie policy ``trec_eval-10``, by which documents with equal
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
    require_two_runs(campaign.runs)
    rankings = campaign.rankings(depth=depth if tied == "order" else None, tie_flags=True)
    refuse_isolated_runs(campaign, rankings)
    pairs = _list_pairs(len(campaign.runs), first)
    options = _OverlapOptions(float(p), depth, tied, campaign.policies.missing == "exclude")
    values, extra_documents = _compare(rankings, pairs, options, progress)
    notes = [
        *campaign.notes,
        *missing_topic_notes(
            campaign, rankings, "these topics are omitted" if options.exclude else "rbo and min are 0 for these topics"
        ),
        *_tie_notes(rankings, tied, campaign.policies.ties),
        *_depth_notes(extra_documents, depth),
        *_correlation_notes(values, pairs),
    ]
    provenance = campaign.provenance.with_settings(p=float(p), depth=depth, tied=tied, first=first)
    return OverlapReport(campaign.runs, campaign.topics, pairs, values, float(p), depth, tied, provenance, tuple(notes))


def _check_ties(ties: str, tied: str) -> None:
    reject_expected_ties(ties, "choose the treatment of ties by tied: order, w, a or b")
    if tied != "order" and ties != "trec_eval-10":
        raise PolicyError(
            f"tied {tied!r}: ties are determined by scores; choose ties 'trec_eval-10' instead of {ties!r}"
        )


def _list_pairs(run_count: int, first: bool) -> Ints:
    """Return pairs x 2: all pairs of runs, followed by the pairs of each run with itself.

    With *first*, return only the pairs of the first run with each other run.
    """
    if first:
        return np.array([(0, other) for other in range(1, run_count)])
    return np.array(sorted(combinations_with_replacement(range(run_count), 2), key=lambda pair: pair[0] == pair[1]))


# Comparison ------------------------------------------------------------------------------------------------------


class _OverlapOptions(NamedTuple):
    """Arguments of :func:`rbo`; *exclude* omits topics that one of two runs lacks."""

    p: float
    depth: int | None
    tied: str
    exclude: bool


class _Batch(NamedTuple):
    """Pairs of rankings of one topic that are queued for comparison; *pair* has their indices."""

    pair: Ints
    topic: int
    rows: RankingPairs


def _compare(
    rankings: Rankings, pairs: Ints, options: _OverlapOptions, progress: Progress | None
) -> tuple[Floats, int]:
    """Return the values, and the largest number of documents by which a ranking exceeds the depth because of ties.

    Pairs of several topics are queued until a block is full, so a few pairs on many topics are as fast as many pairs on
    a few topics. Rankings with ties are queued separately, because they take longer.
    """
    values = np.full((len(COLUMNS), len(pairs), len(rankings.topics)), np.nan)
    queues: dict[bool, list[_Batch]] = {False: [], True: []}
    extra_documents = 0
    for topic_index, topic in enumerate(rankings):
        builder = PairBuilder(topic, options.depth)
        extra_documents = max(extra_documents, int(builder.length.max(initial=0)) - (options.depth or 0))
        for batch in _build_batches(builder, pairs, topic_index, options):
            queue = queues[batch.rows.groups is not None]
            queue.append(batch)
            if sum(len(batch.rows) for batch in queue) >= _BLOCK_ROWS:
                _process_queue(values, queue, options)
                queue.clear()
        if progress is not None:
            progress(topic_index + 1, len(rankings.topics))
    for queue in queues.values():
        _process_queue(values, queue, options)
    return values, extra_documents if options.depth is not None else 0


def _build_batches(builder: PairBuilder, pairs: Ints, topic: int, options: _OverlapOptions) -> Iterator[_Batch]:
    """Yield the pairs of runs that are compared on a topic, in batches."""
    is_ranked = builder.length[pairs] > 0
    is_compared = is_ranked.all(axis=1) if options.exclude else is_ranked.any(axis=1)
    has_ties = builder.tied[pairs].any(axis=1) & (options.tied != "order")
    for tied in (False, True):
        selected = np.flatnonzero(is_compared & (has_ties == tied))
        for begin in range(0, len(selected), _BLOCK_ROWS):
            batch_pairs = selected[begin : begin + _BLOCK_ROWS]
            yield _Batch(batch_pairs, topic, builder.build(pairs[batch_pairs, 0], pairs[batch_pairs, 1], tied))


def _process_queue(values: Floats, queue: list[_Batch], options: _OverlapOptions) -> None:
    """Compare the pairs of the queue and store their values."""
    if not queue:
        return
    rows = concatenate_pairs([batch.rows for batch in queue])
    pair = np.concatenate([batch.pair for batch in queue])
    topic = np.repeat([batch.topic for batch in queue], [len(batch.rows) for batch in queue])
    overlaps = compute_overlaps(rows, options.p, options.tied)
    fraction = overlaps.shared / rows.length.max(axis=1)
    columns = (*overlaps[:4], *compute_correlations(rows, options.tied), fraction, *rows.length.T)
    for column_index, column in enumerate(columns):
        values[column_index, pair, topic] = column


# Notes -----------------------------------------------------------------------------------------------------------


def _tie_notes(rankings: Rankings, tied: str, ties: str) -> list[str]:
    """Note that tied documents are in the order of the tie policy, which affects the values."""
    if tied != "order" or rankings.tied is None or not rankings.tied.any():
        return []
    # A document is in a tie group if it is tied with the previous document, or if the next document is tied with it.
    in_group = rankings.tied.copy()
    in_group[:-1] |= rankings.tied[1:]
    count = f"{in_group.sum()} of {pluralize(len(in_group), 'document')} ({in_group.mean():.1%})"
    order = f"{count} are tied with another document of the run; they are compared in the order of {ties}"
    return [f"{order}; use tied 'a' for the mean over all orders"]


def _depth_notes(extra_documents: int, depth: int | None) -> list[str]:
    if extra_documents < 1:
        return []
    documents = pluralize(extra_documents, "more document")
    return [f"tie groups at depth {depth} were not split, so up to {documents} were compared"]


def _correlation_notes(values: Floats, pairs: Ints) -> list[str]:
    """Note the pairs of rankings without rank correlation."""
    different = values[:, pairs[:, 0] != pairs[:, 1]]
    compared = ~np.isnan(different[COLUMNS.index("rbo")])
    undefined = compared & np.isnan(different[COLUMNS.index("tau_ap")])
    if not undefined.any():
        return []
    count = f"{undefined.sum()} of {pluralize(int(compared.sum()), 'pair')} of rankings"
    reason = "fewer than two shared documents, or all shared documents tied in one ranking"
    return [f"no tau, tau_ap or rho for {count}: {reason}"]
