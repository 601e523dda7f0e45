r"""Judgments in groups: preference measures, and measures averaged over several judges.

**Preferences** (``-R prefs``, ``-R qrels_prefs``). A group (one person, one information need) assigns levels to
documents, in one or several subgroups. It prefers document *a* to *b* if *a* has the higher level in a subgroup that
contains both, or if this follows from a chain of such preferences. A group with one subgroup is *complete*. A group
with several subgroups is *partial*: documents that no chain connects are not compared. Documents of level 0 are not
relevant; documents of higher levels are relevant.

Documents are sorted by score, and tied documents by **ascending** id. (All other measures of trec_eval sort tied
documents by descending id.) A preference for *a* over *b* is *fulfilled* if *a* is ranked before *b*, or if only *a*
was retrieved. For each group, p is the number of its preferences, and f is the number of fulfilled preferences. p_ret
and f_ret count only preferences between two retrieved documents; p_imp counts preferences with at least one retrieved
document. For a topic with n groups, the values are as follows; sums are over groups.

=========================== ===========================================================================================
``prefs_num_prefs_poss``    sum of p; ``_ful`` is the sum of f, and ``_ful_ret`` is the sum of f_ret
``prefs_simp``              sum of f / sum of p
``prefs_pair``              mean, over pairs of documents on which a group has a preference, of the fraction of these
                            preferences that is fulfilled (0 if neither document was retrieved)
``prefs_avgjg``             (1/n) sum of f / p
``prefs_avgjg_Rnonrel``     (1/n) sum of f' / p', with as many non-relevant as relevant documents
``..._ret``, ``..._imp``    the same with f_ret / p_ret and with f / p_imp
=========================== ===========================================================================================

A ratio with the denominator 0 is 0. Consider a group with N non-relevant and R relevant documents, r of which are
retrieved. The f' and p' of *Rnonrel* for this group are:

* R >= N: f' = f + r (R - N) and p' = p + R (R - N), as if R - N further documents were non-relevant and not retrieved.
* R < N, complete group: only the first R documents of the lowest level are kept, in the order: retrieved documents by
  rank, then the others by id. f' and p' count the preferences between documents above the lowest level. They also count
  the pairs of **any** document of the group, even of the lowest level, with each kept document. Such a pair is
  fulfilled if the first document was retrieved and is ranked before the second.
* R < N, partial group: only the first R documents of level 0 are kept.

``prefs_avgjg_Rnonrel_ret`` uses f_ret and p_ret, and compares r with the number of *retrieved* non-relevant documents.
It keeps r documents in a complete group (but R in a partial group), and pairs only retrieved documents. In both
measures, a group with p' = 0 sets the value of the topic to 0, because 0/0 turns the sum into nan. A level below 0 is
non-relevant in a complete group; in a partial group it is neither relevant nor non-relevant.

Values agree with trec_eval 10 to the last bit, with one exception: for Rnonrel of a complete group whose lowest level
is below 0 and has fewer than R documents, trec_eval reads beyond its memory. Duplicate documents in a subgroup are an
error here (trec_eval counts them twice), and so are contradictions in topics that the run lacks.

**Several judges** (``-R qrels_jg``). A measure is computed with the judgments of each judge alone. The value of a topic
is the mean over the judges with at least one judgment for the topic, even if all grades are 0 or negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.compat.trec_eval.evaluation import (
    Block,
    apply_flags,
    evaluated_topics,
    refuse_missing,
    score_columns,
    tie_policy,
)
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.parameters import truncation_notes
from assay.compat.trec_eval.reading import prepare_qrels, read_runs
from assay.compat.trec_eval.selection import Item
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.io import groups as reader
from assay.io import source as sources
from assay.io.document_hash import hash_documents
from assay.io.source import expand
from assay.io.table import RowTable
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.notes import TopicCoverage, topic_notes
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run

_CELLS = 1 << 22  # pairs of documents compared at a time


class GroupedValues(NamedTuple):
    """Runs and their values for judgments in groups (preferences or several judges)."""

    runs: Sequence[Run]
    values: Sequence[Block]
    notes: tuple[str, ...] = ()
    relevant_count: int = 0

    def blocks(self, run: int) -> Iterator[Block]:
        """Yield the values of a run, in a single block."""
        yield self.values[run]


def evaluate_groups(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> GroupedValues:
    """Read the judgments and the runs, and compute the values of each run."""
    judgments = read_judgments(options)
    topics, notes = judgments.topics, list(judgments.notes)
    files = expand(options.runs)
    runs: list[Run] = []
    blocks: list[Block] = []
    for count, path in enumerate(files, 1):
        for run in map(Run, read_runs(path, topics, items, options)):
            values, answered = judgments.evaluate(run, items, options)
            unjudged_topics = set(run.topic.unique().to_list()) - set(topics)
            refuse_missing(run.source, topics, answered, unjudged_topics, options)
            exclude_missing = options.profile == "9.0.8" and not options.complete
            coverage = TopicCoverage(
                int(answered.sum()), len(unjudged_topics), int(run.topic.is_in(list(unjudged_topics)).sum())
            )
            notes += topic_notes(run.source, coverage, len(topics), unjudged_topics, exclude_missing)
            blocks.append(Block(topics, values, [], evaluated_topics(topics, answered, options)))
            runs.append(run)
        if progress is not None:
            progress(count, len(files))
    return GroupedValues(runs, blocks, tuple(notes))


def read_judgments(options: TrecEvalOptions) -> Judges | Preferences:
    """Read the judgments named by the options, in one of the layouts of :mod:`assay.io.groups`."""
    source = sources.read(options.qrels)
    if options.layout == "qrels_jg":
        return Judges(reader.read(prepare_qrels(source), options.layout))
    return Preferences(reader.read(source, options.layout))


class Judges:
    """Judgments of several judges; *topics* are in the byte order of their ids."""

    def __init__(self, rows: reader.Groups) -> None:
        # Split the judgments by turn: turn 1 has the first judge of every topic, turn 2 has the second judge, etc. This
        # takes the fewest joins, because there may be many judges with few topics each. As in trec_eval, grades are
        # truncated.
        grade = rows.frame["value"].to_numpy()
        frame = rows.frame.select(
            "topic", "doc", pl.Series("value", np.trunc(grade)), turn=pl.col("judge").rank("dense").over("topic")
        )
        turns = frame.partition_by("turn", include_key=False, as_dict=True)
        self._turns = [_qrels(turns[turn], rows) for turn in sorted(turns)]
        self.topics = self._turns[0].topics
        self.notes = (*rows.notes, *truncation_notes(rows.source, int((grade != np.trunc(grade)).sum())))

    def evaluate(self, run: Run, items: Sequence[Item], options: TrecEvalOptions) -> tuple[Floats, Bools]:
        """Return the mean over judges of each column (columns x topics), and a mask of the topics of the run."""
        index = {topic: position for position, topic in enumerate(self.topics)}
        total = np.zeros((sum(len(item.columns) for item in items), len(index)))
        judge_count = np.zeros(len(index))
        answered = np.zeros(len(index), dtype=bool)
        for qrels in self._turns:
            topics = [index[topic] for topic in qrels.topics]
            judged = Judged.join(qrels, [run], Policies(ties=tie_policy(options.profile)))
            answered[topics] |= judged.answered
            total[:, topics] += score_columns(apply_flags(judged, options), items)
            judge_count[topics] += 1
        return total / judge_count, answered


def _qrels(frame: pl.DataFrame, rows: reader.Groups) -> Qrels:
    return Qrels(
        RowTable(rows.source, frame, hash_documents(frame["topic"], frame["doc"]), rows.locate, digest=rows.digest)
    )


class Preferences:
    """Preferences by topic and group; *topics* are in the byte order of their ids."""

    notes: tuple[str, ...] = ()

    def __init__(self, rows: reader.Groups) -> None:
        frame = rows.frame.with_row_index("row")
        if "subgroup" not in frame.columns:
            frame = frame.with_columns(subgroup=pl.lit("0"))
        documents = frame.select("topic", "doc").unique().sort("topic", "doc")
        self._documents = documents.with_columns(
            number=pl.int_range(pl.len()).over("topic"), topic_number=pl.col("topic").rle_id().cast(pl.Int64)
        )
        self._sizes: list[int] = documents["topic"].rle().struct.field("len").to_list()
        self.topics: tuple[str, ...] = tuple(documents["topic"].unique(maintain_order=True).to_list())
        lines = frame.join(self._documents, on=["topic", "doc"], how="left")
        lines = lines.sort("topic", "group", "subgroup", "value", descending=[False, False, False, True])
        self._groups: list[list[Group]] = [[] for _ in self.topics]
        for group_lines in lines.partition_by("topic", "group", maintain_order=True):
            self._groups[group_lines["topic_number"][0]].append(_build_group(group_lines, rows))

    def evaluate(self, run: Run, items: Sequence[Item], options: TrecEvalOptions) -> tuple[Floats, Bools]:
        """Return the values (columns x topics), and a mask of the topics of the run; other rankings are empty."""
        orders, answered = self._rank_documents(run, options)
        topics = [
            _score_topic(groups, order, count) for groups, (order, count) in zip(self._groups, orders, strict=True)
        ]
        labels = [column.label for item in items for column in item.columns]
        values = np.array([[values[label] for values in topics] for label in labels], dtype=np.float64)
        return values.reshape(len(labels), len(topics)), answered

    def _rank_documents(self, run: Run, options: TrecEvalOptions) -> tuple[list[tuple[Ints, int]], Bools]:
        """Return the documents of each topic, with the number retrieved, and a mask of the topics of the run.

        The retrieved documents come first, by rank; the others follow by id.
        """
        rows = run.frame().join(self._documents.select("topic").unique(), on="topic", how="semi")
        if options.profile == "9.0.8":
            rows = rows.with_columns(pl.col("score").cast(pl.Float32))
        in_run = set(rows["topic"].unique().to_list())
        answered = np.array([topic in in_run for topic in self.topics], dtype=bool)
        if options.max_documents is not None:
            rows = rows.sort("topic", "score", "doc", descending=[False, True, False])
            rows = rows.filter(pl.int_range(pl.len()).over("topic") < options.max_documents)
        judged = rows.join(self._documents, on=["topic", "doc"], how="inner")
        topic, number, score = (judged[column].to_numpy() for column in ("topic_number", "number", "score"))
        # Documents are numbered in the order of their ids, so sorting by number breaks ties by ascending id.
        by_rank = np.lexsort((number, -score, topic))
        first = np.searchsorted(topic[by_rank], np.arange(len(self.topics) + 1)).tolist()
        retrieved = [number[by_rank[begin:end]] for begin, end in pairwise(first)]
        orders = [
            (np.concatenate([ranked, np.setdiff1d(np.arange(size), ranked)]), len(ranked))
            for ranked, size in zip(retrieved, self._sizes, strict=True)
        ]
        return orders, answered


@dataclass(frozen=True, eq=False)
class Group:
    """The preferences of one group between its documents.

    *member* holds the document numbers, ascending. All other arrays identify a document by its index in *member*. The
    index ``len(member)`` denotes every document outside the group; such documents are not compared. *level* has one
    level for each index (nan for documents outside the group). A partial group has a *matrix*, whose entry (a, b) is
    True if the group prefers a to b.
    """

    member: Ints
    level: Floats
    matrix: Bools | None = None

    def prefers(self, left: Ints, right: Ints) -> Bools:
        """Return a matrix: True if the group prefers the *left* document (row) to the *right* document (column)."""
        if self.matrix is None:
            return np.asarray(self.level[left][:, None] > self.level[right])
        return self.matrix[np.ix_(left, right)]

    def count(self, left: Ints, right: Ints, in_order: bool = False) -> int:
        """Count the preferences for a *left* over a *right* document; with *in_order*, only over later documents."""
        total, rows = 0, _block_rows(right)
        for begin in range(0, len(left), rows):
            preferred = self.prefers(left[begin : begin + rows], right)
            total += int(np.count_nonzero(np.triu(preferred, begin + 1) if in_order else preferred))
        return total


def _block_rows(columns: Ints) -> int:
    """Return the number of rows of a matrix to compute together, such that memory stays bounded."""
    return max(1, _CELLS // max(len(columns), 1))


def _build_group(lines: pl.DataFrame, rows: reader.Groups) -> Group:
    """Build a group from its *lines*, which are sorted by subgroup and descending level."""
    member, index = np.unique(lines["number"].to_numpy(), return_inverse=True)
    level = np.full(len(member) + 1, np.nan)
    level[index] = lines["value"].to_numpy()  # a document in several subgroups has its level in the last subgroup
    if lines["subgroup"][0] == lines["subgroup"][-1]:
        return Group(member, level)
    _refuse_mixed_levels(lines, rows.locate)
    tiers = lines.with_columns(index=index).group_by("subgroup", "value", maintain_order=True).agg("index")
    try:
        matrix = _transitive_closure(list(tiers.select("subgroup", "index").iter_rows()), len(member))
        return Group(member, level, matrix)
    except CycleError as error:
        cycle = sorted(set(error.args[1]) & set(index.tolist()))
        a, b = (lines["doc"][index.tolist().index(node)] for node in cycle[:2])
        raise InputError(
            f"{rows.source}: {_name_group(lines)} prefers document {a} to {b} and {b} to {a}, directly or "
            "through other documents; correct its subgroups, or write different opinions as different groups"
        ) from None


def _transitive_closure(tiers: Sequence[tuple[str, list[int]]], size: int) -> Bools:
    """Return the matrix of all preferences that follow from *tiers*.

    A tier consists of the documents of a subgroup with the same level. Raise CycleError if a document is preferred to
    itself through other documents.
    """
    # An extra node between consecutive tiers represents the lower tier. So the number of edges is about the number of
    # lines, not the number of pairs of documents.
    below: dict[int, list[int]] = {index: [] for index in range(size)}
    for node, ((subgroup, upper), (next_subgroup, lower)) in enumerate(pairwise(tiers), size + 1):
        if subgroup == next_subgroup:
            below[node] = lower
            for index in upper:
                below[index].append(node)
    # The topological order visits the nodes below a node before the node itself, so their rows are complete.
    preferred = np.zeros((size + len(tiers), size + 1), dtype=bool)
    for node in TopologicalSorter(below).static_order():
        for other in below[node]:
            preferred[node] |= preferred[other]
            if other < size:
                preferred[node, other] = True
    return preferred[: size + 1].copy()


def _refuse_mixed_levels(lines: pl.DataFrame, locate: Callable[[int], str]) -> None:
    """Refuse a document that is relevant in one subgroup of a group and non-relevant in another."""
    level = pl.col("value")
    mixed = lines.filter((level == 0).any().over("doc") & (level > 0).any().over("doc"))
    if mixed.is_empty():
        return
    rows = mixed.filter(pl.col("doc") == mixed["doc"][0]).sort("row")
    zero, positive = (rows.filter(condition).row(0, named=True) for condition in (level == 0, level > 0))
    raise InputError(
        f"{locate(max(zero['row'], positive['row']))}: document {zero['doc']} has level 0 at {locate(zero['row'])} and "
        f"level {positive['value']:g} at {locate(positive['row'])}, in two subgroups of {_name_group(rows)}; "
        "write 0 in both or in neither"
    )


def _name_group(lines: pl.DataFrame) -> str:
    return f"group {lines['group'][0]} of topic {lines['topic'][0]}"


class Fulfilment(NamedTuple):
    """Number of fulfilled and number of possible preferences (or pairs of documents)."""

    fulfilled: float
    possible: int

    def ratio(self, undefined: float = 0.0) -> float:
        """Return the fulfilled fraction, or *undefined* if nothing is possible."""
        return self.fulfilled / self.possible if self.possible else undefined


@dataclass(frozen=True, eq=False)
class RankedGroup:
    """A group, and its documents in *order*: *retrieved_count* documents by rank, then the others by id."""

    group: Group
    order: Ints
    retrieved_count: int

    @cached_property
    def fulfilments(self) -> dict[str, Fulfilment]:
        """Fulfilled preferences, by the suffix of the names of the measures that count them."""
        retrieved, missing = np.split(self.order, [self.retrieved_count])
        count = self.group.count
        ret = Fulfilment(count(retrieved, retrieved, in_order=True), count(retrieved, retrieved))
        implied, failed = count(retrieved, missing), count(missing, retrieved)
        imp = Fulfilment(ret.fulfilled + implied, ret.possible + implied + failed)
        return {"": Fulfilment(imp.fulfilled, imp.possible + count(missing, missing)), "_ret": ret, "_imp": imp}

    def balanced_ratio(self, suffix: str) -> float:
        """Return f' / p' of Rnonrel or Rnonrel_ret, as defined in the docstring of the module; nan if p' is 0."""
        level, complete = self.group.level[self.order], self.group.matrix is None
        considered = self.retrieved_count if suffix == "_ret" else len(level)
        relevant, hits = int((level > 0).sum()), int((level[: self.retrieved_count] > 0).sum())
        target = hits if suffix == "_ret" else relevant
        nonrelevant = level[:considered] <= 0 if complete else level[:considered] == 0
        lacking = target - int(nonrelevant.sum())
        if lacking >= 0:  # R >= N
            fulfilled, possible = self.fulfilments[suffix]
            return Fulfilment(fulfilled + hits * lacking, possible + relevant * lacking).ratio(np.nan)
        if not complete:
            return self._drop(np.flatnonzero(level == 0)[relevant:]).fulfilments[suffix].ratio(np.nan)
        # R < N in a complete group: the preferences above the lowest level, and all pairs with its first documents.
        lowest = np.flatnonzero(level == level.min())
        fulfilled, possible = self._drop(lowest).fulfilments[suffix]
        selected = lowest[:target]
        selected = selected[selected < considered]
        # The pairs of a selected document with the retrieved documents ranked before it are fulfilled.
        added = int(np.minimum(selected, self.retrieved_count).sum())
        return Fulfilment(fulfilled + added, possible + considered * len(selected)).ratio(np.nan)

    def _drop(self, ranks: Ints) -> RankedGroup:
        retrieved_count = self.retrieved_count - int((ranks < self.retrieved_count).sum())
        return RankedGroup(self.group, np.delete(self.order, ranks), retrieved_count)


