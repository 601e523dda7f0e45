"""Bounds of measures whose users never stop: what may stand behind the end of a ranking."""

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
def test_the_residuals_of_the_paper(vector: dict) -> None:
    ranking = [SYMBOLS[symbol] for symbol in vector["inputs"]["ranking"]]
    found = bound_values(RBP(p=vector["inputs"]["p"]), Judged.from_grades([ranking]))
    assert [found.low[0], found.high[0]] == pytest.approx(vector["computed"], abs=1e-12)
    assert [found.low[0], found.high[0]] == pytest.approx(vector["expected"], abs=vector["tolerance"])
    assert found.exact[0]


def test_vectors_are_there() -> None:
    assert len(VECTORS) == 3


@many_examples(max_examples=60, collection=collections(tuple(pool for pool in POOLS if pool != (0, 3, 1e6))))
def test_rbp_lies_between_its_value_and_the_residual_above_it(collection) -> None:
    rankings = collection.to_judged()
    for p in (0, 0.5, 0.95):
        residual = RBPresidual(p=p).score(rankings)
        for setting, best in (({}, 1.0), ({"gains": "unit"}, 1.0), ({"gains": "exp12"}, 1 - 0.5**collection.top)):
            of = RBP(p=p, **setting)
            found = bound_values(of, rankings)
            assert found.exact.all()
            assert found.low == pytest.approx(of.score(rankings), abs=1e-12)
            assert found.high == pytest.approx(of.score(rankings) + best * residual, abs=1e-12)
            assert (found.high <= 1).all()


@many_examples(max_examples=40, collection=collections(((0, 1), (0, 1, 2), (-1, 0, 1), ())))
def test_down_to_the_cutoff_only(collection) -> None:
    rankings = collection.to_judged()
    for cut in (1, 4, 20):
        found = bound_values(measure(f"RBP(p=0.7)@{cut}"), rankings)
        rest = RBPresidual(p=0.7, cutoff=cut).score(rankings) - 0.7**cut
        assert found.high == pytest.approx(found.low + rest, abs=1e-12)


CUT = ("RBP(p=0.8)@6", "RBP(p=0.6, gains=unit)@5", "RBPnorm(p=0.5)@5", "RBPnorm(p=0.8, rel=2)@6")
CUT_CONDITIONAL = ("RBP(p1=0.9, p2=0.5)@6", "RBP(p1=0.2, p2=0.9)@5", "RBP(p1=1, p2=0.5)@6", "RBP(p1=0, p2=1)@5")


@pytest.mark.parametrize(
    "text", [*CUT, *CUT_CONDITIONAL, "RBP(p1=0.5, p2=1)@5", "RBP(p1=1, p2=0)@5", "RBP(p1=0, p2=0)@5"]
)
@pytest.mark.parametrize("pool", [(0, 1), (0, 1, 2), (-1, 0, 1), (0, 0.5, 2), ()])
def test_with_a_cutoff_there_are_unjudged_documents_down_to_it(text: str, pool: tuple[float, ...]) -> None:
    """The definition, of rankings that are filled up with unjudged documents."""
    of = measure(text)
    for topic in topics(pool, 8, seed=1, longest=4):
        ranking = topic.ranking[: of.cutoff]
        ranking += (None,) * (of.cutoff - len(ranking))
        if sum(grade is None or grade < 0 for grade in ranking) > 6:
            continue
        found = bound_values(of, build_judged([topic], pool))
        assert found.exact[0]
        wanted = extremes(of, Topic(ranking, topic.counts), grades_of(of, pool))
        # Longer rankings than the cutoff have ungraded documents behind it that matter to the scale of RBPnorm.
        if len(topic.ranking) <= of.cutoff:
            assert (found.low[0], found.high[0]) == pytest.approx(wanted, abs=1e-12)


# Appended for real ---------------------------------------------------------------------------------------------

TAILED = (
    *("RBP(p=0.8)", "RBP(p=0, gains=unit)", "RBP(p=0.8, gains=exp12)", "RBP(p1=0.9, p2=0.5)", "RBP(p1=0.3, p2=0.9)"),
    *("RBP(p1=0.99, p2=0.5)", "RBP(p1=1, p2=0.5)", "RBP(p1=1, p2=0)", "RBP(p1=0, p2=1)", "RBP(p1=0.5, p2=1)"),
    *("RBPnorm(p=0.8)", "INSQ(T=1)", "INSQ(T=0.3, gains=exp12)", "INST(T=1)", "INST(T=0.5)", "INST(T=3, max_rel=4)"),
    *("INST(T=2, gains=binary)", "NERR10(p=0.9)", "NERR10(p=0.9, gains=exp12)", "NERR10(p=0.8, gains={1:0.1,2:0.2})"),
    *("NERR11(T=1)", "NERR11(T=2, gains=exp12)", "NERR11(T=3, max_rel=4)"),
)
LOOSE = ("INST(T=1, gains=exp12)", "INST(T=3, gains={1:0.2,2:0.6})", "NERR11(T=1, gains={1:0.001,2:0.002})")


def appended(of: Measure, pool: tuple[float, ...], number: int) -> np.ndarray:
    """The values of rankings with the best documents in all places that are open, and as many more behind the end.

    Of a grade that is not the largest, RBPnorm may make more.
    """
    grades = [grade for grade in grades_of(of, pool) if grade > 0]
    return np.max([_appended(of, pool, number, grade) for grade in grades], axis=0)


