"""Which documents to judge next: those whose judgment shrinks the uncertainty of the values of runs most.

A document that nobody has judged leaves the value of every run that retrieved it open by the weight of its rank times
the range of the gains. Summed over runs that is what its judgment removes, whatever the grade (see ``_stakes``), so
judging in the order of this sum leaves after every number of judgments the least uncertainty that is possible.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import whole
from assay.model.notes import count
from assay.uncertainty._campaign import Campaign, read_campaign
from assay.uncertainty._stakes import Documents, Stakes, numbers_of, pair_of, signed

FEW = 100
"""How many documents unless another number is asked for."""
_COLUMNS = ("topic", "doc", "weight", "runs", "best_rank", "grade", "remaining")


@dataclass(frozen=True, eq=False)
class JudgeNext:
    """What :func:`judge_next` returns.

    Attributes
    ----------
    measure
        The measure whose uncertainty is to shrink.
    documents
        How many unjudged documents matter to it.
    before
        The uncertainty as it is: the width of the interval in which the value lies, in the mean over runs and topics
        (of two runs to compare, that of their difference, over topics).
    """

    measure: Measure
    documents: int
    before: float
    compared: tuple[str, ...]
    table: pl.DataFrame
    provenance: dict[str, Any]
    read: tuple[str, ...]

    def __repr__(self) -> str:
        return f"JudgeNext({len(self.table)} of {self.documents} unjudged documents, for {self.measure})"

    def frame(self) -> pl.DataFrame:
        """The documents, best first: topic, doc, weight, runs, best_rank, grade, remaining.

        *weight* is what is at stake, summed over runs; *runs* is how many runs retrieved it, *best_rank* the best rank
        it has there; *grade* is null unless the qrels hold a negative one; *remaining* is the uncertainty when this
        document and those before it are judged.
        """
        return self.table.clone()

    @property
    def after(self) -> float:
        """The uncertainty when all of these are judged."""
        return float(self.table["remaining"][-1]) if len(self.table) else self.before

    def lines(self, grade: str = "?") -> str:
        """Lines of TREC qrels, with *grade* where the judge is to write the grade."""
        for name in ("topic", "doc"):
            blank = self.table[name].str.contains(r"\s")
            if blank.any():
                raise InputError(
                    f"{name} {self.table[name].filter(blank)[0]!r}: holds a blank, no line of TREC qrels can"
                )
        rows = self.table.select("topic", "doc").iter_rows()
        return "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc in rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What judging these achieves, and that some stand in the qrels already."""
        whose = f"the difference of {self.compared[0]} and {self.compared[1]}" if self.compared else "the runs"
        said = (
            f"{self.measure}: judging {len(self.table)} of {count(self.documents, 'unjudged document')} takes the mean "
            f"uncertainty of {whose} from {self.before:.4f} to {self.after:.4f}"
        )
        marked = len(self.table) - self.table["grade"].null_count()
        negative = (
            f"{count(marked, 'document')} with a negative grade counted as unjudged; change the grade where it stands "
            "in the qrels, a second line would be refused"
        )
        return (*self.read, said, *([negative] if marked else []))


