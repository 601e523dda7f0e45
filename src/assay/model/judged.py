"""Judged rankings: the grades of the documents of runs, in rank order. One object holds many rankings.

They are the only input of measures. The policies on ties, unjudged documents and missing topics are applied here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np

from assay.model.arrays import Bools, Codes, Floats, Ints, expand_ranges, sorted_distinct
from assay.model.from_grades import encode_grades
from assay.model.grade_codes import mask_ungraded, match_codes, ungraded_codes
from assay.model.joined import JoinedRun, join_run
from assay.model.policies import Policies
from assay.model.random_orders import draw
from assay.model.subtopics import DocumentFacets, SubtopicRows, SubtopicTable, find_ids, find_rows, find_table

if TYPE_CHECKING:
    import polars as pl

    from assay.model.qrels import Qrels
    from assay.model.run import Run

Value = TypeVar("Value")
_SCAN_SIZE = 1 << 18  # documents whose codes are scanned in one step
_SHORT_LENGTH = 64  # mean number of documents below which rankings are short
_MAX_CACHED_ROWS = 2_000_000  # larger results are computed again instead of cached


class Rows(NamedTuple):
    """Selected documents of several rankings, in rank order: the ranking, rank and gain of each document."""

    ranking: Ints
    rank: Ints
    gain: Floats

    def filter(self, mask: Bools) -> Rows:
        """Return the documents for which *mask* is true."""
        return self if mask.all() else Rows(self.ranking[mask], self.rank[mask], self.gain[mask])


@dataclass(frozen=True, eq=False)
class Judged:
    """Many judged rankings as flat columns: ranking *i* holds ``code[start[i]:start[i + 1]]``.

    Attributes
    ----------
    levels
        The distinct grades of the qrels, ascending.
    counts
        Topics x levels: number of documents judged with each grade.
    topic
        For each ranking, the row of its topic in *counts*.
    start
        Offset of each ranking in *code*, and as a last entry the number of all documents.
    code
        For each document 0 if it is unjudged, else 1 + the index of its grade in *levels*.
    answered
        For each ranking, whether the run has the topic.
    tied
        For each document, whether its score equals that of the document before it; None unless ties are ``expected``.
    streams
        For each topic, the random stream that orders its tied documents; None if no order is drawn.
    depth
        The maximum depth over all rankings of the campaign if this object holds only some of them; else None.
    condensed_depth
        The maximum depth over all condensed rankings of the campaign, under the same condition as *depth*.
    facets
        Subtopics and costs of the documents; None if the judgments have no facets.
    """

    levels: Floats
    counts: Ints
    topic: Ints
    start: Ints
    code: Codes
    answered: Bools
    policies: Policies = Policies()
    tied: Bools | None = None
    streams: np.ndarray | None = None
    depth: int | None = None
    condensed_depth: int | None = None
    facets: DocumentFacets | None = None
    # The cache is not a constructor argument, so ``replace`` gives every copy a new, empty cache.
    _cache: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def join(cls, qrels: Qrels, runs: Iterable[Run], policies: Policies = Policies()) -> Judged:
        """Join *runs* with *qrels*: one ranking for each run and each topic of the qrels, run by run."""
        judged = cls.assemble(qrels, [join_run(qrels, run.table, policies.ties) for run in runs], policies)
        return judged.with_policies(policies)

    @classmethod
    def assemble(cls, qrels: Qrels, runs: Sequence[JoinedRun], policies: Policies) -> Judged:
        """Combine runs that were joined without document ids; unjudged documents stay in the rankings."""
        length = np.zeros((len(runs), len(qrels.topics)), dtype=np.int64)
        for row, run in zip(length, runs, strict=True):
            row[run.topic] = run.length
        tied = [run.tied for run in runs if run.tied is not None]
        code = np.concatenate([np.zeros(0, dtype=qrels.code_type), *(run.code for run in runs)])
        judgments = [run.judgment for run in runs if run.judgment is not None]
        judgment = np.concatenate(judgments) if judgments else None
        all_tied = np.concatenate(tied) if tied else None
        return cls.from_columns(qrels, length, code, all_tied, policies, judgment=judgment)

    @classmethod
    def from_columns(
        cls,
        qrels: Qrels,
        length: Ints,
        code: Codes,
        tied: Bools | None,
        policies: Policies,
        *,
        judgment: Codes | None = None,
    ) -> Judged:
        """Build judged rankings from concatenated columns; *length* has shape runs x topics.

        *judgment* has for each document 1 + the row of its judgment, or 0; only judgments with facets need it.
        Unjudged documents stay in the rankings: ``with_policies`` removes them if the policy is ``condensed``.
        """
        return cls(
            levels=qrels.levels,
            counts=qrels.counts,
            topic=np.tile(np.arange(len(qrels.topics)), len(length)),
            start=np.concatenate([[0], np.cumsum(length)]),
            code=code,
            answered=length.ravel() > 0,
            policies=replace(policies, unjudged="nonrelevant"),
            tied=tied,
            streams=None if tied is None else qrels.streams,
            facets=DocumentFacets.of(qrels, judgment),
        )

    def with_policies(self, policies: Policies) -> Judged:
        """Apply policies to complete rankings; the tie policy was already applied by the join."""
        if policies == self.policies:
            return self
        judged = self.condense() if policies.unjudged == "condensed" else self
        return replace(judged, policies=policies)

    @classmethod
    def from_grades(
        cls,
        rankings: Iterable[Sequence[float | None]],
        judged: Mapping[float, int] | None = None,
        policies: Policies = Policies(),
    ) -> Judged:
        """Return judged rankings of one topic from literal lists of grades; None is an unjudged document.

        *judged* has the number of documents of the topic judged with each grade; by default the largest number in any
        ranking.

        >>> Judged.from_grades([[1, 0, None, 2]]).code.tolist()
        [2, 1, 0, 3]
        """
        levels, counts, codes = encode_grades(rankings, judged)
        return cls(
            levels=levels,
            counts=counts.reshape(1, -1),
            topic=np.zeros(len(codes), dtype=np.int64),
            start=np.cumsum([0, *map(len, codes)]),
            code=np.concatenate([*codes, np.zeros(0, dtype=np.int32)]),
            answered=np.ones(len(codes), dtype=bool),
            policies=policies,
        )

    def __len__(self) -> int:
        return len(self.topic)

    # Input of measures ------------------------------------------------------------------------------------

    @property
    def length(self) -> Ints:
        """Number of documents of each ranking."""
        return np.diff(self.start)

    @property
    def max_depth(self) -> int:
        """Maximum depth over all rankings of the campaign, even if this object holds only some of them."""
        return int(self.length.max(initial=0)) if self.depth is None else self.depth

    @property
    def max_condensed_depth(self) -> int:
        """Maximum depth over all rankings of the campaign without unjudged documents."""
        if self.condensed_depth is None:
            return self.get_or_compute("max condensed depth", self._compute_max_condensed_depth)
        return self.condensed_depth

    def _compute_max_condensed_depth(self) -> int:
        return int(np.diff(self._count_before(self.start, ~ungraded_codes(self.levels))).max(initial=0))

    def get_or_compute(self, key: object, compute: Callable[[], Value]) -> Value:
        """Return the cached value of *key*, or the result of *compute*, which is then cached."""
        if key not in self._cache:
            self._cache[key] = compute()
        return cast("Value", self._cache[key])

    def recall_base(self, rel: float) -> Ints:
        """Return R for each ranking: the number of documents of its topic with a grade of at least *rel*."""
        return np.asarray(self.counts[:, self.levels >= rel].sum(axis=1)[self.topic])

    def judged_below(self, rel: float) -> Ints:
        """Return for each ranking the number of documents of its topic with a grade of at least 0 and below *rel*."""
        return np.asarray(self.counts[:, (self.levels >= 0) & (self.levels < rel)].sum(axis=1)[self.topic])

    def relevance(self, rel: float) -> Floats:
        """Return binary gains by code: 1 for a grade of at least *rel*, else 0."""
        return np.concatenate([[0.0], self.levels >= rel])

    def rows(self, gain: Floats) -> Rows:
        """Return the documents whose gain is not 0, in rank order; *gain* is a table by code.

        When ties are ``expected``, every document of a tie group gets the mean gain of the group.
        """
        cached = self._cache.get(key := gain.tobytes())
        if isinstance(cached, Rows):
            return cached
        if self.tied is None:
            position, ranking, rank = self._find_codes(gain != 0)
            rows = Rows(ranking, rank, gain.take(self.code.take(position)))
        else:
            mean_gain = self._average_over_ties(gain[self.code])
            position = np.flatnonzero(mean_gain)
            rows = Rows(*self.locate(position), mean_gain[position])
        if len(position) <= _MAX_CACHED_ROWS:
            self._cache[key] = rows
        return rows

    def ideal(self, gain: Floats) -> Rows:
        """Return the ideal ranking of each topic: its judged documents with a positive gain, by descending gain.

        In these rows, ``ranking`` is the topic (the row of *counts*).
        """
        return self.get_or_compute((b"ideal", gain.tobytes()), lambda: self._build_ideal(gain))

    def _build_ideal(self, gain: Floats) -> Rows:
        # Levels with a positive gain, in descending order of gain; gain[0] belongs to unjudged documents.
        best_first = np.argsort(-gain[1:], kind="stable")
        best_first = best_first[gain[1:][best_first] > 0]
        counts = self.counts[:, best_first]
        topic = np.repeat(np.arange(len(counts)), counts.sum(axis=1))
        gains = np.repeat(np.tile(gain[1:][best_first], len(counts)), counts.ravel())
        start = np.cumsum(counts.sum(axis=1)) - counts.sum(axis=1)
        return Rows(topic, np.arange(len(topic)) - start[topic] + 1, gains)

    def total(self, ranking: Ints, amount: Floats) -> Floats:
        """Return the sum of *amount* for each ranking; summands are added in rank order."""
        return np.bincount(ranking, weights=amount, minlength=len(self)).astype(np.float64, copy=False)

    def ideal_total(self, topic: Ints, amount: Floats) -> Floats:
        """Return for each ranking the sum of *amount* over the ideal ranking of its topic."""
        sums = np.bincount(topic, weights=amount, minlength=len(self.counts))
        return np.asarray(sums.astype(np.float64, copy=False)[self.topic])

    def cumulative_count(self, rows: Rows) -> Ints:
        """Return for each row its number within its ranking, from 1."""
        number = np.bincount(rows.ranking, minlength=len(self))
        first = np.cumsum(number) - number
        return np.arange(1, len(rows.ranking) + 1) - first.take(rows.ranking)

    def count_above(self, rows: Rows, counted: Bools) -> Ints:
        """Return for each row the number of documents above it whose code is *counted* (a mask by code)."""
        before_ranking = self._count_before(self.start[:-1], counted)
        position = self.start.take(rows.ranking) + rows.rank - 1
        return self._count_before(position, counted) - before_ranking.take(rows.ranking)

    def _count_before(self, position: Ints, counted: Bools) -> Ints:
        """Return the number of counted documents before each position in ``code``; positions ascend."""
        counts = np.empty(len(position), dtype=np.int64)
        total = 0
        # A running count over all documents would need 8 bytes per document; count a limited number of them at a time.
        for begin in range(0, len(self.code), _SCAN_SIZE):
            running = np.cumsum(match_codes(self.code[begin : begin + _SCAN_SIZE], counted))
            in_scan = slice(*np.searchsorted(position, [begin, begin + len(running)]).tolist())
            offset = position[in_scan] - begin
            counts[in_scan] = total + np.where(offset > 0, running[offset - 1], 0)
            total += int(running[-1])
        counts[np.searchsorted(position, len(self.code)) :] = total
        return counts

    # Facets ---------------------------------------------------------------------------------------------------

    def subtopic_rows(self) -> SubtopicRows:
        """Return the grades of the retrieved documents by subtopic, in rank order."""
        return self.get_or_compute("subtopic rows", lambda: find_rows(self))

    def subtopic_table(self) -> SubtopicTable:
        """Return the grades of all judged documents by subtopic, topic by topic; ideal rankings use it."""
        return self.get_or_compute("subtopic table", lambda: find_table(self))

    def subtopic_ids(self) -> pl.Series | None:
        """Return the ids of the documents of ``subtopic_table`` by their number; None for literal grades."""
        return find_ids(self)

    @property
    def cost(self) -> Floats:
        """The cost of each document; 1 if no costs were given."""
        cost = None if self.facets is None else self.facets.cost
        return np.ones(len(self.code)) if cost is None else cost

    def _take_facets(self, documents: Ints | Bools | slice) -> DocumentFacets | None:
        return None if self.facets is None else self.facets.take(documents)

    @property
    def _identity(self) -> Codes:
        """A column by which two documents are interchangeable: grade codes, or judgments if these have facets."""
        judgment = None if self.facets is None else self.facets.judgment
        return self.code if judgment is None else judgment

    # Derived rankings -------------------------------------------------------------------------------------

    def condense(self) -> Judged:
        """Return condensed rankings: unjudged documents and those with a negative grade are removed.

        Later documents move up. Documents of one tie group stay tied.
        """
        return self.get_or_compute("condensed", self._build_condensed)

    def _build_condensed(self) -> Judged:
        mask = ~mask_ungraded(self.code, self.levels)
        new_position = np.concatenate([[0], np.cumsum(mask)])
        tied = None
        if self.tied is not None:
            # Two documents of one tie group stay tied if documents between them are removed, so compare tie groups.
            group = np.cumsum(~self.tied)[mask]
            tied = np.concatenate([[False], group[1:] == group[:-1]])[: len(group)]
        start, depth = new_position[self.start], self.condensed_depth
        facets = self._take_facets(mask)
        return replace(self, code=self.code[mask], start=start, tied=tied, depth=depth, facets=facets)

    def top(self, depth: int) -> Judged:
        """Return the first *depth* documents of each ranking."""
        length = np.minimum(self.length, depth)
        start = np.concatenate([[0], np.cumsum(length)])
        position = expand_ranges(self.start[:-1], length)
        tied = None if self.tied is None else self.tied[position]
        return replace(
            self,
            code=self.code[position],
            start=start,
            tied=tied,
            depth=None,
            condensed_depth=None,
            facets=self._take_facets(position),
        )

    def with_max_depth(self, depth: int | None, condensed_depth: int | None) -> Judged:
        """Return a copy with the campaign-wide maximum depth set, with and without unjudged documents."""
        return replace(self, depth=depth, condensed_depth=condensed_depth)

    def replace_levels(self, levels: Floats) -> Judged:
        """Return the rankings with other grades: ``levels[i]`` replaces the current ``self.levels[i]``."""
        return replace(self, levels=levels)

    def select_rankings(self, rankings: Ints) -> Judged:
        """Return some of the rankings, by index; they keep the maximum depth of all rankings."""
        length = self.length[rankings]
        position = expand_ranges(self.start[:-1][rankings], length)
        return replace(
            self,
            topic=self.topic[rankings],
            start=np.concatenate([[0], np.cumsum(length)]),
            code=self.code[position],
            answered=self.answered[rankings],
            tied=None if self.tied is None else self.tied[position],
            depth=self.max_depth,
            condensed_depth=self.max_condensed_depth,
            facets=self._take_facets(position),
        )

    def blocks(self, documents: int, rankings: int) -> Iterator[tuple[slice, Judged]]:
        """Divide the rankings into blocks of at most *documents* documents and *rankings* rankings.

        Yields the slice of the rankings and the block. A block has at least one ranking, however long. It keeps
        the maximum depth of all rankings and has only the topics that occur in it.
        """
        begin = 0
        while begin < len(self) or not begin:
            last_fitting = int(np.searchsorted(self.start, self.start[begin] + documents, side="right")) - 1
            end = min(max(last_fitting, begin + 1), begin + rankings, len(self))
            yield slice(begin, end), self._build_block(begin, end)
            begin = max(end, 1)

    def _build_block(self, begin: int, end: int) -> Judged:
        """Return the rankings *begin* to *end* (exclusive) with the topics that occur in them."""
        if end - begin == len(self):
            return self
        first, last = self.start[begin], self.start[end]
        block = replace(
            self,
            topic=self.topic[begin:end],
            start=self.start[begin : end + 1] - first,
            code=np.asarray(self.code[first:last]),
            answered=self.answered[begin:end],
            tied=None if self.tied is None else np.asarray(self.tied[first:last]),
            depth=self.max_depth,
            condensed_depth=self.max_condensed_depth,
            facets=self._take_facets(slice(first, last)),
        )
        return block if end - begin >= len(self.counts) else block.drop_unused_topics()

    def select_topics(self, topics: Ints) -> Judged:
        """Keep some topics, given as rows of *counts*, and renumber them; every ranking must belong to a kept topic."""
        number = np.full(len(self.counts), -1)
        number[topics] = np.arange(len(topics))
        streams = None if self.streams is None else self.streams[topics]
        facets = None if self.facets is None else self.facets.select_topics(topics)
        return replace(self, counts=self.counts[topics], topic=number[self.topic], streams=streams, facets=facets)

    def drop_unused_topics(self) -> Judged:
        """Drop the topics without a ranking; this saves time if few topics have rankings."""
        return self.select_topics(sorted_distinct(self.topic))

    @classmethod
    def concatenate(cls, parts: Sequence[Judged]) -> Judged:
        """Concatenate rankings that have the same qrels and policies."""
        length = np.concatenate([part.length for part in parts])
        tied = [part.tied for part in parts if part.tied is not None]
        facets = [part.facets for part in parts if part.facets is not None]
        return replace(
            parts[0],
            topic=np.concatenate([part.topic for part in parts]),
            start=np.concatenate([[0], np.cumsum(length)]),
            code=np.concatenate([part.code for part in parts]),
            answered=np.concatenate([part.answered for part in parts]),
            tied=np.concatenate(tied) if tied else None,
            depth=max(part.max_depth for part in parts),
            condensed_depth=max(part.max_condensed_depth for part in parts),
            facets=DocumentFacets.concatenate(facets) if facets else None,
        )

    # Ties -------------------------------------------------------------------------------------------------

    def tie_groups(self) -> tuple[Ints, Ints]:
        """Return the tie group of each document, and the position of the first document of each group.

        An untied document forms a group by itself.
        """
        tied = np.zeros(len(self.code), dtype=bool) if self.tied is None else self.tied
        return np.cumsum(~tied) - 1, np.flatnonzero(~tied)

    def find_mixed_ties(self) -> Ints:
        """Return the indices of the rankings in which documents of different grades are tied.

        The order of tied documents affects only the values of these rankings.
        """
        if self.tied is None:
            return np.zeros(0, dtype=np.int64)
        identity = self._identity
        differs = np.flatnonzero(self.tied[1:] & (identity[1:] != identity[:-1])) + 1
        return np.unique(self._find_rankings(differs))

    def without_ties(self) -> Judged:
        """Return the rankings in their current order, with no documents marked as tied."""
        return self if self.tied is None else replace(self, tied=None)

    def shuffle_ties(self, sample: int) -> Judged:
        """Return the rankings with tied documents in random order and no longer marked as tied.

        The order depends only on the seed of the policies, *sample*, the topic and the ranks of the documents.
        """
        position, group = self._mixed_tie_documents()
        stream, rank = self.get_or_compute("shuffle keys", lambda: self._shuffle_keys(position))
        random = draw(self.policies.seed, sample, stream, rank)
        # The random numbers are below 1, so sorting by group + number shuffles only within groups.
        return self._reorder(position, position[np.argsort(group + random)])

    def _reorder(self, position: Ints, source: Ints) -> Judged:
        """Return the rankings without ties, with the documents at *source* moved to *position*."""
        code = self.code.copy()
        code[position] = code[source]
        facets = self.facets
        if facets is not None:
            order = np.arange(len(code))
            order[position] = source
            facets = facets.take(order)
        return replace(self, code=code, tied=None, facets=facets)

    def _shuffle_keys(self, position: Ints) -> tuple[np.ndarray, Ints]:
        """Return the random stream of the topic and the rank (from 0) of the documents at these positions."""
        ranking = np.searchsorted(self.start, position, side="right") - 1
        streams = np.zeros(len(self.counts), dtype=np.uint64) if self.streams is None else self.streams
        return streams[self.topic[ranking]], position - self.start[ranking]

    def _mixed_tie_documents(self) -> tuple[Ints, Ints]:
        """Return the positions of documents in tie groups of mixed grades, and the group of each, from 0."""
        return self.get_or_compute("mixed tie documents", self._find_mixed_tie_documents)

    def _find_mixed_tie_documents(self) -> tuple[Ints, Ints]:
        group, first = self.tie_groups()
        # A group is mixed if two adjacent documents of the group have different codes.
        identity = self._identity
        differs = np.flatnonzero((group[1:] == group[:-1]) & (identity[1:] != identity[:-1])) + 1
        is_mixed = np.zeros(len(first), dtype=bool)
        is_mixed[group[differs]] = True
        position = np.flatnonzero(is_mixed[group])
        # Renumber the mixed groups from 0.
        return position, np.cumsum(np.diff(group[position], prepend=-1) > 0) - 1

    def sort_ties(self, gain: Floats, *, best_first: bool) -> Judged:
        """Return the rankings with tied documents sorted by *gain* (a table by code) and no longer marked as tied."""
        # Only the order of the gains matters, so gains with the same order share a cache entry.
        gain_order = np.unique(gain, return_inverse=True)[1].astype(np.int64)
        return self.get_or_compute(
            (best_first, gain_order.tobytes()), lambda: self._build_sorted_ties(gain_order, best_first)
        )

    def _build_sorted_ties(self, gain_order: Ints, best_first: bool) -> Judged:
        position, group = self._mixed_tie_documents()
        sort_key = (-gain_order if best_first else gain_order)[self.code[position]]
        return self._reorder(position, position[np.lexsort((sort_key, group))])

    def _average_over_ties(self, gain: Floats) -> Floats:
        """Return for each document the mean gain of its tie group."""
        group, _ = self.tie_groups()
        return (np.bincount(group, weights=gain) / np.bincount(group))[group] if len(gain) else gain

    # Positions in ``code`` --------------------------------------------------------------------------------

    def _find_rankings(self, position: Ints) -> Ints:
        """Return the ranking of each position in ``code``; positions ascend."""
        # With many short rankings, a table of the ranking of every document is faster than a search per ranking.
        if len(self.code) < _SHORT_LENGTH * len(self):
            return self.get_or_compute("ranking", self.ranking).take(position)
        first = np.searchsorted(position, self.start)
        return np.repeat(np.arange(len(self)), np.diff(first))

    def _find_codes(self, selected: Bools) -> tuple[Ints, Ints, Ints]:
        """Return the positions, rankings and ranks of the documents with selected codes (a mask by code).

        The result is cached by the selected codes, because many gain tables select the same codes.
        """
        cached = self._cache.get(key := ("codes", selected.tobytes()))
        if isinstance(cached, tuple):
            return cached
        position = np.flatnonzero(match_codes(self.code, selected))
        documents = (position, *self.locate(position))
        if len(position) <= _MAX_CACHED_ROWS:
            self._cache[key] = documents
        return documents

    def locate(self, position: Ints) -> tuple[Ints, Ints]:
        """Return the ranking and the rank of each position in ``code``; positions ascend."""
        ranking = self._find_rankings(position)
        return ranking, position - self.start.take(ranking) + 1

    def rank(self) -> Ints:
        """Return the rank of every document."""
        return np.arange(1, len(self.code) + 1) - np.repeat(self.start[:-1], self.length)

    def ranking(self) -> Ints:
        """Return the index of the ranking that every document belongs to."""
        return np.repeat(np.arange(len(self)), self.length)
