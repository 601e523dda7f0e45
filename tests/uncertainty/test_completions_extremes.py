"""Bounds of measures that assign weight to ranks beyond the end of a ranking."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.measures import Measure, measure
from assay.measures.rank_biased import RBP, RBPresidual
from assay.model.judged import Judged
from assay.uncertainty.completions import bound_values
from assay.uncertainty.completions.problem import Problem
from completion_cases import POOLS, grades_of, topics
from oracles.completions import Topic, build_judged, extremes
from strategies import collections, many_examples

VECTORS = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]
    if vector["inputs"].get("op") == "rbp_bounds"
]
SYMBOLS = {"$": 1, "-": 0, "?": None}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_residuals_agree_with_the_paper(vector: dict) -> None:
    ranking = [SYMBOLS[symbol] for symbol in vector["inputs"]["ranking"]]
    interval = bound_values(RBP(p=vector["inputs"]["p"]), Judged.from_grades([ranking]))
    assert [interval.low[0], interval.high[0]] == pytest.approx(vector["computed"], abs=1e-12)
    assert [interval.low[0], interval.high[0]] == pytest.approx(vector["expected"], abs=vector["tolerance"])
    assert interval.exact[0]


def test_all_vectors_are_present() -> None:
    assert len(VECTORS) == 3


@many_examples(max_examples=60, collection=collections(tuple(pool for pool in POOLS if pool != (0, 3, 1e6))))
def test_rbp_lies_between_its_value_and_value_plus_residual(collection) -> None:
    rankings = collection.to_judged()
    for p in (0, 0.5, 0.95):
        residuals = RBPresidual(p=p).score(rankings)
        for parameters, max_gain in (
            ({}, 1.0),
            ({"gains": "unit"}, 1.0),
            ({"gains": "exp12"}, 1 - 0.5**collection.top),
        ):
            tested_measure = RBP(p=p, **parameters)
            interval = bound_values(tested_measure, rankings)
            assert interval.exact.all()
            assert interval.low == pytest.approx(tested_measure.score(rankings), abs=1e-12)
            assert interval.high == pytest.approx(tested_measure.score(rankings) + max_gain * residuals, abs=1e-12)
            assert (interval.high <= 1).all()


@many_examples(max_examples=40, collection=collections(((0, 1), (0, 1, 2), (-1, 0, 1), ())))
def test_bounds_ignore_ranks_below_the_cutoff(collection) -> None:
    rankings = collection.to_judged()
    for cutoff in (1, 4, 20):
        interval = bound_values(measure(f"RBP(p=0.7)@{cutoff}"), rankings)
        residual = RBPresidual(p=0.7, cutoff=cutoff).score(rankings) - 0.7**cutoff
        assert interval.high == pytest.approx(interval.low + residual, abs=1e-12)


WITH_CUTOFF = ("RBP(p=0.8)@6", "RBP(p=0.6, gains=unit)@5", "RBPnorm(p=0.5)@5", "RBPnorm(p=0.8, rel=2)@6")
CONDITIONAL_WITH_CUTOFF = ("RBP(p1=0.9, p2=0.5)@6", "RBP(p1=0.2, p2=0.9)@5", "RBP(p1=1, p2=0.5)@6", "RBP(p1=0, p2=1)@5")


@pytest.mark.parametrize(
    "text", [*WITH_CUTOFF, *CONDITIONAL_WITH_CUTOFF, "RBP(p1=0.5, p2=1)@5", "RBP(p1=1, p2=0)@5", "RBP(p1=0, p2=0)@5"]
)
@pytest.mark.parametrize("pool", [(0, 1), (0, 1, 2), (-1, 0, 1), (0, 0.5, 2), ()])
def test_missing_ranks_above_the_cutoff_count_as_unjudged(text: str, pool: tuple[float, ...]) -> None:
    """A short ranking is bounded as if it were filled with unjudged documents down to the cutoff."""
    tested_measure = measure(text)
    for topic in topics(pool, 8, seed=1, longest=4):
        ranking = topic.ranking[: tested_measure.cutoff]
        ranking += (None,) * (tested_measure.cutoff - len(ranking))
        if sum(grade is None or grade < 0 for grade in ranking) > 6:
            continue
        interval = bound_values(tested_measure, build_judged([topic], pool))
        assert interval.exact[0]
        expected = extremes(tested_measure, Topic(ranking, topic.counts), grades_of(tested_measure, pool))
        # Ungraded documents below the cutoff of a longer ranking would affect the scale of RBPnorm.
        if len(topic.ranking) <= tested_measure.cutoff:
            assert (interval.low[0], interval.high[0]) == pytest.approx(expected, abs=1e-12)


# Rankings with appended documents --------------------------------------------------------------------------------

WITH_TAIL = (
    *("RBP(p=0.8)", "RBP(p=0, gains=unit)", "RBP(p=0.8, gains=exp12)", "RBP(p1=0.9, p2=0.5)", "RBP(p1=0.3, p2=0.9)"),
    *("RBP(p1=0.99, p2=0.5)", "RBP(p1=1, p2=0.5)", "RBP(p1=1, p2=0)", "RBP(p1=0, p2=1)", "RBP(p1=0.5, p2=1)"),
    *("RBPnorm(p=0.8)", "INSQ(T=1)", "INSQ(T=0.3, gains=exp12)", "INST(T=1)", "INST(T=0.5)", "INST(T=3, max_rel=4)"),
    *("INST(T=2, gains=binary)", "NERR10(p=0.9)", "NERR10(p=0.9, gains=exp12)", "NERR10(p=0.8, gains={1:0.1,2:0.2})"),
    *("NERR11(T=1)", "NERR11(T=2, gains=exp12)", "NERR11(T=3, max_rel=4)"),
)
OUTER_BOUNDS = ("INST(T=1, gains=exp12)", "INST(T=3, gains={1:0.2,2:0.6})", "NERR11(T=1, gains={1:0.001,2:0.002})")


def score_with_appended(tested_measure: Measure, pool: tuple[float, ...], number: int) -> np.ndarray:
    """Return values with the best grade at all ungraded ranks and at *number* ranks after the end.

    The best grade is the one with the highest value, because RBPnorm may be larger for a grade below the largest.
    """
    grades = [grade for grade in grades_of(tested_measure, pool) if grade > 0]
    return np.max([score_with_grade_appended(tested_measure, pool, number, grade) for grade in grades], axis=0)


def score_with_grade_appended(tested_measure: Measure, pool: tuple[float, ...], number: int, best: float) -> np.ndarray:
    completed, levels = [], {*pool, *grades_of(tested_measure, pool)}
    for topic in draw_topics(pool):
        ranking = tuple(best if grade is None or grade < 0 else grade for grade in topic.ranking) + (best,) * number
        completed.append(Topic(ranking, {grade: ranking.count(grade) for grade in levels}))
    return tested_measure.score(build_judged(completed, levels))


def draw_topics(pool: tuple[float, ...]) -> list[Topic]:
    # Judged documents outside the rankings would set the scale of RBPnorm, so there are none.
    random_topics = topics(pool, 6, seed=2)
    return [Topic(topic.ranking, {grade: topic.ranking.count(grade) for grade in pool}) for topic in random_topics]


@pytest.mark.parametrize("text", [*WITH_TAIL, *OUTER_BOUNDS])
def test_upper_bounds_are_approached_by_appending_the_best_documents(text: str) -> None:
    tested_measure = measure(text)
    for pool in ((0, 1), (0, 1, 2), ()):
        interval = bound_values(tested_measure, build_judged(draw_topics(pool), pool))
        few_appended, more_appended, many_appended = (
            score_with_appended(tested_measure, pool, number) for number in (3, 300, 3000)
        )
        assert (few_appended <= more_appended + 1e-12).all()
        assert (more_appended <= many_appended + 1e-12).all()
        assert (many_appended <= interval.high + 1e-9).all()
        assert (interval.high <= 1).all()
        if interval.exact.all():
            slow = text.startswith("INSQ") or "p1=1," in text
            assert many_appended == pytest.approx(interval.high, abs=1e-2 if slow else 1e-9)
        assert interval.exact.all() == (text not in OUTER_BOUNDS)


@pytest.mark.parametrize("text", [*WITH_TAIL, *OUTER_BOUNDS])
def test_bounds_without_a_tail_are_tighter(text: str) -> None:
    tested_measure = measure(text)
    for pool in ((0, 1), (0, 1, 2)):
        rankings = build_judged(draw_topics(pool), pool)
        with_tail, without = bound_values(tested_measure, rankings), bound_values(tested_measure, rankings, tail=False)
        assert without.exact.all()
        assert without.low == pytest.approx(with_tail.low, abs=1e-12) or text.startswith("RBPnorm")
        assert (without.high <= with_tail.high + 1e-12).all()
        if text not in ("RBP(p1=0.5, p2=1)", "RBP(p=0, gains=unit)"):
            assert (without.high < with_tail.high - 1e-6).any()


@pytest.mark.parametrize("text", ["RBPnorm(p=0.8)", "RBPnorm(p=0.5)@6"])
def test_the_scale_of_rbpnorm_may_grow_beyond_the_end(text: str) -> None:
    """One document of the top grade at a deep rank reduces the gains of all others."""
    tested_measure, topic = measure(text), Topic((1, 0), {0: 1, 1: 1, 4: 0})
    rankings = build_judged([topic], (0, 1, 4))
    depth = 6 if tested_measure.cutoff else 400
    ranking = (*topic.ranking, *(0,) * (depth - 3), 4)
    interval = bound_values(tested_measure, rankings)
    assert interval.low[0] == pytest.approx(
        tested_measure.of(ranking, {0: 400, 1: 1, 4: 1}), abs=1e-12 if not tested_measure.cutoff else 0.05
    )
    assert interval.low[0] < tested_measure.of(topic.ranking, topic.counts) / 3
    assert bound_values(tested_measure, rankings, tail=False).low[0] == tested_measure.of(topic.ranking, topic.counts)
    assert bound_values(tested_measure, rankings, outside=1, tail=False).low[0] == pytest.approx(
        tested_measure.of(topic.ranking, {0: 1, 1: 1, 4: 1})
    )


@pytest.mark.parametrize("text", ["NERR8@10", "NERR9@10", "ERR", "DCG", "RR", "SDCG@10", "P@10", "AP", "nDCG"])
def test_other_measures_ignore_the_tail(text: str) -> None:
    rankings = build_judged(draw_topics((0, 1, 2)), (0, 1, 2))
    for with_tail, without_tail in zip(
        bound_values(measure(text), rankings), bound_values(measure(text), rankings, tail=False), strict=True
    ):
        assert with_tail.tolist() == without_tail.tolist()


@pytest.mark.parametrize("text", ["NERR11(T=1, gains={1:0})", "INST(T=1, gains={1:0})", "RBP(p=0.5, gains={1:0})"])
def test_zero_gains_give_zero_bounds(text: str) -> None:
    interval = bound_values(measure(text), Judged.from_grades([[None, 1]], {0: 1, 1: 1}))
    assert [each[0] for each in interval] == [0, 0, True]


def test_a_persistence_close_to_one() -> None:
    """The closed form for p1 and p2 agrees with RBP if p1 = p2."""
    rankings = build_judged(draw_topics((0, 1)), (0, 1))
    closed_form, rbp = (
        bound_values(measure(text), rankings) for text in ("RBP(p1=0.9999, p2=0.9999)", "RBP(p=0.9999)")
    )
    assert closed_form.high == pytest.approx(rbp.high, abs=1e-9)
    assert closed_form.low == pytest.approx(rbp.low, abs=1e-12)


def test_completed_rankings_are_scored_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random_topics = topics((0, 1, 2), 12)
    problem = Problem.from_measure(measure("nDCG"), build_judged(random_topics, (0, 1, 2)), 0)
    rows = np.arange(12)
    completions = (
        problem.build_lowest(rows),
        problem.build_highest(rows),
        replace(problem).build_completion(rows, problem.build_highest(rows).profile, outside=5),
    )
    whole = [problem.score(completion).tolist() for completion in completions]
    for size in (1, 3, 10):
        monkeypatch.setattr("assay.uncertainty.completions.problem._BLOCK", size)
        assert [problem.score(completion).tolist() for completion in completions] == whole
