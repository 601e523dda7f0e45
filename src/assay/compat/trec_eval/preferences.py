r"""The preference measures of trec_eval: ``-R prefs``, ``-R qrels_prefs`` and ``-m all_prefs``.

Judgments come in groups (one person, one information need), each perhaps in subgroups. A group prefers document *a* to
document *b* if it gives *a* the higher level in a subgroup that has both, or if that follows from several subgroups
(see :mod:`.groups`). Each group of a topic has its preferences by itself, and they may contradict those of another
group. A document of a level above 0 is relevant for the group; level 0 says that it is not.

The ranking is that of the run, cut at *most* documents: by score, and tied documents **ascending** by id, where
trec_eval's other measures put them descending. Unjudged documents do not matter, nor do ``-J`` and ``-l``. A preference
of *a* over *b* is *fulfilled* if *a* stands before *b*, or if only *a* was retrieved. Let, for a group,

* p be its preferences, and f those fulfilled (if neither document was retrieved, it is not),
* p_ret and f_ret the same for preferences between two retrieved documents,
* p_imp and f for preferences of which at least one document was retrieved (f is the same as above).

Values of a topic, where sums are over its groups and n is their number:

=========================== =========================================================================================
``prefs_num_prefs_poss``    sum of p; topics are summed, not averaged
``prefs_num_prefs_ful``     sum of f; topics are summed
``prefs_num_prefs_ful_ret`` sum of f_ret; topics are summed
``prefs_simp``              sum of f / sum of p
``prefs_pair``              the mean, over pairs of documents on which a group has a preference, of the share of these
                            preferences that is fulfilled (0 if neither document was retrieved)
``prefs_avgjg``             (1/n) sum of f / p
``prefs_avgjg_Rnonrel``     (1/n) sum of f' / p', see below
``..._ret``                 the same with f_ret and p_ret: only pairs of retrieved documents
``..._imp``                 the same with f and p_imp: only pairs of which at least one document was retrieved
=========================== =========================================================================================

A ratio with nothing below the line is 0.

*Rnonrel* balances the number of documents that are not relevant. Let a group have R relevant documents, r of them
retrieved, and N that are not relevant.

* If R >= N, then f' = f + r (R - N) and p' = p + R (R - N): as if R - N more documents that are not relevant had been
  judged and not retrieved.
* If R < N in a complete group, the lowest level keeps only its first R documents: those that were retrieved by rank,
  then the others by id. To the preferences between documents above that level come pairs of **any** document of the
  group, those of the lowest level among them, with each kept one. Such a pair is fulfilled if the first was retrieved
  and stands before the second, so that documents of the lowest level also count against each other and themselves.
* If R < N in a partial group, the documents of level 0 after the first R of them are left out.

``prefs_avgjg_Rnonrel_ret`` takes f_ret and p_ret, and compares r with the number of *retrieved* documents that are not
relevant: if r is not below it, f' = f_ret + r (r - N_ret) and p' = p_ret + R (r - N_ret), with R over all documents. A
complete group keeps the first r of the lowest level, and only retrieved documents form pairs; a partial group keeps the
first R (not r). In both measures a group with p' = 0 makes the value of the topic 0, whatever the other groups say (in
C, 0/0 turns the sum into nan). A level below 0 counts as not relevant in a complete group and as neither in a partial
one.

All of this is what trec_eval 10 computes, to the last bit, but for Rnonrel of a complete group whose lowest level is
below 0 and has fewer than R documents: there it reads beyond its memory, and here the whole level is kept. What is
taken differs a little: a document that stands twice in a subgroup is refused here (trec_eval counts it twice), and so
are contradictions in topics that the run does not have. trec_eval 9 also rounds levels to 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from graphlib import CycleError
from itertools import pairwise

import numpy as np
import polars as pl

from assay.compat.trec_eval.fulfilment import topic_values
from assay.compat.trec_eval.groups import Group, check_ties, complete, in_cycle, partial
from assay.errors import InputError
from assay.io import groups as reader
from assay.io import source as sources
from assay.model.arrays import Bools, Floats, Ints
from assay.model.run import Run

PREFERENCE_MEASURES = (
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
)
PREFERENCE_COUNTS = PREFERENCE_MEASURES[:3]
"""Measures that are whole numbers and are summed over topics."""


class Preferences:
    """Which documents people prefer to which, topic by topic and group by group. Immutable.

    *topics* are in the byte order of their ids. Made by :func:`read_preferences`.
    """

    def __init__(self, read: reader.Groups) -> None:
        self.source = read.source
        self.digest = read.digest
        frame = read.frame.with_row_index("row")
        if "subgroup" not in frame.columns:
            frame = frame.with_columns(subgroup=pl.lit("0"))
        documents = frame.select("topic", "doc").unique().sort("topic", "doc")
        self._documents = documents.with_columns(
            number=pl.int_range(pl.len()).over("topic"), topic_number=pl.col("topic").rle_id().cast(pl.Int64)
        )
        self.topics: tuple[str, ...] = tuple(documents["topic"].unique(maintain_order=True).to_list())
        lines = frame.join(self._documents, on=["topic", "doc"], how="left")
        lines = lines.sort("topic", "group", "subgroup", "value", descending=[False, False, False, True])
        self._groups: list[list[Group]] = [[] for _ in self.topics]
        for topic, group in _made(lines, read):
            self._groups[topic].append(group)
        self._sizes: list[int] = documents["topic"].rle().struct.field("len").to_list()

    def __repr__(self) -> str:
        groups = sum(map(len, self._groups))
        return f"Preferences({groups} group{'s' * (groups != 1)} of {len(self.topics)} topics)"

    def placed(self, run: Run, ties: str, most: int | None) -> tuple[list[tuple[Ints, int]], Bools]:
        """For each topic its documents by number, the retrieved ones first and by rank, and how many those are.

        Also says which topics the run has.
        """
        rows = run.frame().join(self._documents.select("topic").unique(), on="topic", how="semi")
        if ties == "trec_eval-9":
            rows = rows.with_columns(pl.col("score").cast(pl.Float32))
        known = set(rows["topic"].unique().to_list())
        answered = np.array([topic in known for topic in self.topics], dtype=bool)
        if most is not None:
            rows = rows.sort("topic", "score", "doc", descending=[False, True, False])
            rows = rows.filter(pl.int_range(pl.len()).over("topic") < most)
        found = rows.join(self._documents, on=["topic", "doc"], how="inner")
        topic, number, score = (found[column].to_numpy() for column in ("topic_number", "number", "score"))
        # Numbers of documents ascend as their ids do, so that they put tied documents in order.
        by_rank = np.lexsort((number, -score, topic))
        first = np.searchsorted(topic[by_rank], np.arange(len(self.topics) + 1)).tolist()
        retrieved = [number[by_rank[begin:end]] for begin, end in pairwise(first)]
        orders = [
            (np.concatenate([ranked, np.setdiff1d(np.arange(size), ranked)]), len(ranked))
            for ranked, size in zip(retrieved, self._sizes, strict=True)
        ]
        return orders, answered

    def values(self, topic: int, order: Ints, retrieved: int) -> dict[str, float]:
        """Every measure for one topic, whose documents stand in *order*, the first *retrieved* by rank."""
        return topic_values(self._groups[topic], order, retrieved)


def read_preferences(path: str, layout: str = "prefs") -> Preferences:
    """Read preferences from a text file, perhaps compressed.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    layout
        ``prefs`` (topic, group, subgroup, document, level) or ``qrels_prefs`` (topic, group, document, level).
    """
    return Preferences(reader.read(sources.read(path), layout))


def preference_values(
    preferences: Preferences, run: Run, *, ties: str = "trec_eval-10", most: int | None = None
) -> tuple[dict[str, Floats], Bools]:
    """Every preference measure for each topic of the preferences, and which topics the run has.

    Parameters
    ----------
    preferences, run
        What people prefer, and what was retrieved. A topic that the run lacks is an empty ranking, as with ``-c``:
        all values are 0, but for ``prefs_num_prefs_poss``.
    ties
        ``trec_eval-10`` compares scores as doubles, ``trec_eval-9`` as 32-bit floats.
    most
        Only so many documents from the top count (``-M``).
    """
    check_ties(ties)
    orders, answered = preferences.placed(run, ties, most)
    values = {name: np.zeros(len(preferences.topics)) for name in PREFERENCE_MEASURES}
    for topic, (order, retrieved) in enumerate(orders):
        for name, value in preferences.values(topic, order, retrieved).items():
            values[name][topic] = value
    return values, answered


# Reading ---------------------------------------------------------------------------------------------------


def _made(lines: pl.DataFrame, read: reader.Groups) -> Iterable[tuple[int, Group]]:
    """The number of the topic and the group, for each group; *lines* go by topic, group, subgroup and level."""
    group = lines.select(pl.struct("topic", "group").rle_id()).to_series().to_numpy()
    subgroup = lines.select(pl.struct("topic", "group", "subgroup").rle_id()).to_series().to_numpy().astype(np.int64)
    topic, document, level = (lines[column].to_numpy() for column in ("topic_number", "number", "value"))
    starts = np.flatnonzero(np.diff(group, prepend=-1, append=-1)).tolist()
    for begin, end in pairwise(starts):
        part = slice(begin, end)
        if subgroup[begin] == subgroup[end - 1]:
            yield int(topic[begin]), complete(document[part], level[part])
            continue
        _refuse_both(lines[part], read.where)
        try:
            yield int(topic[begin]), partial(document[part], level[part], subgroup[part])
        except CycleError as error:
            raise _circular(lines[part], in_cycle(error.args[1], document[part]), read.source) from None


def _refuse_both(lines: pl.DataFrame, where: Callable[[int], str]) -> None:
    """Refuse a document that is relevant in one subgroup of a group and not relevant in another."""
    level = pl.col("value")
    both = lines.filter((level == 0).any().over("doc") & (level > 0).any().over("doc"))
    if len(both):
        rows = both.filter(pl.col("doc") == both["doc"][0]).sort("row")
        zero, above = rows.filter(level == 0), rows.filter(level > 0)
        found = f"level 0 at {where(zero['row'][0])} and level {above['value'][0]:g} at {where(above['row'][0])}"
        raise InputError(
            f"{where(max(zero['row'][0], above['row'][0]))}: document {rows['doc'][0]} has {found}, in two subgroups "
            f"of {_named(rows)}; write 0 in both or in neither"
        )


def _circular(lines: pl.DataFrame, pair: tuple[int, int], source: str) -> InputError:
    one, other = (lines.filter(pl.col("number") == number)["doc"][0] for number in pair)
    return InputError(
        f"{source}: {_named(lines)} prefers document {one} to {other} and {other} to {one}, perhaps by way of others; "
        "correct its subgroups, or write different opinions as different groups"
    )


def _named(lines: pl.DataFrame) -> str:
    return f"group {lines['group'][0]} of topic {lines['topic'][0]}"