def _score_topic(groups: Sequence[Group], order: Ints, retrieved_count: int) -> dict[str, float]:
    """Return every preference measure of a topic; the first *retrieved_count* documents of *order* were retrieved."""
    indices: list[Ints] = []
    ranked: list[RankedGroup] = []
    for group in groups:
        # The index of each document in the group; len(member) for documents outside the group.
        index = np.full(len(order), len(group.member))
        index[group.member] = np.arange(len(group.member))
        indices.append(index[order])
        is_member = indices[-1] < len(group.member)
        ranked.append(RankedGroup(group, indices[-1][is_member], int(is_member[:retrieved_count].sum())))
    by_group = {suffix: [group.fulfilments[suffix] for group in ranked] for suffix in ("", "_ret", "_imp")}
    total = {suffix: Fulfilment(*map(sum, zip(*counts, strict=True))) for suffix, counts in by_group.items()}
    pairs = _count_pairs(groups, indices, retrieved_count) if len(groups) > 1 else total
    values: dict[str, float] = {
        "num_q": 1,
        "prefs_num_prefs_poss": total[""].possible,
        "prefs_num_prefs_ful": total[""].fulfilled,
        "prefs_num_prefs_ful_ret": total["_ret"].fulfilled,
        "prefs_avgjg_Rnonrel": _mean([group.balanced_ratio("") for group in ranked]),
        "prefs_avgjg_Rnonrel_ret": _mean([group.balanced_ratio("_ret") for group in ranked]),
    }
    for suffix, fulfilments in by_group.items():
        values[f"prefs_simp{suffix}"] = total[suffix].ratio()
        values[f"prefs_pair{suffix}"] = pairs[suffix].ratio()
        values[f"prefs_avgjg{suffix}"] = _mean([fulfilment.ratio() for fulfilment in fulfilments])
    return values


