"""Statistics of judgments and runs: relevant documents by topic and grade, ideal DCG, features of the collection.

SDCG@20 divides by one constant for all topics. nDCG@20 divides by the ideal DCG@20 of each topic. If a topic has fewer
relevant documents than the cutoff, the constant is larger than the DCG of any ranking. The judgments alone show by how
much the constant and the ideal DCG differ. The constant can assume k documents of the top grade,

    S_k g(top),                      S_k = sum over i = 1..k of 1 / log2(1 + i),

or one document of the top grade and k - 1 of the next lower grade,

    g(top) + g(top - 1) (S_k - 1).

With the gains (2^grade - 1) / 2^top, top = 4 and k = 20, the constants are 6.600 and 3.580. The ideal DCG of topics
with few relevant documents is far below both constants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures._parameters import LARGEST_GRADE
from assay.measures.dcg import IdealDCG
from assay.meta.collection_features import DEPTHS, STATISTICS, CollectionFeatures, count_features
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.judged import Judged
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts, percentage_column
from assay.results.tidy_frame import tidy_frame

CUTOFF = 20
GAINS = "exp12"
_MAX_THRESHOLDS = 10  # With more distinct grades, only the lowest grade is a default threshold.


@dataclass(frozen=True, eq=False)
class JudgmentReport(Report):
    """Statistics of judgments; the report of :func:`judgments`.

    Attributes
    ----------
    topics
        The topics.
    judged, negative, nonrelevant
        Number of judged documents of each topic, number of documents with a grade below 0, and number of documents with
        a grade of at least 0 but below the first threshold.
    thresholds
        Minimum grades: documents of at least this grade are counted.
    relevant
        Topics x thresholds: the number of documents whose grade is at least the threshold.
    measure
        The measure ideal DCG, with its cutoff and gains.
    ideal
        The ideal DCG of each topic.
    top
        The top grade of the scale.
    all_top, one_top
        The two reference values: the DCG of k documents of the top grade, and of one document of the top grade and
        k - 1 of the next lower grade.
    features
        The features of the collection: numbers of judgments and, if the campaign has runs, lengths of rankings, pool
        depth and unjudged documents.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    topics: tuple[str, ...]
    judged: Ints
    negative: Ints
    nonrelevant: Ints
    thresholds: tuple[float, ...]
    relevant: Ints
    measure: IdealDCG
    ideal: Floats
    top: float
    all_top: float
    one_top: float
    features: CollectionFeatures
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "judgments"
    tables: ClassVar[Mapping[str, str]] = {
        "grades": "the number of relevant documents by grade",
        "topics": "the number of relevant documents and the ideal DCG of each topic",
        "sorted": "the number of relevant documents per topic, each grade sorted separately",
        "ideal": "the ideal DCG of topics, largest first, and two reference values",
        "collection": "features of the collection: topics, judgments, runs, pool depth",
        "runs": "the lengths of the rankings of each run, its pool depth and its unjudged documents",
    }

    def __repr__(self) -> str:
        judged = pluralize(int(self.judged.sum()), "judgment")
        topics, grades = pluralize(len(self.topics), "topic"), pluralize(len(self.thresholds), "grade")
        return f"JudgmentReport({topics}, {judged}, {grades})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each grade: grade, documents, topics, min, median, mean, max, beyond.

        *documents* is the number of documents with at least this grade, and *topics* is the number of topics with such
        a document. *min*, *median*, *mean* and *max* are statistics of the number of such documents per topic. *beyond*
        is the number of topics with at least as many such documents as the cutoff.
        """
        return tidy_frame(
            {"grade": self.thresholds},
            {
                "documents": self.relevant.sum(axis=0),
                "topics": (self.relevant > 0).sum(axis=0),
                "min": self.relevant.min(axis=0),
                "median": np.median(self.relevant, axis=0),
                "mean": self.relevant.mean(axis=0),
                "max": self.relevant.max(axis=0),
                "beyond": (self.relevant >= (self.measure.cutoff or 0)).sum(axis=0),
            },
        )

    def by_topic(self) -> pl.DataFrame:
        """Return a row for each topic and grade: topic, judged, negative, nonrelevant, grade, relevant, ideal_dcg."""
        return tidy_frame(
            {"topic": self._topic_columns(), "grade": self.thresholds},
            {"relevant": self.relevant, "ideal_dcg": self.ideal[:, None]},
        )

    def _topic_columns(self) -> pl.DataFrame:
        """Return a row for each topic: topic, judged, negative, nonrelevant."""
        counts = {"judged": self.judged, "negative": self.negative, "nonrelevant": self.nonrelevant}
        return tidy_frame({"topic": self.topics}, counts)

    def sequences(self) -> pl.DataFrame:
        """Return the number of relevant documents per topic, sorted separately for each grade, largest first.

        The columns are place, grade, relevant.
        """
        axes = {"place": range(1, len(self.topics) + 1), "grade": self.thresholds}
        return tidy_frame(axes, {"relevant": self._sorted_counts()})

    def _sorted_counts(self) -> Ints:
        return -np.sort(-self.relevant, axis=0)

    def ideals(self) -> pl.DataFrame:
        """Return the ideal DCG of topics, largest first, and the two reference values.

        The columns are place, topic, ideal_dcg, all_top, one_top.
        """
        order = np.argsort(-self.ideal, kind="stable")
        return pl.DataFrame(
            {
                "place": np.arange(1, len(order) + 1),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(order),
                "ideal_dcg": self.ideal[order],
                "all_top": np.full(len(order), self.all_top),
                "one_top": np.full(len(order), self.one_top),
            }
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the number of judged documents, the number of relevant documents, and the topics without any."""
        relevant = self.relevant[:, 0]
        judged, total = int(self.judged.sum()), int(relevant.sum())
        empty = [topic for topic, count in zip(self.topics, relevant.tolist(), strict=True) if not count]
        sentence = (
            f"{pluralize(len(self.topics), 'topic')} with {pluralize(judged, 'judged document')}, including "
            f"{pluralize(total, 'relevant document')} (grade {self.thresholds[0]:g} or above). The median number of "
            f"relevant documents per topic is {np.median(relevant):g}."
        )
        if not empty:
            return f"{sentence} Every topic has a relevant document."
        verb = "has" if len(empty) == 1 else "have"
        return f"{sentence} {pluralize(len(empty), 'topic')} {verb} no relevant documents: {join_names(empty)}."

    def _show_grades(self) -> Table:
        cut = self.measure.cutoff or 0
        caption = (
            "relevant: number of documents of at least this grade. topics: number of topics with such documents. R: "
            f"number of such documents per topic. R >= {cut}: number of topics with at least {cut} such documents."
        )
        return Table(self.frame(), arrange_grades(self.frame(), cut), caption=caption)

    def _show_topics(self) -> Table:
        topics = self._topic_columns().drop([] if self.negative.any() else ["negative"])
        compact = topics.with_columns(*self._grade_columns(self.relevant), pl.Series("ideal DCG", self.ideal))
        caption = f"{self._describe_grade_columns()} {self._describe_ideal()}."
        return Table(self.by_topic(), compact, caption=caption)

    def _show_sorted(self) -> Table:
        place = pl.Series("place", range(1, len(self.topics) + 1))
        caption = (
            f"{self._describe_grade_columns()} Each column is sorted separately, largest first, so that a row does not "
            "belong to a single topic."
        )
        compact = pl.DataFrame([place, *self._grade_columns(self._sorted_counts())])
        return Table(self.sequences(), compact, caption=caption)

    def _show_ideal(self) -> Table:
        frame = self.ideals()
        compact = frame.drop("all_top", "one_top").rename({"ideal_dcg": "ideal DCG"})
        lines = [f"{self._describe_ideal()}.", *self._describe_references()]
        return Table(frame, compact, caption="\n".join(line[0].upper() + line[1:] for line in lines))

    def _show_collection(self) -> Table:
        frame = self.features.frame()
        is_share = frame["feature"].str.starts_with("unjudged")
        columns = [align_texts(_format_numbers(frame[name], is_share)) for name in STATISTICS]
        caption = "min, mean, max: over topics, runs, or rankings (one run for one topic), as in the column per."
        if self.features.runs:
            caption += (
                " pool depth: the largest depth to which all documents are judged; total: of all runs. unjudged: share "
                "of the documents retrieved to a depth."
            )
        summary = self._summarise_collection() if self.features.runs else None
        return Table(frame, frame.select("feature", "per", *columns), caption=caption, summary=summary)

    def _show_runs(self) -> Table:
        features = self.features
        if not features.runs:
            raise InputError("show 'runs': needs runs; name runs after the qrels")
        shares = [
            percentage_column(f"unjudged@{depth}", np.nan_to_num(share))
            for depth, share in zip(features.depths, features.unjudged_shares(), strict=True)
        ]
        lengths = features.run_frame().select("shortest", "longest").rows()
        length = pl.Series("length", [f"{low}" if low == high else f"{low}-{high}" for low, high in lengths])
        columns = [align_texts(length), pl.Series("pool depth", features.pool_depths().astype(np.int64)), *shares]
        caption = (
            "length: number of documents of the shortest and the longest ranking. pool depth: the largest depth to "
            "which all documents of the run are judged. unjudged@k: share of unjudged documents among the first k."
        )
        compact = features.run_frame().select("run", "topics").with_columns(columns)
        return Table(features.by_run(), compact, caption=caption, summary=self._summarise_collection())

    def _summarise_collection(self) -> str:
        """State the size of the collection, and how deeply its runs are judged."""
        features = self.features
        depths = features.pool_depths()
        return (
            f"{pluralize(len(features.runs), 'run')}, {pluralize(len(features.topics), 'topic')}. The documents of all "
            f"runs are judged to depth {features.pool_depth():g}; half of the runs are judged to depth "
            f"{np.floor(np.median(depths)):g} or deeper, and the most deeply judged run to depth {depths.max():g}."
        )

    def _grade_columns(self, counts: Ints) -> list[pl.Series]:
        """Return one column of counts for each grade; *counts* is topics x grades."""
        return [pl.Series(_name_grade(grade), counts[:, i]) for i, grade in enumerate(self.thresholds)]

    def _describe_grade_columns(self) -> str:
        return f"{_name_grade(self.thresholds[0])}: number of documents of at least this grade."

    def _describe_ideal(self) -> str:
        return f"ideal DCG: the largest {str(self.measure).removeprefix('Ideal')} that a ranking can reach"

    def _describe_references(self) -> list[str]:
        """Return a sentence for each reference value, with the number of topics whose ideal DCG is not smaller."""
        cut, top = self.measure.cutoff or 1, self.top
        references = {
            f"{cut} documents of grade {top:g}": self.all_top,
            f"one document of grade {top:g} and {cut - 1} of the next lower grade": self.one_top,
        }
        reached = [int((self.ideal >= value * (1 - ROUNDING)).sum()) for value in references.values()]
        return [
            f"{documents} have a DCG of {value:.3f}; the ideal DCG of {count} of {pluralize(len(self.topics), 'topic')}"
            " is at least as large."
            for (documents, value), count in zip(references.items(), reached, strict=True)
        ]


