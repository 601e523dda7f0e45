"""Queue of documents to judge: the candidates are ranked again after each judgment, without reading runs again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.document_hash import hash_documents
from assay.io.problems import format_value
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures._facets import refuse_facets
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.checks import find_positions
from assay.uncertainty._judgment_weights import (
    MED_ORDER,
    RUN_WEIGHTS,
    JudgmentCandidates,
    JudgmentWeights,
    check_order,
    find_pair,
    mask_rows,
    select_rankings,
    sum_weights,
    weigh_runs,
)

MEASURE = "RBP(p=0.8)"
ORDERS = ("residual", *RUN_WEIGHTS, MED_ORDER)
COLUMNS = ("topic", "doc", "weight", "runs", "best_rank", "grade", "remaining")


class JudgingQueue:
    """Unjudged documents, ranked by how much judging them reduces the uncertainty of the values of runs.

    The runs are read once. :meth:`judge` records a judgment, and :meth:`rank` then ranks the remaining documents. All
    orders but ``residual`` depend on the judgments; in the order ``residual``, judged documents only leave the queue.

    Parameters
    ----------
    campaign, measure, topics, pair, all_topics, order
        As in :func:`judge_next`.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> queue = assay.uncertainty.JudgingQueue(assay.read({"q": {"a": 1}}, runs), "RBP(p=0.5)")
    >>> queue.rank().select("doc", "remaining").rows()
    [('c', 0.25), ('b', 0.0)]
    >>> queue.judge("q", "c", 1)
    >>> queue.rank().select("doc", "remaining").rows()
    [('b', 0.0)]
    """

    @check_arguments
    def __init__(
        self,
        campaign: Campaign,
        measure: str | Measure = MEASURE,
        *,
        topics: str | Sequence[str] | None = None,
        pair: Sequence[str] | None = None,
        all_topics: bool = False,
        order: str = "residual",
    ) -> None:
        check_order(order, ORDERS, pair)
        self.measure = parse_measure(measure)
        refuse_facets([self.measure], "the next judgments")
        self.order = order
        rankings = select_rankings(campaign, self.measure, all_topics=all_topics)
        if topics is not None:
            selected = np.sort(find_positions(rankings.topics, topics, "topic"))
            if not len(selected):
                raise InputError("topics: name at least one topic")
            rankings = rankings.select(topics=[rankings.topics[i] for i in selected])
        self.rankings = rankings
        self._positions = None if pair is None else find_pair(campaign.runs, pair)
        runs = () if self._positions is None else tuple(campaign.runs[run] for run in self._positions)
        self.pair: tuple[str, ...] = runs
        self._grades: Counter[float] = Counter()
        self._weights = JudgmentWeights.from_measure(self.measure, rankings.levels)
        self._unit = 1.0  # ratio of the present range of gains to that at the start; new grades can extend the scale
        self._row_weight = self._weights.weigh_rows(rankings)
        affects, weight = mask_rows(rankings, self._row_weight, self._positions)
        self._signed_weight = weight
        self._rows = np.flatnonzero(affects & rankings.ungraded_mask())
        self.documents = JudgmentCandidates.from_rows(rankings, self._rows, weight[self._rows])
        self._grade = np.full(len(self.documents.row), np.nan)
        self._known_gain: Floats | None = None  # what the judgments of the campaign add; computed when needed

    def __len__(self) -> int:
        """Return the number of unjudged documents that affect the measure."""
        return int((self.unjudged & (self.documents.weight > 0)).sum())

    def __repr__(self) -> str:
        return f"JudgingQueue({len(self)} unjudged documents, for {self.measure})"

    def contains(self, topic: str, doc: str) -> bool:
        """Return whether a document is in the queue: it is unjudged and affects the measure."""
        document = self._find(topic, doc)
        return document is not None and bool(self.unjudged[document] and self.documents.weight[document] > 0)

    @property
    def unjudged(self) -> Bools:
        """Mask of the documents that are not judged yet."""
        return np.asarray(np.isnan(self._grade))

    @property
    def uncertainty(self) -> float:
        """Mean width, over runs and topics, of the interval that contains the value; or that of the difference."""
        return self._unit * float(self.documents.weight[self.unjudged].sum()) / max(self._cell_count, 1)

    @property
    def _cell_count(self) -> int:
        """Number of cells over which the uncertainty is averaged: runs x topics, or the topics of a pair of runs."""
        return len(self.rankings.topics) * (len(self.rankings.runs) if self._positions is None else 1)

    # Judgments --------------------------------------------------------------------------------------------------

    def judge(self, topic: str, doc: str, grade: float) -> None:
        """Record the grade of a document, at least 0; a document that is not in the queue has no effect."""
        if not (math.isfinite(grade) and grade >= 0):
            raise InputError(f"grade {format_value(grade)}: must be a number of at least 0")
        document = self._find(topic, doc)
        if document is None:
            return
        self.withdraw(topic, doc)
        self._grade[document] = grade
        self._grades[grade] += 1
        self._update_scale()

    def withdraw(self, topic: str, doc: str) -> None:
        """Make a document that was judged with :meth:`judge` unjudged again."""
        document = self._find(topic, doc)
        if document is None or np.isnan(self._grade[document]):
            return
        grade = float(self._grade[document])
        self._grade[document] = np.nan
        self._grades[grade] -= 1
        self._grades += Counter()  # drops grades that no document has any more
        self._update_scale()

    def _update_scale(self) -> None:
        """Compute the range of the gains again, because a new grade can extend the scale."""
        levels = np.unique(np.concatenate([self.rankings.levels, list(self._grades)]))
        if not np.array_equal(levels, self._weights.levels):
            self._known_gain = None
            self._unit /= self._weights.gain_range / self._weights.scale
            self._weights = JudgmentWeights.from_measure(self.measure, levels)
            self._unit *= self._weights.gain_range / self._weights.scale

    @cached_property
    def _keys(self) -> np.ndarray:
        """The hash keys of the documents, ascending."""
        return self.rankings.key[self.documents.row]

    def _find(self, topic: str, doc: str) -> int | None:
        """Return the index of a document; None if it is not in the queue."""
        key = hash_documents(pl.Series([topic], dtype=pl.String), pl.Series([doc], dtype=pl.String))[0]
        index = int(np.searchsorted(self._keys, key))
        if index == len(self._keys) or self._keys[index] != key:
            return None
        return index

    # Ranking ----------------------------------------------------------------------------------------------------

    def rank(
        self, n: int | None = None, *, per_topic: int | None = None, without: Iterable[tuple[str, str]] = ()
    ) -> pl.DataFrame:
        """Return the unjudged documents, best first; the columns are those of ``judge_next(...).frame()``.

        Parameters
        ----------
        n, per_topic
            Maximum number of documents in total and for each topic; by default all.
        without
            Pairs of a topic and a document to leave out.
        """
        documents = self._rank_documents()
        is_candidate = self.unjudged & (documents.weight > 0)
        for topic, doc in without:
            document = self._find(topic, doc)
            if document is not None:
                is_candidate[document] = False
        chosen = np.flatnonzero(is_candidate)
        limit = len(chosen) if n is None else min(n, len(chosen))
        if per_topic is None and limit:  # sorting all documents is slow if only a few are needed
            priority = documents.rounded_priority[chosen]
            chosen = chosen[priority >= np.partition(priority, -limit)[-limit]]
        group = np.zeros(len(chosen), dtype=np.int64) if per_topic is None else documents.topic[chosen]
        chosen = chosen[_shortlist(documents, chosen, group, min(per_topic or limit, max(limit, 1)))]
        frame = self._tabulate(documents, chosen)
        if per_topic is not None:
            frame = frame.filter(pl.int_range(pl.len()).over("number") < per_topic)
        frame = frame.head(limit)
        total = self._unit * _sum_remaining(documents.weight[self.unjudged], frame["weight"].to_numpy())
        remaining = pl.Series(total / max(self._cell_count, 1), dtype=pl.Float64)
        return frame.with_columns(pl.col("weight") * self._unit, remaining=remaining).select(COLUMNS)

    def _rank_documents(self) -> JudgmentCandidates:
        """Return the documents with their present priorities."""
        if self.order == MED_ORDER:
            return self.documents.with_priority(self._expect_reductions())
        if self.order not in RUN_WEIGHTS:
            return self.documents
        run, rows, count = self._run, self._rows, len(self.rankings.runs)
        grade = self._grade[self.documents.document_of_row]
        hidden = np.where(np.isnan(grade), self._unit * self._row_weight[rows], 0.0)
        topic_count = max(len(self.rankings.topics), 1)
        base = self._sum_gains() / topic_count
        residual = sum_weights(run[rows], hidden, count) / topic_count
        return self.documents.with_factor(self._row_weight[rows], weigh_runs(self.order, base, residual)[run[rows]])

    def _expect_reductions(self) -> Floats:
        """Return by how much the judgment of each document is expected to reduce the largest possible difference."""
        rows, document = self._rows, self.documents.document_of_row
        weight = self._unit * sum_weights(document, self._signed_weight[rows], len(self._grade))
        first_ahead, second_ahead = self._largest_differences(weight)
        lowers_larger = weight > 0 if first_ahead >= second_ahead else weight < 0  # if the document is not relevant
        probability = self._estimate_share()
        return np.asarray(np.abs(weight) * np.where(lowers_larger, 1 - probability, probability))

    def _largest_differences(self, weight: Floats) -> tuple[float, float]:
        """Return the largest possible sums over topics of A - B and of B - A; *weight* is signed, for each document."""
        assert self._positions is not None
        first, second = (self.values()[run] * len(self.rankings.topics) for run in self._positions)
        hidden = np.where(self.unjudged, weight, 0.0)
        return (
            float(first - second + np.maximum(hidden, 0).sum()),
            float(second - first - np.minimum(hidden, 0).sum()),
        )

    def _estimate_share(self) -> float:
        """Return the mean position of judged documents of the pair in the range of gains, shrunk towards 1/2."""
        known = self._weights.share_gains(self.rankings.levels)[self._known_codes]
        judged = self._share_grades(self._grade[~self.unjudged])
        return float((known.sum() + judged.sum() + 1) / (len(known) + len(judged) + 2))

    @cached_property
    def _known_codes(self) -> Codes:
        """The grade codes of the documents of the pair that the campaign has judged, each document once."""
        rankings = self.rankings
        pair = [] if self._positions is None else list(self._positions)
        graded = np.flatnonzero(~rankings.ungraded_mask() & np.isin(self._run, pair))
        _, first = np.unique(rankings.key[graded], return_index=True)
        return rankings.code[graded[first]]

    @cached_property
    def _run(self) -> Ints:
        """The run of each row."""
        return self.rankings.ranking // max(len(self.rankings.topics), 1)

    def _sum_gains(self) -> Floats:
        """Return what judged documents add to the value of each run above the smallest gain, summed over topics."""
        if self._known_gain is None:
            rankings = self.rankings
            share = self._weights.share_gains(rankings.levels)
            gained = np.where(rankings.ungraded_mask(), 0.0, self._row_weight * share[rankings.code])
            self._known_gain = sum_weights(self._run, gained, len(rankings.runs))
        is_judged = ~self.unjudged[self.documents.document_of_row]
        rows = self._rows[is_judged]
        gained = self._row_weight[rows] * self._share_grades(self._grade[self.documents.document_of_row[is_judged]])
        return np.asarray(self._unit * (self._known_gain + sum_weights(self._run[rows], gained, len(self._known_gain))))

    @cached_property
    def _total_weight(self) -> Floats:
        """The sum of the weights of all documents of each run."""
        return sum_weights(self._run, self._row_weight, len(self.rankings.runs))

    def values(self) -> Floats:
        """Return the lowest possible mean value of each run; unjudged documents have the smallest gain.

        The queue must not be limited to a pair of runs.
        """
        smallest = self._unit * self._weights.min_gain / self._weights.gain_range
        return np.asarray((self._sum_gains() + smallest * self._total_weight) / max(len(self.rankings.topics), 1))

    def weigh_differences(self, pairs: Ints) -> Iterator[tuple[float, Floats]]:
        """Yield, for each pair of runs, the difference of their lowest values and the weights of unjudged documents.

        If an unjudged document has the largest gain, its weight is added to the difference. The queue must not be
        limited to a pair of runs.
        """
        values, rows = self.values(), self._rows
        is_hidden = self.unjudged[self.documents.document_of_row]
        rows, document = rows[is_hidden], self.documents.document_of_row[is_hidden]
        weight = self._unit * self._row_weight[rows] / max(len(self.rankings.topics), 1)
        ends = np.searchsorted(self._run[rows], np.arange(len(self.rankings.runs) + 1))  # rows are sorted by run
        for pair in pairs.tolist():
            first, second = (slice(ends[run], ends[run + 1]) for run in pair)
            # Only the documents of the two runs are added up, because there may be many others.
            both = np.concatenate([document[first], document[second]])
            _, index = np.unique(both, return_inverse=True)
            total = sum_weights(index, np.concatenate([weight[first], -weight[second]]), 0)
            yield float(values[pair[0]] - values[pair[1]]), total

    def _share_grades(self, grade: Floats) -> Floats:
        """Return the position of the gain of each grade in the range of gains; 0 for a document without a grade."""
        present = np.array(sorted(self._grades), dtype=np.float64)
        share = self._weights.share_gains(present)[1:]
        judged = ~np.isnan(grade)
        shares = np.zeros(len(grade))
        shares[judged] = share[np.searchsorted(present, grade[judged])]
        return shares

    def _tabulate(self, documents: JudgmentCandidates, chosen: Ints) -> pl.DataFrame:
        """Return the *chosen* documents, best first; document ids break ties."""
        rankings = self.rankings
        grade = np.concatenate([[np.nan], rankings.levels])[documents.code[chosen]]
        return pl.DataFrame(
            {
                "number": documents.topic[chosen],
                "topic": pl.Series(rankings.topics, dtype=pl.String).gather(documents.topic[chosen]),
                "doc": documents.look_up_ids(rankings, chosen),
                "rounded": documents.rounded_priority[chosen],
                "weight": documents.weight[chosen],
                "runs": documents.runs[chosen],
                "best_rank": documents.best_rank[chosen],
                "grade": pl.Series(grade, dtype=pl.Float64).fill_nan(None),
            }
        ).sort("rounded", "best_rank", "number", "doc", descending=[True, False, False, False])


def _shortlist(documents: JudgmentCandidates, chosen: Ints, group: Ints, limit: int) -> Ints:
    """Return the positions in *chosen* of the documents that can be among the first *limit* of their group.

    Document ids break ties, but looking them up is expensive. So all documents that are tied with the last document
    within the limit are returned, and the caller breaks the ties.
    """
    weight, best_rank = documents.rounded_priority[chosen], documents.best_rank[chosen]
    order = np.lexsort((best_rank, -weight, group))
    group, weight, best_rank = group[order], weight[order], best_rank[order]
    size = np.bincount(group)
    start = np.cumsum(size) - size
    # For each document, the index of the last document of its group within the limit.
    last = (start + np.minimum(np.maximum(size, 1), limit) - 1)[group]
    tied_with_last = (weight == weight[last]) & (best_rank == best_rank[last])
    return np.asarray(order[(np.arange(len(order)) <= last) | tied_with_last])


def _sum_remaining(weights: Floats, judged: Floats) -> Floats:
    """Return the sum of *weights* that remains after each entry of *judged*; exactly 0 once all are judged."""
    never_judged = float(weights.sum()) - float(judged.sum()) if len(judged) < np.count_nonzero(weights) else 0.0
    # Summing from the end makes the last entry exactly *never_judged*.
    return np.asarray(np.cumsum(judged[::-1])[::-1] - judged + max(never_judged, 0.0))