@check_arguments
def judge_next(
    qrels: Any | None,
    runs: Any,
    measure: str | Measure = "RBP(p=0.8)",
    *,
    n: int | None = None,
    per_topic: int | None = None,
    topics: str | Sequence[str] | None = None,
    compare: Sequence[str] | None = None,
    all_topics: bool = False,
    ties: str = "trec_eval-10",
    lenient: bool = False,
    progress: Progress | None = None,
) -> JudgeNext:
    """Rank unjudged documents by how much judging them shrinks the uncertainty of the values of runs.

    The weights do not depend on the grades that the documents turn out to have: the list need not be made again while
    it is worked through. Ties go to the better rank, then by topic and document. Documents with a negative grade
    count as unjudged. What a ranking does not hold is not counted, as nobody could judge it (of RBP, the tail p^n).

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``; *qrels* may be None when nothing has been judged.
    measure
        A sum over ranks that needs no recall base, such as ``RBP(p=0.8)``, ``P@10``, ``DCG@10``, ``INSQ(T=2)``.
    n
        How many documents, at most; by default 100, with *per_topic* no limit.
    per_topic
        How many documents of each topic, at most.
    topics
        Only these topics.
    compare
        The names of two runs: rank by how much the uncertainty of their difference shrinks.
    all_topics
        Also documents of topics that have no judgments at all.
    ties, lenient, progress
        As in ``evaluate``. If ties are ``expected``, tied documents share the weights of their ranks.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4.
    Moffat, Webber & Zobel, *Strategic system comparisons via targeted relevance judgments*, SIGIR 2007.

    Examples
    --------
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> judge_next({"q": {"a": 1}}, runs, "RBP(p=0.5)").frame().select("doc", "weight", "remaining").rows()
    [('c', 0.625, 0.25), ('b', 0.5, 0.0)]
    """
    for name, number in (("n", n), ("per_topic", per_topic)):
        if number is not None:
            whole(name, number, 1)
    most = n if n is not None else FEW if per_topic is None else sys.maxsize
    chosen = parse_measure(measure)
    # The depth of the measure is enough, unless documents share ranks on both sides of it.
    cut = Stakes.of(chosen, np.zeros(0)).cutoff if ties != "expected" else None
    campaign = read_campaign(
        qrels, runs, ties, depth=cut, all_topics=all_topics or qrels is None, lenient=lenient, progress=progress
    )
    stakes = Stakes.of(chosen, campaign.levels)
    pair = None if compare is None else pair_of(campaign, compare)
    wanted = numbers_of(campaign.topics, topics, "topic")
    documents = _unjudged(campaign, stakes, pair, wanted)
    cells = len(wanted) * (len(campaign.runs) if pair is None else 1)
    before = float(documents.weight.sum()) / max(cells, 1)
    return JudgeNext(
        measure=chosen,
        documents=len(documents.weight),
        before=before,
        compared=() if pair is None else (campaign.runs[pair[0]], campaign.runs[pair[1]]),
        table=_table(campaign, documents, most, per_topic, cells),
        provenance={**campaign.provenance.as_dict(), "measure": str(chosen)},
        read=campaign.notes,
    )


def _unjudged(campaign: Campaign, stakes: Stakes, pair: tuple[int, int] | None, topics: list[int]) -> Documents:
    """The documents without a grade that matter to the measure."""
    weight = stakes.of_rows(campaign)
    matters, worth = signed(campaign, weight, pair)
    matters &= campaign.unsettled()
    if len(topics) < len(campaign.topics):
        matters &= np.isin(campaign.ranking % len(campaign.topics), topics)
    rows = np.flatnonzero(matters)
    return Documents.of(campaign, rows, worth[rows])


def _table(campaign: Campaign, documents: Documents, n: int, per_topic: int | None, cells: int) -> pl.DataFrame:
    """The first documents, best first, and what remains behind each."""
    some = np.flatnonzero(documents.weight > 0)
    group = np.zeros(len(some), dtype=np.int64) if per_topic is None else documents.topic[some]
    some = some[_shortlist(documents, some, group, min(per_topic or n, len(some)))]
    grade = np.concatenate([[np.nan], campaign.levels])[documents.code[some]]
    frame = pl.DataFrame(
        {
            "number": documents.topic[some],
            "topic": pl.Series(campaign.topics, dtype=pl.String).gather(documents.topic[some]),
            "doc": documents.names(campaign, some),
            "rounded": documents.rounded[some],
            "weight": documents.weight[some],
            "runs": documents.runs[some],
            "best_rank": documents.best[some],
            "grade": pl.Series(grade, dtype=pl.Float64).fill_nan(None),
        }
    ).sort("rounded", "best_rank", "number", "doc", descending=[True, False, False, False])
    if per_topic is not None:
        frame = frame.filter(pl.int_range(pl.len()).over("number") < min(per_topic, len(frame)))
    frame = frame.head(min(n, len(frame)))
    left = _left(documents.weight, frame["weight"].to_numpy())
    return frame.with_columns(remaining=pl.Series(left / max(cells, 1), dtype=pl.Float64)).select(_COLUMNS)


def _shortlist(documents: Documents, some: Ints, group: Ints, most: int) -> Ints:
    """Which of *some* documents can be among the first *most* of their group; ids, which settle ties, are not read."""
    weight, best = documents.rounded[some], documents.best[some]
    order = np.lexsort((best, -weight, group))
    group, weight, best = group[order], weight[order], best[order]
    size = np.bincount(group)
    start = np.cumsum(size) - size
    last = (start + np.minimum(np.maximum(size, 1), most) - 1)[group]
    keep = (np.arange(len(order)) <= last) | ((weight == weight[last]) & (best == best[last]))
    return np.asarray(order[keep])


def _left(weights: Floats, taken: Floats) -> Floats:
    """What is left of all weights behind each of those that are taken; exactly 0 when all are."""
    rest = float(weights.sum()) - float(taken.sum()) if len(taken) < np.count_nonzero(weights) else 0.0
    return np.asarray(np.cumsum(taken[::-1])[::-1] - taken + max(rest, 0.0))
