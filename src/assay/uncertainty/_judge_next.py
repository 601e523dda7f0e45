"""Documents to judge next: those whose judgment shrinks the uncertainty of the values of runs most.

An unjudged document leaves the value of every run that retrieved it uncertain by the weight of its rank times the range
of the gains. Its judgment removes the sum of this over runs, whatever the grade (see ``_stakes``). Judging in the order
of these sums therefore leaves the least possible uncertainty after any number of judgments.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import find_positions, whole
from assay.model.notes import count
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings
from assay.results.report import Report
from assay.results.tables import Table, drop_fractions
from assay.uncertainty._stakes import Candidates, Stakes, find_pair, relevant_rows, stakes_rankings

MEASURE = "RBP(p=0.8)"
FEW = 100
"""Default number of documents."""
_COLUMNS = ("topic", "doc", "weight", "runs", "best_rank", "grade", "remaining")


@dataclass(frozen=True, eq=False)
class JudgeNext(Report):
    """Documents to judge next, and the uncertainty that this removes.

    Attributes
    ----------
    measure
        The measure whose uncertainty is to shrink.
    documents
        Number of unjudged documents that matter to it.
    before
        The present uncertainty: the width of the interval in which the value lies, in the mean over runs and topics
        (for a pair of runs: that of their difference, over topics).
    pair
        The two runs whose difference is to become more certain, if any.
    chosen
        The documents, best first.
    """

    measure: Measure
    documents: int
    before: float
    pair: tuple[str, ...]
    chosen: pl.DataFrame
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "judge_next"
    tables: ClassVar[Mapping[str, str]] = {"documents": "the documents to judge, best first"}

    def __repr__(self) -> str:
        return f"JudgeNext({len(self.chosen)} of {self.documents} unjudged documents, for {self.measure})"

    def frame(self) -> pl.DataFrame:
        """Return the documents, best first: topic, doc, weight, runs, best_rank, grade, remaining.

        *weight* is the uncertainty that the judgment removes, summed over runs; *runs* the number of runs with this
        document, *best_rank* its best rank in these; *grade* is null unless the qrels have a negative one; *remaining*
        is the uncertainty when this document and those before it are judged.
        """
        return self.chosen.clone()

    @property
    def after(self) -> float:
        """The uncertainty when all of these documents are judged."""
        return float(self.chosen["remaining"][-1]) if len(self.chosen) else self.before

    def lines(self, grade: str = "?") -> str:
        """Return lines of TREC qrels, with *grade* where the judge is to write the grade."""
        for name in ("topic", "doc"):
            blank = self.chosen[name].str.contains(r"\s")
            if blank.any():
                raise InputError(
                    f"{name} {self.chosen[name].filter(blank)[0]!r}: contains a blank, which TREC qrels do not allow"
                )
        rows = self.chosen.select("topic", "doc").iter_rows()
        return "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc in rows)

    def summary(self) -> str:
        """Return how much uncertainty the judgments of these documents remove."""
        whose = f" of the difference of {self.pair[0]} and {self.pair[1]}" if self.pair else ""
        if not len(self.chosen):
            return f"No unjudged document changes {self.measure}{whose}: nothing to judge."
        return (
            f"Judging {len(self.chosen)} of {count(self.documents, 'unjudged document')} reduces the mean uncertainty "
            f"of {self.measure}{whose} from {self.before:.4f} to {self.after:.4f}."
        )

    def _show_documents(self) -> Table:
        frame = self.frame()
        grade = ["grade"] if frame["grade"].null_count() < len(frame) else []
        compact = drop_fractions(frame, *grade).select(
            pl.int_range(1, pl.len() + 1).alias("rank"),
            "topic",
            pl.col("doc").alias("document"),
            "runs",
            pl.col("best_rank").alias("best rank"),
            *grade,
            "weight",
            pl.col("remaining").alias("uncertainty after"),
        )
        return Table(
            frame,
            compact,
            caption="runs: that retrieved it; weight: the uncertainty that its judgment removes, summed over runs; "
            "uncertainty after: mean width of the interval of a value when it and all before are judged",
        )


@check_arguments
def judge_next(
    campaign: Campaign,
    measure: str | Measure = MEASURE,
    *,
    n: int | None = None,
    per_topic: int | None = None,
    topics: str | Sequence[str] | None = None,
    pair: Sequence[str] | None = None,
    all_topics: bool = False,
) -> JudgeNext:
    """Rank unjudged documents by how much judging them shrinks the uncertainty of the values of runs.

    The weights do not depend on the grades that the documents turn out to have: the list stays valid while it is worked
    through. Equal weights are ordered by rank, topic and document. Documents with a negative grade count as unjudged.
    Documents after the end of a ranking do not count, as nobody could judge them (for RBP: the tail p^n).

    Parameters
    ----------
    campaign
        Judgments (None if nothing has been judged) and runs. If ties are ``expected``, tied documents share the weights
        of their ranks.
    measure
        A weighted sum over ranks without a recall base, such as ``RBP(p=0.8)``, ``P@10``, ``DCG@10``, ``INSQ(T=2)``.
    n
        Maximum number of documents; by default 100, with *per_topic* no limit.
    per_topic
        Maximum number of documents of each topic.
    topics
        Only these topics.
    pair
        The names of two runs: rank by how much the uncertainty of their difference shrinks.
    all_topics
        Also documents of topics that have no judgments at all.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4.
    Moffat, Webber & Zobel, *Strategic system comparisons via targeted relevance judgments*, SIGIR 2007.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
    >>> campaign = assay.read({"q": {"a": 1}}, runs)
    >>> judge_next(campaign, "RBP(p=0.5)").frame().select("doc", "weight", "remaining").rows()
    [('c', 0.625, 0.25), ('b', 0.5, 0.0)]
    """
    for name, number in (("n", n), ("per_topic", per_topic)):
        if number is not None:
            whole(name, number, 1)
    most = n if n is not None else FEW if per_topic is None else sys.maxsize
    chosen = parse_measure(measure)
    rankings = stakes_rankings(campaign, chosen, all_topics=all_topics)
    if topics is not None:
        wanted = np.sort(find_positions(rankings.topics, topics, "topic"))
        if not len(wanted):
            raise InputError("topics: name at least one topic")
        rankings = rankings.select(topics=[rankings.topics[i] for i in wanted])
    two = None if pair is None else find_pair(campaign.runs, pair)
    documents = _find_unjudged(rankings, Stakes.of(chosen, rankings.levels), two)
    cells = len(rankings.topics) * (len(campaign.runs) if two is None else 1)
    names = () if two is None else (campaign.runs[two[0]], campaign.runs[two[1]])
    frame = _tabulate(rankings, documents, most, per_topic, cells)
    settings = {"measure": str(chosen), "n": n, "per_topic": per_topic, "pair": list(names), "all_topics": all_topics}
    only = None if topics is None else list(rankings.topics)
    return JudgeNext(
        measure=chosen,
        documents=len(documents.weight),
        before=float(documents.weight.sum()) / max(cells, 1),
        pair=names,
        chosen=frame,
        provenance=campaign.provenance.with_settings(**settings, topics=only),
        notes=(*campaign.notes, *_grade_notes(frame)),
    )


def _grade_notes(frame: pl.DataFrame) -> list[str]:
    """Note the documents with a negative grade."""
    marked = len(frame) - frame["grade"].null_count()
    remedy = "change the grade where it stands in the qrels, a second line would be refused"
    return [f"{count(marked, 'document')} with a negative grade counted as unjudged; {remedy}"] if marked else []


def _find_unjudged(rankings: Rankings, stakes: Stakes, pair: tuple[int, int] | None) -> Candidates:
    """Return the documents without a grade that matter to the measure."""
    matters, weight = relevant_rows(rankings, stakes.of_rows(rankings), pair)
    rows = np.flatnonzero(matters & rankings.ungraded())
    return Candidates.of(rankings, rows, weight[rows])


def _tabulate(rankings: Rankings, documents: Candidates, n: int, per_topic: int | None, cells: int) -> pl.DataFrame:
    """Return the first documents, best first, and the uncertainty that remains after each."""
    some = np.flatnonzero(documents.weight > 0)
    group = np.zeros(len(some), dtype=np.int64) if per_topic is None else documents.topic[some]
    some = some[_shortlist(documents, some, group, min(per_topic or n, len(some)))]
    grade = np.concatenate([[np.nan], rankings.levels])[documents.code[some]]
    frame = pl.DataFrame(
        {
            "number": documents.topic[some],
            "topic": pl.Series(rankings.topics, dtype=pl.String).gather(documents.topic[some]),
            "doc": documents.names(rankings, some),
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
    left = _remaining(documents.weight, frame["weight"].to_numpy())
    return frame.with_columns(remaining=pl.Series(left / max(cells, 1), dtype=pl.Float64)).select(_COLUMNS)


def _shortlist(documents: Candidates, some: Ints, group: Ints, most: int) -> Ints:
    """Return those of *some* documents that can be among the first *most* of their group.

    Ids, which break ties, are not looked up here, so that all tied documents stay.
    """
    weight, best = documents.rounded[some], documents.best[some]
    order = np.lexsort((best, -weight, group))
    group, weight, best = group[order], weight[order], best[order]
    size = np.bincount(group)
    start = np.cumsum(size) - size
    last = (start + np.minimum(np.maximum(size, 1), most) - 1)[group]
    keep = (np.arange(len(order)) <= last) | ((weight == weight[last]) & (best == best[last]))
    return np.asarray(order[keep])


def _remaining(weights: Floats, taken: Floats) -> Floats:
    """Return the sum of the weights that remain after each of those *taken*; exactly 0 when all are taken."""
    rest = float(weights.sum()) - float(taken.sum()) if len(taken) < np.count_nonzero(weights) else 0.0
    return np.asarray(np.cumsum(taken[::-1])[::-1] - taken + max(rest, 0.0))
