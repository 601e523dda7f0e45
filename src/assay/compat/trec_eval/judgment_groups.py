r"""Judgments in groups: preference measures, and measures averaged over several judges.

**Preferences** (``-R prefs``, ``-R qrels_prefs``). A group (one person, one information need) assigns levels to
documents, in one subgroup or in several. It prefers document *a* to *b* if *a* has the higher level in a subgroup that
contains both, or if that follows from several subgroups. A group of one subgroup is *complete*; in a *partial* group,
one of several subgroups, documents that no chain connects are not compared. Level 0 is not relevant, a higher one is.

Documents are ranked by score, and tied ones **ascending** by id, where all other measures of trec_eval order them
descending. A preference for *a* over *b* is *fulfilled* if *a* is ranked before *b*, or if only *a* was retrieved. For
a group, p counts its preferences and f those fulfilled; p_ret and f_ret those between two retrieved documents; p_imp
those with at least one retrieved document. The values of a topic with n groups, where sums are over groups, are:

=========================== ===========================================================================================
``prefs_num_prefs_poss``    sum of p; ``_ful`` is the sum of f, ``_ful_ret`` the sum of f_ret
``prefs_simp``              sum of f / sum of p
``prefs_pair``              mean, over pairs of documents on which a group has a preference, of the share of these
                            preferences that is fulfilled (0 if neither document was retrieved)
``prefs_avgjg``             (1/n) sum of f / p
``prefs_avgjg_Rnonrel``     (1/n) sum of f' / p', with as many non-relevant as relevant documents
``..._ret``, ``..._imp``    the same with f_ret / p_ret and with f / p_imp
=========================== ===========================================================================================

A ratio with the denominator 0 is 0. *Rnonrel* of a group with R relevant documents, r of them retrieved, and N others:

* R >= N: f' = f + r (R - N) and p' = p + R (R - N), as if R - N more had been judged non-relevant and not retrieved.
* R < N, complete group: the lowest level keeps only its first R documents (retrieved ones by rank, then the others by
  id). To the preferences between documents above that level are added the pairs of **any** document of the group, even
  of the lowest level, with each kept one, fulfilled if the first was retrieved and is ranked before the second.
* R < N, partial group: the documents of level 0 after the first R of them are dropped.

``prefs_avgjg_Rnonrel_ret`` uses f_ret and p_ret, compares r with the number of *retrieved* non-relevant documents,
keeps r documents in a complete group (but R in a partial one), and pairs retrieved documents only. In both measures a
group with p' = 0 sets the value of the topic to 0, because 0/0 turns the sum into nan. A level below 0 is non-relevant
in a complete group and neither in a partial one.

Values agree with trec_eval 10 to the last bit, except for Rnonrel of a complete group whose lowest level is below 0 and
has fewer than R documents, where trec_eval reads beyond its memory. A document listed twice in a subgroup is an error
here (trec_eval counts it twice), and so are contradictions in topics that the run lacks.

**Several judges** (``-R qrels_jg``). A measure is computed with the judgments of each judge alone. The value of a topic
is the mean over the judges who judged anything for it, even if only non-relevant documents or negative grades.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.compat.trec_eval.evaluation import apply_flags, score_columns, tie_policy
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.parameters import cut_notes
from assay.compat.trec_eval.reading import prepare_qrels
from assay.compat.trec_eval.selection import Item
from assay.errors import InputError
from assay.io import groups as reader
from assay.io import source as sources
from assay.io.document_hash import hash_documents
from assay.io.table import RowTable
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run

_CELLS = 1 << 22  # pairs of documents compared at a time


def read_judgments(options: TrecEvalOptions) -> Judges | Preferences:
    """Read the judgments that the options name, in one of the layouts of :mod:`assay.io.groups`."""
    source = sources.read(options.qrels)
    if options.layout == "qrels_jg":
        return Judges(reader.read(prepare_qrels(source), options.layout))
    return Preferences(reader.read(source, options.layout))


class Judges:
    """The judgments of several judges; *topics* are in the byte order of their ids."""

    def __init__(self, rows: reader.Groups) -> None:
        # The first judge of every topic, then the second, and so on: that takes the fewest joins, because there may be
        # many judges with few topics each. Only the whole part of a grade counts, as in trec_eval.
        grade = rows.frame["value"].to_numpy()
        frame = rows.frame.select(
            "topic", "doc", pl.Series("value", np.trunc(grade)), turn=pl.col("judge").rank("dense").over("topic")
        )
        turns = frame.partition_by("turn", include_key=False, as_dict=True)
        self._turns = [_qrels(turns[turn], rows) for turn in sorted(turns)]
        self.topics = self._turns[0].topics
        self.notes = (*rows.notes, *cut_notes(rows.source, int((grade != np.trunc(grade)).sum())))

    def evaluate(self, run: Run, items: Sequence[Item], options: TrecEvalOptions) -> tuple[Floats, Bools]:
        """Return the mean over judges of each column (columns x topics), and a mask of the topics that the run has."""
        number = {topic: place for place, topic in enumerate(self.topics)}
        total = np.zeros((sum(len(item.columns) for item in items), len(number)))
        judges = np.zeros(len(number))
        answered = np.zeros(len(number), dtype=bool)
        for qrels in self._turns:
            topics = [number[topic] for topic in qrels.topics]
            judged = Judged.join(qrels, [run], Policies(ties=tie_policy(options.profile)))
            answered[topics] |= judged.answered
            total[:, topics] += score_columns(apply_flags(judged, options), items)
            judges[topics] += 1
        return total / judges, answered


def _qrels(frame: pl.DataFrame, rows: reader.Groups) -> Qrels:
    return Qrels(
        RowTable(rows.source, frame, hash_documents(frame["topic"], frame["doc"]), rows.locate, digest=rows.digest)
    )


class Preferences:
    """The groups of each topic; *topics* are in the byte order of their ids."""

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
        for part in lines.partition_by("topic", "group", maintain_order=True):
            self._groups[part["topic_number"][0]].append(_build_group(part, rows))

    def evaluate(self, run: Run, items: Sequence[Item], options: TrecEvalOptions) -> tuple[Floats, Bools]:
        """Return the values (columns x topics), and a mask of the topics that the run has; the others are empty."""
        orders, answered = self._orders(run, options)
        topics = [_topic_values(*each) for each in zip(self._groups, *zip(*orders, strict=True), strict=True)]
        labels = [column.label for item in items for column in item.columns]
        values = np.array([[values[label] for values in topics] for label in labels], dtype=np.float64)
        return values.reshape(len(labels), len(topics)), answered

    def _orders(self, run: Run, options: TrecEvalOptions) -> tuple[list[tuple[Ints, int]], Bools]:
        """Return for each topic its documents, the retrieved ones first and by rank, and the number of these."""
        rows = run.frame().join(self._documents.select("topic").unique(), on="topic", how="semi")
        if options.profile == "9.0.8":
            rows = rows.with_columns(pl.col("score").cast(pl.Float32))
        in_run = set(rows["topic"].unique().to_list())
        answered = np.array([topic in in_run for topic in self.topics], dtype=bool)
        if options.most is not None:
            rows = rows.sort("topic", "score", "doc", descending=[False, True, False])
            rows = rows.filter(pl.int_range(pl.len()).over("topic") < options.most)
        judged = rows.join(self._documents, on=["topic", "doc"], how="inner")
        topic, number, score = (judged[column].to_numpy() for column in ("topic_number", "number", "score"))
        # Numbers of documents ascend as their ids do, so that they put tied documents in order.
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

    *member* holds the numbers of these documents, ascending. Everywhere else they are addressed by their place in
    *member*; the place after the last stands for all other documents, which are not compared with anything. *level* has
    one level for each place (nan for that last one). A partial group has a *matrix*: row a, column b is true if the
    group prefers a to b.
    """

    member: Ints
    level: Floats
    matrix: Bools | None = None

    def prefers(self, left: Ints, right: Ints) -> Bools:
        """Return whether each *left* (rows) is preferred to each *right* (columns)."""
        if self.matrix is None:
            return np.asarray(self.level[left][:, None] > self.level[right])
        return self.matrix[np.ix_(left, right)]

    def count(self, left: Ints, right: Ints, in_order: bool = False) -> int:
        """Count preferences for a *left* over a *right* document; *in_order*: only for one that comes later."""
        total, rows = 0, _rows_at_a_time(right)
        for begin in range(0, len(left), rows):
            over = self.prefers(left[begin : begin + rows], right)
            total += int(np.count_nonzero(np.triu(over, begin + 1) if in_order else over))
        return total