def arrange_grades(frame: pl.DataFrame, cutoff: int) -> pl.DataFrame:
    """Arrange the frame of grades for reading: grade, relevant, topics, and median, min and max R of a topic."""
    median = pl.Series("median R", [f"{value:g}" for value in frame["median"].to_list()], dtype=pl.String)
    return frame.select(
        pl.Series("grade", [_name_grade(grade) for grade in frame["grade"].to_list()], dtype=pl.String),
        pl.col("documents").alias("relevant"),
        "topics",
        align_texts(median),
        pl.col("min").alias("min R"),
        pl.col("max").alias("max R"),
        pl.col("beyond").alias(f"R >= {cutoff}"),
    )


def _format_numbers(numbers: pl.Series, is_share: pl.Series) -> pl.Series:
    """Format counts with at most one decimal, and shares as percentages."""
    texts = [
        "" if number is None else f"{100 * number:.1f} %" if share else f"{number:,.1f}".removesuffix(".0")
        for number, share in zip(numbers.to_list(), is_share.to_list(), strict=True)
    ]
    return pl.Series(numbers.name, texts, dtype=pl.String)


def _name_grade(grade: float) -> str:
    return f"{grade:g}+"


@check_arguments
def judgments(
    campaign: Campaign,
    *,
    thresholds: Iterable[float] | None = None,
    cutoff: int = CUTOFF,
    gains: Any = GAINS,
    max_rel: float | None = None,
    depths: Iterable[int] = DEPTHS,
) -> JudgmentReport:
    r"""Count relevant documents by topic and grade, compute the ideal DCG of each topic, and describe the collection.

    The ideal DCG of a topic is compared with two reference values: the DCG of k documents of the top grade t, and the
    DCG of one document of the top grade and k - 1 of the next lower grade,

    .. math:: g(t) S_k, \qquad g(t) + g(t - 1) (S_k - 1), \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    Parameters
    ----------
    campaign
        Judgments. If there are runs as well, the report describes their rankings, pool depth and unjudged documents.
    thresholds
        Minimum grades: documents of at least this grade are counted (default: all grades above 0 in the qrels).
    cutoff, gains, max_rel
        Parameters of the ideal DCG: the cutoff k, the gains of grades, and the top grade of the scale (default: the
        largest grade in the qrels).
    depths
        Depths at which the share of unjudged documents is reported.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016), Table 1 (features of the collection). Moffat, *Computing maximized effectiveness
    distance for recall-based metrics*, TKDE 30 (2018), Figures 1 and 2.

    Examples
    --------
    >>> import assay
    >>> report = judgments(assay.read({"q1": {"a": 4, "b": 3, "c": 0}, "q2": {"a": 1}}))
    >>> report.relevant.tolist(), round(report.all_top, 3), round(report.one_top, 3)
    ([[2, 2, 1], [1, 0, 0]], 6.6, 3.58)
    """
    qrels = campaign.judgments
    measure = IdealDCG(cutoff=cutoff, gains=gains, max_rel=max_rel)
    levels, counts = campaign.whole.levels, campaign.whole.counts
    minimum_grades, notes = _choose_thresholds(levels, thresholds)
    top = float(max_rel) if max_rel is not None else max(float(levels.max()), 1.0)
    if top > LARGEST_GRADE:
        raise InputError(
            f"{qrels.source}: the largest grade is {top:g}; the ideal DCG supports grades of at most {LARGEST_GRADE:g}"
        )
    scale = IdealDCG(cutoff=cutoff, gains=gains, max_rel=top)
    return JudgmentReport(
        topics=campaign.topics,
        judged=counts.sum(axis=1),
        negative=counts[:, levels < 0].sum(axis=1),
        nonrelevant=counts[:, (levels >= 0) & (levels < min(minimum_grades))].sum(axis=1),
        thresholds=minimum_grades,
        relevant=np.stack([counts[:, levels >= grade].sum(axis=1) for grade in minimum_grades], axis=1),
        measure=measure,
        ideal=measure.score(_empty_rankings(levels, counts)),
        top=top,
        all_top=scale.of([], judged={top: cutoff}),
        one_top=scale.of([], judged={top: 1, math.ceil(top) - 1: cutoff - 1}),
        features=count_features(campaign, depths),
        provenance=campaign.provenance.with_settings(measure=str(measure), top=top, thresholds=list(minimum_grades)),
        notes=(*(campaign.notes if campaign.runs else qrels.notes), *notes),
    )