def _mean(ratios: Sequence[float]) -> float:
    """Return the mean over groups; as in trec_eval a sum that is nan counts as 0."""
    # Add one by one, as trec_eval does: numpy adds pairwise and would round differently.
    total = 0.0
    for ratio in ratios:
        total += ratio
    return total / len(ratios) if total > 0 else 0.0


def _count_pairs(groups: Sequence[Group], indices: Sequence[Ints], retrieved_count: int) -> dict[str, Fulfilment]:
    """Sum the fulfilled fraction of preferences over the pairs of documents on which a group has a preference."""
    retrieved, missing = zip(*(np.split(index, [retrieved_count]) for index in indices), strict=True)
    ret = _add_pairs(groups, retrieved, retrieved, Fulfilment(0.0, 0), in_order=True)
    imp = _add_pairs(groups, retrieved, missing, ret)
    neither = _add_pairs(groups, missing, missing, Fulfilment(0.0, 0), in_order=True)
    return {"": Fulfilment(imp.fulfilled, imp.possible + neither.possible), "_ret": ret, "_imp": imp}


def _add_pairs(
    groups: Sequence[Group], left: Sequence[Ints], right: Sequence[Ints], start: Fulfilment, in_order: bool = False
) -> Fulfilment:
    """Add the pairs of a left and a right document to *start*, in the order of trec_eval's additions."""
    total, pair_count = start
    rows = _block_rows(right[0])
    for begin in range(0, len(left[0]), rows):
        # For each pair, the number of groups that prefer the left document, and the number that prefer the right one.
        left_count = np.zeros(
            (len(left[0][begin : begin + rows]), len(right[0])), dtype=np.min_scalar_type(len(groups))
        )
        right_count = np.zeros_like(left_count)
        for group, index, other in zip(groups, left, right, strict=True):
            left_count += group.prefers(index[begin : begin + rows], other)
            right_count += group.prefers(other, index[begin : begin + rows]).T
        has_preference = left_count + right_count > 0
        compared = np.triu(has_preference, begin + 1) if in_order else has_preference
        fulfilled, failed = left_count[compared].astype(np.float64), right_count[compared].astype(np.float64)
        # cumsum adds one by one, unlike sum, so the result agrees with trec_eval to the last bit.
        total = float(np.cumsum(np.concatenate([[total], fulfilled / (fulfilled + failed)]))[-1])
        pair_count += len(fulfilled)
    return Fulfilment(total, pair_count)
