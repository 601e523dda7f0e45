"""Measures of judgments with subtopics, against definitions by subtopic and the vectors of the specification."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.measures.diversity import IA, StRecall
from assay.model.judged import Judged
from strategies import many_examples

_ALL = json.loads((Path(__file__).parent.parent / "vectors-more.json").read_text(encoding="utf-8"))
_NOTATION = {"AP_IA": "IA(AP)", "P_IA@5": "IA(P@5)"}
NAMES = ("StRecall", "IA(P", "AP_IA", "P_IA")
VECTORS = [
    pytest.param(vector, id=vector["id"])
    for vector in _ALL
    if vector["op"] == "diversity" and vector["measure"].partition("@")[0].partition("(all")[0] in NAMES
]


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
    with pytest.raises(MeasureError, match=r"needs judgments with subtopics; .*--qrels-format subtopics"):
        assay.evaluate({"1": {"d1": 1}}, {"1": {"d1": 1.0}}, text)


def test_analyses_of_plain_grades_refuse_measures_of_subtopics():
    campaign = assay.read(ROWS, {"a": {"1": ranked("d1")}, "b": {"1": ranked("d2")}})
    for analyse in (assay.uncertainty.bounds, assay.uncertainty.judge_next, assay.distance.med, assay.uncertainty.ties):
        with pytest.raises(MeasureError, match="available for measures of plain grades"):
            analyse(campaign, "StRecall@5")
