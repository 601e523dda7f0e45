"""Measures of judgments with subtopics, against definitions by subtopic and the vectors of the specification."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import InputError, MeasureError
from assay.measures import Measure, measure
from assay.measures._diverse_ideal import rank_greedily
from assay.measures.diversity import IA, StRecall
from assay.model.judged import Judged
from strategies import many_examples

_ALL = json.loads((Path(__file__).parent.parent / "vectors-more.json").read_text(encoding="utf-8"))
_NOTATION = {"AP_IA": "IA(AP)", "P_IA@5": "IA(P@5)"}
OTHERS = ("D_nDCG", "DSharp_nDCG", "RBU")  # measures that assay does not have yet
VECTORS = [
    pytest.param(vector, id=vector["id"])
    for vector in _ALL
    if vector["op"] == "diversity" and not vector["measure"].startswith(OTHERS)
]
IDEALS = [pytest.param(vector, id=vector["id"]) for vector in _ALL if vector["op"] in ("ideal", "ideal-value")]


def frame(rows: list[tuple[str, str, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row")


def ranked(*docs: str) -> dict[str, float]:
    return {doc: float(len(docs) - rank) for rank, doc in enumerate(docs)}


@pytest.mark.parametrize("vector", VECTORS)
def test_vectors(vector):
    given = vector["input"]
    rows = [("t", subtopic, doc, float(grade)) for subtopic, doc, grade in given["qrels"]]
    weights = {"t": given["weights"]} if "weights" in given else None
    text = _NOTATION.get(vector["measure"], vector["measure"])
    results = assay.evaluate(frame(rows), {"t": ranked(*given["ranking"])}, text, subtopic_weights=weights)
    assert results.values.item() == pytest.approx(vector["expected"], abs=vector["tolerance"])


def by_hand(ranking: list[str], judgments: dict[tuple[str, str], float], name: str, cutoff: int, rel: float) -> float:
    """The definitions, one subtopic at a time; *judgments* maps (subtopic, document) to a grade."""
    relevant: dict[str, set[str]] = {}
    for (subtopic, doc), grade in judgments.items():
        if grade >= rel:
            relevant.setdefault(subtopic, set()).add(doc)
    if not relevant:
        return 0.0
    values = []
    for docs in relevant.values():
        hits = [rank for rank, doc in enumerate(ranking, 1) if doc in docs]
        if name == "StRecall":
            values.append(float(any(rank <= cutoff for rank in hits)))
        elif name == "P":
            values.append(sum(rank <= cutoff for rank in hits) / cutoff)
        else:
            values.append(sum(number / rank for number, rank in enumerate(hits, 1)) / len(docs))
    return sum(values) / len(values)


DOCS = [f"d{number}" for number in range(8)]
TOPIC = st.tuples(
    st.permutations(DOCS).map(lambda docs: docs[:6]),
    st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from(DOCS[1:])), st.sampled_from([-2, 0, 1, 2])),
)


@many_examples(max_examples=60, topics=st.lists(TOPIC, min_size=1, max_size=4), rel=st.sampled_from([1, 2]))
def test_definitions(topics, rel):
    rows = [
        (f"t{number}", subtopic, doc, float(grade))
        for number, (_, judgments) in enumerate(topics)
        for (subtopic, doc), grade in judgments.items()
    ]
    rows = [*rows, ("t9", "a", "d0", 2.0)]
    run = {f"t{number}": ranked(*ranking) for number, (ranking, _) in enumerate(topics)}
    names = {"StRecall": f"StRecall(rel={rel})@3", "P": f"IA(P(rel={rel})@4)", "AP": f"IA(AP(rel={rel}))"}
    campaign = assay.read(frame(rows), {"one": {**run, "t9": {"d0": 1.0}}, "two": {"t9": {"d5": 1.0}}})
    results = assay.evaluate(campaign, list(names.values()))
    judged = {topic for topic, *_ in rows}
    for row, (name, cutoff) in enumerate((("StRecall", 3), ("P", 4), ("AP", 0))):
        for number, (ranking, judgments) in enumerate(topics):
            if f"t{number}" in judged:
                column = results.topics.index(f"t{number}")
                expected = by_hand(list(ranking), judgments, name, cutoff, rel)
                assert results.values[row, 0, column] == pytest.approx(expected, abs=1e-12)
    again = assay.evaluate(campaign.select(topics=["t9"]), list(names.values())).values
    assert again[:, 0, 0].tolist() == [1, 0.25, 1]
    assert not again[:, 1].any()


def novelty_by_hand(ranking: list[str], judgments: dict[tuple[str, str], float], measure_: Measure) -> float:
    """The definitions of the measures of novelty; the subtopics are in the order of *judgments*."""
    alpha, name = measure_.alpha, measure_.name
    weight = {
        "alpha": lambda rank: 1 / math.log2(1 + rank),
        "ERR": lambda rank: 1 / rank,
        "NRBP": lambda rank: measure_.beta ** (rank - 1),
    }[name.removeprefix("n").partition("_")[0]]
    relevant = {key: grade for key, grade in judgments.items() if grade >= measure_.rel}
    order = list(dict.fromkeys(subtopic for subtopic, _ in judgments))
    subtopics = [subtopic for subtopic in order if any(name == subtopic for name, _ in relevant)]
    if not subtopics:
        return 0.0

    def gains(docs: list[str]) -> list[float]:
        seen: Counter[str] = Counter()
        found = []
        for doc in docs:
            covered = [subtopic for subtopic in subtopics if (subtopic, doc) in relevant]
            found.append(sum((1 - alpha) ** seen[subtopic] for subtopic in covered))
            seen.update(covered)
        return found

    def total(docs: list[str]) -> float:
        return sum(gain * weight(rank) for rank, gain in enumerate(gains(docs), 1))

    cutoff = measure_.parameters.get("cutoff", len(ranking) + 100)
    value = total(ranking[:cutoff])
    if name in ("alpha_nDCG", "nERR_IA", "nNRBP"):
        waiting, ideal = sorted({doc for _, doc in judgments}), []
        while waiting and len(ideal) < cutoff:
            ideal.append(max(waiting, key=lambda doc: (gains([*ideal, doc])[-1], doc)))
            waiting.remove(ideal[-1])
        return value / total(ideal)
    if name == "NRBP":
        return (1 - (1 - alpha) * measure_.beta) * value / len(subtopics)
    perfect = sum((1 - alpha) ** (rank - 1) * weight(rank) for rank in range(1, cutoff + 1))
    return value / len(subtopics) / (perfect if measure_.norm == "perfect" else 1)


NOVELTY = [
    "alpha_DCG@3", "alpha_DCG(alpha=0.9, norm=none)@4", "alpha_nDCG@3", "alpha_nDCG(alpha=0)@10", "ERR_IA@2",
    "ERR_IA(alpha=1, rel=2)@4", "nERR_IA@3", "nERR_IA(alpha=1)@6", "NRBP", "NRBP(alpha=0.2, beta=0.9, rel=2)",
    "nNRBP", "nNRBP(alpha=0.9, beta=0.1)",
]  # fmt: skip


@many_examples(max_examples=80, topics=st.lists(TOPIC, min_size=1, max_size=4))
def test_definitions_of_novelty(topics):
    rows = [
        (f"t{number}", subtopic, doc, float(grade))
        for number, (_, judgments) in enumerate(topics)
        for (subtopic, doc), grade in judgments.items()
    ]
    rows = [*rows, ("t9", "a", "d0", 2.0)]
    run = {f"t{number}": ranked(*ranking) for number, (ranking, _) in enumerate(topics)}
    results = assay.evaluate(frame(rows), {**run, "t9": {"d0": 1.0}}, NOVELTY)
    for measure_, values in zip(results.measures, results.values[:, 0], strict=True):
        for number, (ranking, judgments) in enumerate(topics):
            if judgments:
                expected = novelty_by_hand(list(ranking), judgments, measure_)
                value = values[results.topics.index(f"t{number}")]
                assert value == pytest.approx(expected, abs=1e-12), measure_


@pytest.mark.parametrize("vector", IDEALS)
def test_ideal_rankings(vector):
    given = vector["input"]
    if given["method"] == "exact":
        pytest.skip("assay has only the greedy ideal ranking")
    relevant = [(subtopic, doc) for subtopic, doc, grade in given["qrels"] if grade >= 1]
    docs = sorted({doc for _, doc, _ in given["qrels"]})
    subtopics = list(dict.fromkeys(subtopic for subtopic, _ in relevant))
    member = np.array([[(subtopic, doc) in relevant for subtopic in subtopics] for doc in docs])
    ideal, gains = rank_greedily(member, docs, np.ones(len(subtopics)), given["alpha"], given.get("k", 100))
    if vector["op"] == "ideal":
        assert [*ideal, *sorted(set(docs) - set(ideal), reverse=True)] == vector["expected"]
    else:
        rank = np.arange(1, len(gains) + 1)
        assert (gains / np.log2(1 + rank)).sum() == pytest.approx(vector["expected"], abs=vector["tolerance"])


def test_without_subtopics_a_topic_has_one_subtopic():
    judged = Judged.from_grades([[0, 1, None, 2], [], [2, 0]])
    for inner in ("AP", "nDCG@2", "RBP(p=0.5)"):
        assert IA(of_measure=measure(inner)).score(judged).tolist() == measure(inner).score(judged).tolist()
    assert StRecall(cutoff=1).score(judged).tolist() == [0, 0, 1]


ROWS = frame([("1", "a", "d1", 1), ("1", "b", "d2", 1), ("1", "b", "d1", 0), ("1", "c", "d3", 0), ("2", "a", "x", 0)])


def test_topics_without_relevant_documents_are_undefined():
    run = {"1": ranked("d3", "d1"), "2": ranked("x")}
    results = assay.evaluate(ROWS, run, ["StRecall@5", "StRecall(all=true)@5", "IA(P@2)"], undefined="exclude")
    assert results.values[:, 0, 0].tolist() == [1 / 2, 1 / 3, 0.25]
    assert np.isnan(results.values[:, 0, 1]).all()


def test_weights():
    run = {"1": ranked("d1", "d2")}
    weights = pl.DataFrame({"topic": ["1", "1"], "subtopic": ["a", "c"], "weight": [3.0, 1.0]})
    results = assay.evaluate(ROWS, run, ["IA(RR)", "StRecall@1"], topics="1", subtopic_weights=weights)
    assert results.values.ravel().tolist() == [1.0, 0.5]
    assert any("weight 0: 2 (first: topic 1, subtopic b)" in note for note in results.notes)
    with pytest.raises(InputError, match="every subtopic with relevant documents has weight 0"):
        assay.evaluate(ROWS, run, "IA(RR)", subtopic_weights={"1": {"c": 1}})
    with pytest.raises(InputError, match=r"weights need judgments with subtopics.*--qrels-format subtopics"):
        assay.evaluate({"1": {"d1": 1}}, run, "AP", subtopic_weights={"1": {"c": 1}})


def test_expected_ties_exchange_documents_of_different_subtopics():
    """d1 and d2 have the same collapsed grade, but cover different subtopics."""
    rows = frame([("1", "a", "d1", 1), ("1", "b", "d2", 1), ("1", "b", "d3", 1)])
    run = {"1": {"d1": 3.0, "d2": 2.0, "d3": 2.0}, "2": {"x": 1.0}}
    tied = {"1": {"d1": 1.0, "d2": 1.0, "x": 1.0}}
    same = assay.evaluate(rows, run, "StRecall@2", ties="expected")
    assert same.values.item() == 1.0
    results = assay.evaluate(rows, tied, "StRecall@2", ties="expected", samples=2000)
    # Two of three documents are drawn: both relevant (1 of 3), or one of them.
    assert results.values.item() == pytest.approx(2 / 3, abs=4 * float(results.errors.item()))
    assert results.errors.item() > 0


@pytest.mark.parametrize("text", ["IA(NumRel)", "IA(GM(AP))", "IA(StRecall@5)", "IA(IA(AP))"])
def test_intent_aware_measures_of_other_measures_are_an_error(text):
    with pytest.raises(MeasureError, match="has no mean over subtopics"):
        measure(text)


@pytest.mark.parametrize("text", ["StRecall@5", "IA(AP)", "GM(IA(AP))", "Condensed(StRecall@5)"])
def test_missing_subtopics_are_an_error_that_names_the_option(text):
    with pytest.raises(MeasureError, match=r"needs judgments with subtopics: .*--qrels-format subtopics"):
        assay.evaluate({"1": {"d1": 1}}, {"1": {"d1": 1.0}}, text)


def test_analyses_of_plain_grades_refuse_measures_of_subtopics():
    campaign = assay.read(ROWS, {"a": {"1": ranked("d1")}, "b": {"1": ranked("d2")}})
    for analyse in (assay.uncertainty.bounds, assay.uncertainty.judge_next, assay.distance.med, assay.uncertainty.ties):
        with pytest.raises(MeasureError, match="available only for measures of plain grades"):
            analyse(campaign, "StRecall@5")