def _appended(of: Measure, pool: tuple[float, ...], number: int, best: float) -> np.ndarray:
    full, levels = [], {*pool, *grades_of(of, pool)}
    for topic in few(pool):
        ranking = tuple(best if grade is None or grade < 0 else grade for grade in topic.ranking) + (best,) * number
        full.append(Topic(ranking, {grade: ranking.count(grade) for grade in levels}))
    return of.score(build_judged(full, levels))


def few(pool: tuple[float, ...]) -> list[Topic]:
    # Nothing is judged outside, which would be the scale of RBPnorm.
    drawn = topics(pool, 6, seed=2)
    return [Topic(topic.ranking, {grade: topic.ranking.count(grade) for grade in pool}) for topic in drawn]


@pytest.mark.parametrize("text", [*TAILED, *LOOSE])
def test_upper_bounds_are_approached_by_appending_the_best_documents(text: str) -> None:
    of = measure(text)
    for pool in ((0, 1), (0, 1, 2), ()):
        found = bound_values(of, build_judged(few(pool), pool))
        short, long, longer = (appended(of, pool, number) for number in (3, 300, 3000))
        assert (short <= long + 1e-12).all()
        assert (long <= longer + 1e-12).all()
        assert (longer <= found.high + 1e-9).all()
        assert (found.high <= 1).all()
        if found.exact.all():
            slow = text.startswith("INSQ") or "p1=1," in text
            assert longer == pytest.approx(found.high, abs=1e-2 if slow else 1e-9)
        assert found.exact.all() == (text not in LOOSE)


@pytest.mark.parametrize("text", [*TAILED, *LOOSE])
def test_without_a_tail_the_ranking_ends(text: str) -> None:
    of = measure(text)
    for pool in ((0, 1), (0, 1, 2)):
        rankings = build_judged(few(pool), pool)
        with_tail, without = bound_values(of, rankings), bound_values(of, rankings, tail=False)
        assert without.exact.all()
        assert without.low == pytest.approx(with_tail.low, abs=1e-12) or text.startswith("RBPnorm")
        assert (without.high <= with_tail.high + 1e-12).all()
        if text not in ("RBP(p1=0.5, p2=1)", "RBP(p=0, gains=unit)"):
            assert (without.high < with_tail.high - 1e-6).any()


@pytest.mark.parametrize("text", ["RBPnorm(p=0.8)", "RBPnorm(p=0.5)@6"])
def test_the_scale_of_rbpnorm_may_grow_behind_the_end(text: str) -> None:
    """One document of the top grade, far down, makes all others worth less."""
    of, topic = measure(text), Topic((1, 0), {0: 1, 1: 1, 4: 0})
    rankings = build_judged([topic], (0, 1, 4))
    far = 6 if of.cutoff else 400
    ranking = (*topic.ranking, *(0,) * (far - 3), 4)
    found = bound_values(of, rankings)
    assert found.low[0] == pytest.approx(of.of(ranking, {0: 400, 1: 1, 4: 1}), abs=1e-12 if not of.cutoff else 0.05)
    assert found.low[0] < of.of(topic.ranking, topic.counts) / 3
    assert bound_values(of, rankings, tail=False).low[0] == of.of(topic.ranking, topic.counts)
    assert bound_values(of, rankings, outside=1, tail=False).low[0] == pytest.approx(
        of.of(topic.ranking, {0: 1, 1: 1, 4: 1})
    )


@pytest.mark.parametrize("text", ["NERR8@10", "NERR9@10", "ERR", "DCG", "RR", "SDCG@10", "P@10", "AP", "nDCG"])
def test_other_measures_know_nothing_behind_the_end(text: str) -> None:
    rankings = build_judged(few((0, 1, 2)), (0, 1, 2))
    for one, other in zip(
        bound_values(measure(text), rankings), bound_values(measure(text), rankings, tail=False), strict=True
    ):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("text", ["NERR11(T=1, gains={1:0})", "INST(T=1, gains={1:0})", "RBP(p=0.5, gains={1:0})"])
def test_nothing_is_worth_anything(text: str) -> None:
    found = bound_values(measure(text), Judged.from_grades([[None, 1]], {0: 1, 1: 1}))
    assert [each[0] for each in found] == [0, 0, True]


def test_a_persistence_of_nearly_one_needs_no_long_ranking() -> None:
    """The closed form of p1 and p2 agrees with RBP where both are the same."""
    rankings = build_judged(few((0, 1)), (0, 1))
    one, other = (bound_values(measure(text), rankings) for text in ("RBP(p1=0.9999, p2=0.9999)", "RBP(p=0.9999)"))
    assert one.high == pytest.approx(other.high, abs=1e-9)
    assert one.low == pytest.approx(other.low, abs=1e-12)


def test_completed_rankings_are_scored_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    several = topics((0, 1, 2), 12)
    problem = Problem.from_measure(measure("nDCG"), build_judged(several, (0, 1, 2)), 0)
    every = np.arange(12)
    ends = (
        problem.build_lowest(every),
        problem.build_highest(every),
        replace(problem).build_completion(every, problem.build_highest(every).profile, outside=5),
    )
    whole = [problem.score(end).tolist() for end in ends]
    for size in (1, 3, 10):
        monkeypatch.setattr("assay.uncertainty.completions.problem._BLOCK", size)
        assert [problem.score(end).tolist() for end in ends] == whole
