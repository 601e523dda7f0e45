"""Agreement of judges: how often they give the same grade, and which of them is more lenient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.judges import coefficients as co
from assay.judges.agreement import Bias, Coefficient, JudgeAgreement, JudgePair
from assay.judges.ratings import Ratings, collect_ratings, list_pairs
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.results.aggregation import aggregate_with_interval
from assay.significance.base import significance_test

MOST_GRADES = 20
"""Coefficients of categories are refused for more grades."""


@check_arguments
def agree(
    judges: Mapping[str, Any],
    *,
    reference: str | None = None,
    negative: str = "zero",
    grades: Mapping[str, Mapping[float, float]] | None = None,
    rel: float = 1.0,
    gwet: bool = False,
    confidence: float = 0.95,
) -> JudgeAgreement:
    """Measure the agreement of judges: coefficients with intervals over topics, and bias.

    Parameters
    ----------
    judges
        Judgments by name of the judge, such as those of :func:`assay.judges.read_judges`.
    reference
        The judge with whom all others are compared; by default, all pairs of judges are compared, and the first of two
        judges is the reference.
    negative
        Negative grades: ``zero`` (they count as 0), ``keep`` (grades of their own) or ``drop`` (unjudged).
    grades
        Grades of a judge to replace by others, such as ``{"llm": {2: 1}}``.
    rel
        The lowest relevant grade, for the fractions of relevant documents.
    gwet
        Also compute Gwet's AC1 and AC2.
    confidence
        Level of the intervals.

    References
    ----------
    See :mod:`assay.judges.coefficients`. Voorhees, *Variations in relevance judgments and the measurement of retrieval
    effectiveness*, Information Processing & Management 36, 2000. Faggioli et al., *Perspectives on large language
    models for relevance judgment*, ICTIR 2023.

    Examples
    --------
    >>> human = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "d": 1}}
    >>> model = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 0, "d": 1}}
    >>> agree({"human": human, "model": model}).summary()
    'human and model give the same grade to 80.0 % of 5 documents. Kappa is 0.545. The bias over 2 topics is not ...
    """
    check_fraction("confidence", confidence)
    ratings, notes = collect_ratings(judges, negative=negative, grades=grades)
    if len(ratings.levels) > MOST_GRADES:
        raise InputError(
            f"judges: {len(ratings.levels)} different grades; coefficients of categories need at most {MOST_GRADES}; "
            "map grades, such as grades={'llm': {0.3: 0, 0.8: 1}}"
        )
    pairs = tuple(
        _compare_pair(ratings, a, b, rel, confidence, with_gwet=gwet) for a, b in list_pairs(ratings.judges, reference)
    )
    together = _compare_all(ratings, confidence)
    settings = {"reference": reference, "rel": rel, "confidence": confidence}
    return JudgeAgreement(ratings, pairs, together, confidence, ratings.provenance.with_settings(**settings), notes)


def _compare_pair(ratings: Ratings, a: int, b: int, rel: float, confidence: float, *, with_gwet: bool) -> JudgePair:
    pair = ratings.pair(a, b)
    names = f"{ratings.judges[a]} and {ratings.judges[b]}"
    if not len(pair.grade):
        raise InputError(f"judges: {names} judged no document in common; check the ids of topics and documents")
    judged = (~np.isnan(ratings.grade)).sum(axis=0)
    levels, codes = pair.levels, pair.codes
    tables = co.cross_tabulate(codes[:, 0], codes[:, 1], pair.topic, len(pair.topics), len(levels))

    def estimate(parts: tuple[Floats, ...], compute: Callable[..., Floats]) -> co.Estimate:
        return co.jackknife(parts, compute, confidence)

    coefficients = [Coefficient("agreement", "", estimate((tables,), co.agreement))]
    coefficients += [
        Coefficient("kappa", weights, estimate((tables,), lambda t, w=weights: co.kappa(t, levels, w)))
        for weights in co.WEIGHTS
    ]
    coefficients += _alpha(codes, levels, pair.topic, len(pair.topics), confidence)
    if with_gwet:
        counts = co.count_grades(codes, len(levels))
        for weights in co.WEIGHTS:
            sums = co.sum_for_gwet(counts, levels, pair.topic, len(pair.topics), weights)
            compute = lambda *parts, w=weights: co.gwet(co.GwetSums(*parts), levels, w)[2]  # noqa: E731
            coefficients.append(Coefficient("gwet", weights, estimate(tuple(sums), compute)))
    return JudgePair(
        ratings=pair,
        tables=tables,
        only_a=int(judged[a]) - len(pair.grade),
        only_b=int(judged[b]) - len(pair.grade),
        coefficients=tuple(coefficients),
        bias=_measure_bias(pair, rel, confidence),
        margins=co.compare_margins(tables.sum(axis=0)),
    )


def _alpha(codes: Ints, levels: Floats, topic: Ints, topics: int, confidence: float) -> list[Coefficient]:
    """Return Krippendorff's alpha of all judges of *codes*."""
    tables = co.coincidences(co.count_grades(codes, len(levels)), topic, topics)
    return [
        Coefficient("alpha", metric, co.jackknife((tables,), lambda t, m=metric: co.alpha(t, levels, m), confidence))
        for metric in co.METRICS
    ]


def _compare_all(ratings: Ratings, confidence: float) -> tuple[Coefficient, ...]:
    """Return Krippendorff's alpha of more than two judges together, with missing judgments."""
    if len(ratings.judges) < 3:
        return ()
    return tuple(_alpha(ratings.codes, ratings.levels, ratings.topic, len(ratings.topics), confidence))


def _measure_bias(pair: Ratings, rel: float, confidence: float) -> Bias:
    """Measure the bias of the second judge; topics are the sample of its test."""
    difference = pair.grade[:, 1] - pair.grade[:, 0]
    topics = len(pair.topics)
    shift = np.bincount(pair.topic, weights=difference, minlength=topics) / np.bincount(pair.topic, minlength=topics)
    mean, low, high, *_ = aggregate_with_interval(shift, "mean", confidence)
    outcome = significance_test("t").compare(np.stack([shift, np.zeros(topics)]), np.array([[0, 1]]))
    relevant = (pair.grade >= rel).mean(axis=0)
    return Bias(
        over=float((difference > 0).mean()),
        under=float((difference < 0).mean()),
        shift=mean,
        low=np.nan if low is None else low,
        high=np.nan if high is None else high,
        p=float(outcome.p[0]),
        relevant_a=float(relevant[0]),
        relevant_b=float(relevant[1]),
    )