def _rows_at_a_time(columns: Ints) -> int:
    """Number of rows of a matrix that are computed at a time, so that memory stays bounded."""
    return max(1, _CELLS // max(len(columns), 1))


def _build_group(lines: pl.DataFrame, rows: reader.Groups) -> Group:
    """Build the group of some *lines*, which are sorted by subgroup and descending level."""
    member, place = np.unique(lines["number"].to_numpy(), return_inverse=True)
    level = np.full(len(member) + 1, np.nan)
    level[place] = lines["value"].to_numpy()  # that of the last subgroup counts
    if lines["subgroup"][0] == lines["subgroup"][-1]:
        return Group(member, level)
    _refuse_mixed_levels(lines, rows.locate)
    tiers = lines.with_columns(place=place).group_by("subgroup", "value", maintain_order=True).agg("place")
    try:
        return Group(member, level, _closure(list(tiers.select("subgroup", "place").iter_rows()), len(member)))
    except CycleError as error:
        cycle = sorted(set(error.args[1]) & set(place.tolist()))
        one, other = (lines["doc"][place.tolist().index(node)] for node in cycle[:2])
        raise InputError(
            f"{rows.source}: {_name_group(lines)} prefers document {one} to {other} and {other} to {one}, perhaps by "
            "way of others; correct its subgroups, or write different opinions as different groups"
        ) from None


def _closure(tiers: Sequence[tuple[str, list[int]]], size: int) -> Bools:
    """Return the matrix of all preferences that follow from *tiers*, the documents of a subgroup with the same level.

    Raise CycleError if a document is preferred to itself by way of others.
    """
    # Between two tiers is a node that stands for the lower one, so that there are about as many edges as lines.
    below: dict[int, list[int]] = {place: [] for place in range(size)}
    for node, ((subgroup, upper), (next_subgroup, lower)) in enumerate(pairwise(tiers), size + 1):
        if subgroup == next_subgroup:
            below[node] = lower
            for place in upper:
                below[place].append(node)
    reached = np.zeros((size + len(tiers), size + 1), dtype=bool)
    for node in TopologicalSorter(below).static_order():
        for other in below[node]:
            reached[node] |= reached[other]
            if other < size:
                reached[node, other] = True
    return reached[: size + 1].copy()


def _refuse_mixed_levels(lines: pl.DataFrame, where: Callable[[int], str]) -> None:
    """Refuse a document that is relevant in one subgroup of a group and not relevant in another."""
    level = pl.col("value")
    both = lines.filter((level == 0).any().over("doc") & (level > 0).any().over("doc"))
    if both.is_empty():
        return
    rows = both.filter(pl.col("doc") == both["doc"][0]).sort("row")
    zero, above = (rows.filter(condition).row(0, named=True) for condition in (level == 0, level > 0))
    raise InputError(
        f"{where(max(zero['row'], above['row']))}: document {zero['doc']} has level 0 at {where(zero['row'])} and "
        f"level {above['value']:g} at {where(above['row'])}, in two subgroups of {_name_group(rows)}; "
        "write 0 in both or in neither"
    )


def _name_group(lines: pl.DataFrame) -> str:
    return f"group {lines['group'][0]} of topic {lines['topic'][0]}"


class Share(NamedTuple):
    """Number of possible preferences (or pairs of documents) and how many of them are fulfilled."""

    fulfilled: float
    possible: int

    def ratio(self, undefined: float = 0.0) -> float:
        """Return the share that is fulfilled, or *undefined* if nothing is possible."""
        return self.fulfilled / self.possible if self.possible else undefined


@dataclass(frozen=True, eq=False)
class RankedGroup:
    """A group and the places of its documents in *order*: the first *retrieved* by rank, then the others by id."""

    group: Group
    order: Ints
    retrieved: int

    @cached_property
    def shares(self) -> dict[str, Share]:
        """Fulfilled preferences, by the ending of the measures that count them."""
        above, below = np.split(self.order, [self.retrieved])
        count = self.group.count
        ret = Share(count(above, above, in_order=True), count(above, above))
        implied, missed = count(above, below), count(below, above)
        imp = Share(ret.fulfilled + implied, ret.possible + implied + missed)
        return {"": Share(imp.fulfilled, imp.possible + count(below, below)), "_ret": ret, "_imp": imp}

    def balanced(self, ending: str) -> float:
        """Return f' / p' of Rnonrel or Rnonrel_ret; nan if p' is 0."""
        level, complete = self.group.level[self.order], self.group.matrix is None
        seen = self.retrieved if ending == "_ret" else len(level)
        relevant, hits = int((level > 0).sum()), int((level[: self.retrieved] > 0).sum())
        target = hits if ending == "_ret" else relevant
        lacking = target - int((level[:seen] <= 0 if complete else level[:seen] == 0).sum())
        if lacking >= 0:
            fulfilled, possible = self.shares[ending]
            return Share(fulfilled + hits * lacking, possible + relevant * lacking).ratio(np.nan)
        if not complete:
            return self._drop(np.flatnonzero(level == 0)[relevant:]).shares[ending].ratio(np.nan)
        lowest = np.flatnonzero(level == level.min())
        fulfilled, possible = self._drop(lowest).shares[ending]
        kept = lowest[:target]
        kept = kept[kept < seen]
        before = int(np.minimum(kept, self.retrieved).sum())
        return Share(fulfilled + before, possible + seen * len(kept)).ratio(np.nan)

    def _drop(self, ranks: Ints) -> RankedGroup:
        retrieved = self.retrieved - int((ranks < self.retrieved).sum())
        return RankedGroup(self.group, np.delete(self.order, ranks), retrieved)


def _topic_values(groups: Sequence[Group], order: Ints, retrieved: int) -> dict[str, float]:
    """Every preference measure for a topic whose documents are in *order*, the first *retrieved* by rank."""
    places: list[Ints] = []
    ranked: list[RankedGroup] = []
    for group in groups:
        place = np.full(len(order), len(group.member))
        place[group.member] = np.arange(len(group.member))
        places.append(place[order])
        inside = places[-1] < len(group.member)
        ranked.append(RankedGroup(group, places[-1][inside], int(inside[:retrieved].sum())))
    shares = {ending: [each.shares[ending] for each in ranked] for ending in ("", "_ret", "_imp")}
    total = {ending: Share(*map(sum, zip(*each, strict=True))) for ending, each in shares.items()}
    pairs = _pair_shares(groups, places, retrieved) if len(groups) > 1 else total
    values: dict[str, float] = {
        "num_q": 1,
        "prefs_num_prefs_poss": total[""].possible,
        "prefs_num_prefs_ful": total[""].fulfilled,
        "prefs_num_prefs_ful_ret": total["_ret"].fulfilled,
        "prefs_avgjg_Rnonrel": _mean([each.balanced("") for each in ranked]),
        "prefs_avgjg_Rnonrel_ret": _mean([each.balanced("_ret") for each in ranked]),
    }
    for ending, of_groups in shares.items():
        values[f"prefs_simp{ending}"] = total[ending].ratio()
        values[f"prefs_pair{ending}"] = pairs[ending].ratio()
        values[f"prefs_avgjg{ending}"] = _mean([share.ratio() for share in of_groups])
    return values


def _mean(ratios: Sequence[float]) -> float:
    """Return the mean over groups, added one after the other; a sum that is nan counts as 0, as in trec_eval."""
    total = 0.0
    for ratio in ratios:
        total += ratio
    return total / len(ratios) if total > 0 else 0.0


def _pair_shares(groups: Sequence[Group], places: Sequence[Ints], retrieved: int) -> dict[str, Share]:
    """Sum, over pairs of documents on which a group has a preference, the share of these that is fulfilled."""
    above, below = [place[:retrieved] for place in places], [place[retrieved:] for place in places]
    ret = _add_pairs(groups, above, above, Share(0.0, 0), in_order=True)
    imp = _add_pairs(groups, above, below, ret)
    neither = _add_pairs(groups, below, below, Share(0.0, 0), in_order=True)
    return {"": Share(imp.fulfilled, imp.possible + neither.possible), "_ret": ret, "_imp": imp}


def _add_pairs(
    groups: Sequence[Group], left: Sequence[Ints], right: Sequence[Ints], before: Share, in_order: bool = False
) -> Share:
    """Add the pairs of a left and a right document, row by row, in the order in which trec_eval adds their shares."""
    total, number = before
    rows = _rows_at_a_time(right[0])
    for begin in range(0, len(left[0]), rows):
        over = np.zeros((len(left[0][begin : begin + rows]), len(right[0])), dtype=np.min_scalar_type(len(groups)))
        under = np.zeros_like(over)
        for group, place, other in zip(groups, left, right, strict=True):
            over += group.prefers(place[begin : begin + rows], other)
            under += group.prefers(other, place[begin : begin + rows]).T
        compared = np.triu(over + under > 0, begin + 1) if in_order else over + under > 0
        fulfilled, failed = over[compared].astype(np.float64), under[compared].astype(np.float64)
        total = float(np.cumsum(np.concatenate([[total], fulfilled / (fulfilled + failed)]))[-1])
        number += len(fulfilled)
    return Share(total, number)