def _choose_thresholds(levels: Floats, thresholds: Iterable[float] | None) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the given thresholds, or all grades above 0; if these are too many, the lowest one and a note."""
    if thresholds is not None:
        grades = sorted({float(grade) for grade in thresholds})
        if not grades or not all(math.isfinite(grade) and grade > 0 for grade in grades):
            raise InputError("thresholds: name grades above 0, such as 1, 2, 3")
        return tuple(grades), ()
    grades = [float(level) for level in levels if level > 0] or [1.0]
    if len(grades) <= _MAX_THRESHOLDS:
        return tuple(grades), ()
    note = (
        f"the qrels have {len(grades)} grades above 0, too many to count each of them; relevant documents are counted "
        f"once, from grade {grades[0]:g} up (use thresholds to choose grades)"
    )
    return (grades[0],), (note,)


def _empty_rankings(levels: Floats, counts: Ints) -> Judged:
    """Return an empty ranking for each topic: the ideal DCG depends only on the judgments."""
    topic_count = len(counts)
    return Judged(
        levels=levels,
        counts=counts,
        topic=np.arange(topic_count),
        start=np.zeros(topic_count + 1, dtype=np.int64),
        code=np.zeros(0, dtype=np.uint8),
        answered=np.ones(topic_count, dtype=bool),
    )
