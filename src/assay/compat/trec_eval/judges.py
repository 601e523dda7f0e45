r"""Measures averaged over several judges of a topic: ``-R qrels_jg`` and ``-m qrels_jg`` of trec_eval.

Each judge of a topic has judgments of their own, and a measure is computed with each of them as if there were no other.
The value of the topic is the mean over the judges who judged anything for it, even if only documents that are not
relevant (their value is then 0) or only documents with a negative grade (pooled but not judged).

========================= ===========================================================================================
``map_avgjg``             average precision: the sum of the precisions at the relevant documents that were retrieved,
                          over the number R of documents that are relevant for the judge
``P_avgjg_<k>``           the share of relevant documents among the first k; ranks left empty are not relevant
``Rprec_mult_avgjg_<x>``  precision at the rank trunc(x R + 0.9); 0 if that is rank 0
========================= ===========================================================================================

A document is relevant if its grade, of which only the whole part counts, is at least *rel* (``-l``) and not negative.
Tied documents go descending by id.
*most* (``-M``) cuts the ranking first; then *judged_only* (``-J``) takes out, for each judge, the documents which that
judge did not judge, and ranks close up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.compat.trec_eval.groups import check_ties
from assay.compat.trec_eval.parameters import cut_notes, decimals
from assay.compat.trec_eval.reading import prepare_qrels
from assay.io import groups as reader
from assay.io import source as sources
from assay.io.keys import keys
from assay.io.table import Table
from assay.measures._trec_eval import CUTOFFS, MULTIPLES
from assay.measures.average_precision import AP
from assay.measures.precision import P, RprecMult
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run


class Judges:
    """The judgments of several judges, topic by topic. Immutable.

    *topics* are in the byte order of their ids. Made by :func:`read_judges`.
    """

    def __init__(self, read: reader.Groups) -> None:
        self.source = read.source
        self.digest = read.digest
        # Not judge by judge, of whom there may be many with few topics each, but the first of every topic, then the
        # second: that takes the fewest joins.
        turn = pl.col("judge").rank("dense").over("topic")
        frames = read.frame.with_columns(turn=turn).partition_by("turn", include_key=False, as_dict=True)
        self._turns = [_qrels(frames[each], read) for each in sorted(frames)]
        self.topics = self._turns[0].topics
        grade = read.frame["value"].to_numpy()
        self.notes = (*read.notes, *cut_notes(read.source, int((grade != np.trunc(grade)).sum())))

    def __repr__(self) -> str:
        return f"Judges(up to {len(self._turns)} for each of {len(self.topics)} topics)"

    def turns(self) -> list[tuple[Qrels, Ints]]:
        """Judgments of one judge for each topic, until every judge had a turn, and the numbers of their topics."""
        number = {topic: place for place, topic in enumerate(self.topics)}
        return [(qrels, np.array([number[topic] for topic in qrels.topics])) for qrels in self._turns]


def read_judges(path: str) -> Judges:
    """Read judgments (topic, judge, document, grade) from a text file, perhaps compressed; ``-`` is standard input."""
    return Judges(reader.read(prepare_qrels(sources.read(path)), "qrels_jg"))


def _qrels(frame: pl.DataFrame, read: reader.Groups) -> Qrels:
    rows = frame.select("topic", "doc", pl.Series("value", np.trunc(frame["value"].to_numpy())))
    return Qrels(Table(read.source, rows, keys(rows["topic"], rows["doc"]), read.where, digest=read.digest))


def judge_values(
    judges: Judges,
    run: Run,
    *,
    rel: float = 1,
    ties: str = "trec_eval-10",
    most: int | None = None,
    judged_only: bool = False,
    cutoffs: Sequence[int] = CUTOFFS,
    multiples: Sequence[float] = MULTIPLES,
) -> tuple[dict[str, Floats], Bools]:
    """Every measure for each topic, by its name in trec_eval, and which topics the run has.

    Parameters
    ----------
    judges, run
        The judgments, and what was retrieved; a topic that the run lacks has the value 0.
    rel
        The lowest grade that counts as relevant.
    ties
        ``trec_eval-10`` compares scores as doubles, ``trec_eval-9`` as 32-bit floats.
    most
        Only so many documents from the top count.
    judged_only
        Whether documents without a judgment are taken out.
    cutoffs, multiples
        What P_avgjg and Rprec_mult_avgjg are computed for.
    """
    check_ties(ties)
    totals: dict[str, Floats] = {}
    number = np.zeros(len(judges.topics))
    answered = np.zeros(len(judges.topics), dtype=bool)
    for qrels, topics in judges.turns():
        judged = Judged.join(qrels, [run], Policies(ties=ties))
        answered[topics] |= judged.answered
        judged = judged if most is None else judged.top(most)
        judged = _binary(judged.condensed() if judged_only else judged, rel)
        number[topics] += 1
        for name, values in _scores(judged, cutoffs, multiples).items():
            totals.setdefault(name, np.zeros(len(number)))[topics] += values
    return {name: total / number for name, total in totals.items()}, answered


def _binary(judged: Judged, rel: float) -> Judged:
    """The same rankings with grade 1 for relevant documents and 0 for others; *rel* may be 0, as trec_eval allows."""
    return judged.regraded((judged.levels >= max(rel, 0)).astype(np.float64))


def _scores(judged: Judged, cutoffs: Sequence[int], multiples: Sequence[float]) -> dict[str, Floats]:
    scores = {"map_avgjg": AP().score(judged)}
    for cutoff in cutoffs:
        scores[f"P_avgjg_{cutoff}"] = P(cutoff=cutoff).score(judged)
    for multiple in multiples:
        score = RprecMult(multiple=multiple).score(judged) if multiple > 0 else np.zeros(len(judged))
        scores[decimals("Rprec_mult_avgjg", multiple)] = score
    return scores
