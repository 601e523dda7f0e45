"""Contents of judgments: relevant documents of each topic by grade, and the DCG of an ideal ranking.

A measure whose cutoff is beyond the number of relevant documents cannot tell how good a ranking could be unless it
knows that number: SDCG@20 divides by one constant for all topics, nDCG@20 by the ideal DCG@20 of each. The judgments
alone show how far these are apart. The constant may assume k documents of the top grade,

    S_k g(top),                      S_k = sum over i = 1..k of 1 / log2(1 + i),

or, more modestly, one of them and k - 1 of the next lower grade,

    g(top) + g(top - 1) (S_k - 1).

With the gains (2^grade - 1) / 2^top, top = 4 and k = 20 these are 6.600 and 3.580. Topics with few relevant documents
stay far below both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures._parameters import LARGEST_GRADE
from assay.measures.dcg import IdealDCG
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.provenance import Provenance

CUTOFF = 20
GAINS = "exp12"
_MANY = 10  # grades that are told apart without being asked for


@dataclass(frozen=True, eq=False)
class JudgmentReport:
    """The result of :func:`judgment_report`.

    Attributes
    ----------
    topics
        The topics.
    judged, negative, nonrelevant
        For each topic, how many documents were judged, how many of them with a grade below 0, and how many with a grade
        from 0 to below the first of *thresholds*.
    thresholds
        The grades from which on documents are counted.
    relevant
        Topics x thresholds: how many documents have at least that grade.
    measure
        The ideal DCG, with its cutoff and its gains.
    ideal
        For each topic its ideal DCG.
    top
        The top grade of the scale.
    all_top, one_top
        The two reference lines: k documents of the top grade; one of them and k - 1 of the next lower grade.
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
    provenance: dict[str, Any]
    notes: tuple[str, ...] = ()

    def frame(self) -> pl.DataFrame:
        """A row for each topic and grade: topic, judged, negative, nonrelevant, grade, relevant, ideal_dcg."""
        topic, grade = np.indices(self.relevant.shape).reshape(2, -1)
        return pl.DataFrame(
            {
                "topic": pl.Series(self.topics, dtype=pl.String).gather(topic),
                "judged": self.judged[topic],
                "negative": self.negative[topic],
                "nonrelevant": self.nonrelevant[topic],
                "grade": pl.Series(self.thresholds, dtype=pl.Float64).gather(grade),
                "relevant": self.relevant[topic, grade],
                "ideal_dcg": self.ideal[topic],
            }
        )

    def sequences(self) -> pl.DataFrame:
        """Relevant documents, each grade sorted separately, largest first: place, grade, relevant."""
        place, grade = np.indices(self.relevant.shape).reshape(2, -1)
        ordered = -np.sort(-self.relevant, axis=0)
        return pl.DataFrame(
            {
                "place": pl.Series(place + 1, dtype=pl.Int64),
                "grade": pl.Series(self.thresholds, dtype=pl.Float64).gather(grade),
                "relevant": pl.Series(ordered.ravel(), dtype=pl.Int64),
            }
        )

    def ideals(self) -> pl.DataFrame:
        """The ideal DCG of topics, largest first, and the two lines: place, topic, ideal_dcg, all_top, one_top."""
        order = np.argsort(-self.ideal, kind="stable")
        return pl.DataFrame(
            {
                "place": pl.Series(np.arange(1, len(order) + 1), dtype=pl.Int64),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(order),
                "ideal_dcg": self.ideal[order],
                "all_top": np.full(len(order), self.all_top),
                "one_top": np.full(len(order), self.one_top),
            }
        )

    def summary(self) -> pl.DataFrame:
        """A row for each grade: grade, documents, topics (that have some), min, median, mean, max, beyond.

        *beyond* counts the topics with at least as many such documents as the cutoff.
        """
        cut = self.measure.cutoff or 0
        return pl.DataFrame(
            {
                "grade": pl.Series(self.thresholds, dtype=pl.Float64),
                "documents": self.relevant.sum(axis=0),
                "topics": (self.relevant > 0).sum(axis=0),
                "min": self.relevant.min(axis=0),
                "median": np.median(self.relevant, axis=0),
                "mean": self.relevant.mean(axis=0),
                "max": self.relevant.max(axis=0),
                "beyond": (self.relevant >= cut).sum(axis=0),
            }
        )


@check_arguments
def judgment_report(
    campaign: Campaign,
    *,
    thresholds: Iterable[float] | None = None,
    cutoff: int = CUTOFF,
    gains: Any = GAINS,
    max_rel: float | None = None,
) -> JudgmentReport:
    r"""Count relevant documents by topic and grade, and give each topic its ideal DCG.

    The ideal DCG of a topic is compared with what a constant may assume: k documents of the top grade t, or one of them
    and k - 1 of the next lower grade,

    .. math:: g(t) S_k, \qquad g(t) + g(t - 1) (S_k - 1), \qquad S_k = \sum_{i \le k} \frac{1}{\log_2(1 + i)}

    Parameters
    ----------
    campaign
        Judgments; runs are not needed.
    thresholds
        The grades from which on documents are counted (default: the grades above 0 in the qrels).
    cutoff, gains, max_rel
        Of the ideal DCG: how many ranks count, what grades are worth, and the top grade of the scale (default: the
        largest in the qrels).

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE 30 (2018), Figures 1 and 2.

    Examples
    --------
    >>> import assay
    >>> report = judgment_report(assay.read({"q1": {"a": 4, "b": 3, "c": 0}, "q2": {"a": 1}}))
    >>> report.relevant.tolist(), round(report.all_top, 3), round(report.one_top, 3)
    ([[2, 2, 1], [1, 0, 0]], 6.6, 3.58)
    """
    qrels = campaign.judgments
    measure = IdealDCG(cutoff=cutoff, gains=gains, max_rel=max_rel)
    levels, counts = campaign.whole.levels, campaign.whole.counts
    chosen, notes = _choose_thresholds(levels, thresholds)
    top = float(max_rel) if max_rel is not None else max(float(levels.max()), 1.0)
    if top > LARGEST_GRADE:
        raise InputError(f"{qrels.source}: the largest grade is {top:g}; an ideal DCG takes at most {LARGEST_GRADE:g}")
    scale = IdealDCG(cutoff=cutoff, gains=gains, max_rel=top)
    settings = {"measure": str(measure), "top": top, "thresholds": list(chosen)}
    inputs = Provenance.of(qrels, [], [], Policies()).as_dict()
    del inputs["policies"]
    return JudgmentReport(
        topics=campaign.topics,
        judged=counts.sum(axis=1),
        negative=counts[:, levels < 0].sum(axis=1),
        nonrelevant=counts[:, (levels >= 0) & (levels < min(chosen))].sum(axis=1),
        thresholds=chosen,
        relevant=np.stack([counts[:, levels >= grade].sum(axis=1) for grade in chosen], axis=1),
        measure=measure,
        ideal=measure.score(_empty(levels, counts)),
        top=top,
        all_top=scale.of([], judged={top: cutoff}),
        one_top=scale.of([], judged={top: 1, math.ceil(top) - 1: cutoff - 1}),
        provenance={**inputs, "judgments": settings},
        notes=(*qrels.notes, *notes),
    )


def _choose_thresholds(levels: Floats, thresholds: Iterable[float] | None) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the grades from which on documents are counted, and notes."""
    if thresholds is not None:
        grades = sorted({float(grade) for grade in thresholds})
        if not grades or not all(math.isfinite(grade) and grade > 0 for grade in grades):
            raise InputError("thresholds: name grades above 0 from which on documents are counted, such as 1, 2, 3")
        return tuple(grades), ()
    grades = [float(level) for level in levels if level > 0] or [1.0]
    if len(grades) <= _MANY:
        return tuple(grades), ()
    note = f"the qrels have {len(grades)} grades above 0: counted from the lowest, {grades[0]:g}, on; name thresholds"
    return (grades[0],), (note,)


def _empty(levels: Floats, counts: Ints) -> Judged:
    """Return an empty ranking for each topic: an ideal DCG needs nothing else."""
    topics = len(counts)
    return Judged(
        levels=levels,
        counts=counts,
        topic=np.arange(topics),
        start=np.zeros(topics + 1, dtype=np.int64),
        code=np.zeros(0, dtype=np.uint8),
        answered=np.ones(topics, dtype=bool),
    )
