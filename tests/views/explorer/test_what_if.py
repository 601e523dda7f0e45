"""Tests of the values after edits: the same as of a campaign that is read with the edited ranking and judgments."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import assay
from assay.simulation import simulate
from explorer_cases import Client, client_of, read_state, small_state

MEASURES = ("AP", "DCG", "RBP(p=0.8)", "Twist")


@pytest.fixture(scope="module")
def collection() -> Any:
    return simulate(systems=4, topics=4, depth=30, pool=12, seed=5)


@pytest.fixture(scope="module")
def clients(collection: Any) -> dict[str, Client]:
    return {
        policy: client_of(read_state(collection.qrels, collection.runs, unjudged=policy))
        for policy in ("nonrelevant", "condensed")
    }


def edit_files(collection: Any, run: str, topic: str, moves: list[tuple[int, int]], grades: dict[int, Any]) -> Any:
    """Return the judgments and runs after edits, as dicts."""
    qrels: dict[str, dict[str, float]] = {}
    for name, doc, grade in collection.qrels.frame().select("topic", "doc", "grade").iter_rows():
        qrels.setdefault(name, {})[doc] = grade
    runs: dict[str, dict[str, list[str]]] = {}
    for one in collection.runs:
        for name, doc in (
            one.frame().sort("topic", pl.col("score"), descending=[False, True]).select("topic", "doc").iter_rows()
        ):
            runs.setdefault(one.name, {}).setdefault(name, []).append(doc)
    original = list(runs[run][topic])
    for source, target in moves:
        document = original[source - 1]
        runs[run][topic].remove(document)
        runs[run][topic].insert(target - 1, document)
    for rank, grade in grades.items():
        qrels[topic].pop(original[rank - 1], None)
        if grade is not None:
            qrels[topic][original[rank - 1]] = grade
    scored = {
        name: {t: {doc: 1000.0 - i for i, doc in enumerate(docs)} for t, docs in topics.items()}
        for name, topics in runs.items()
    }
    return qrels, scored, runs[run][topic]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("policy", ["nonrelevant", "condensed"])
def test_values_equal_those_of_edited_files(
    collection: Any, clients: dict[str, Client], policy: str, seed: int
) -> None:
    rng = random.Random(seed)
    run = rng.choice([one.name for one in collection.runs])
    topic = rng.choice(list(collection.qrels.topics))
    length = len(edit_files(collection, run, topic, [], {})[2])
    moves = [(rng.randint(1, length), rng.randint(1, length)) for _ in range(rng.randint(0, 3))]
    levels = sorted(collection.qrels.frame()["grade"].unique())
    grades = {rng.randint(1, min(length, 12)): rng.choice([None, *levels]) for _ in range(rng.randint(0, 2))}
    qrels, runs, order = edit_files(collection, run, topic, moves, grades)
    texts = [f"{rank}~{'none' if grade is None else f'{grade:g}'}" for rank, grade in grades.items()]
    data = clients[policy].api(
        "what-if", run=run, topic=topic, move=[f"{a}~{b}" for a, b in moves], grade=texts, most=30
    )
    assert [row["document"] for row in data["documents"]] == order
    assert [row["grade"] for row in data["documents"]] == [qrels[topic].get(doc) for doc in order]
    campaign = assay.read(qrels, runs, keep="documents", unjudged=policy)
    results = assay.evaluate(campaign, MEASURES)
    index = campaign.runs.index(run)
    assert [row["measure"] for row in data["values"]] == [str(one) for one in results.measures]
    for number, row in enumerate(data["values"]):
        assert row["after"] == pytest.approx(results.values[number, index, campaign.topics.index(topic)])
        assert row["mean_after"] == pytest.approx(results.overall()[index, number])
        assert row["place_after"] == results.places(results.measures[number])[index]
    curve = assay.effort.curve(campaign, topic, run).frame()
    assert data["curves"]["after"]["crp"] == curve["crp"].to_list()
    assert data["curves"]["after"]["dcg"] == pytest.approx(curve["dcg"].to_list())
    rbp = next(row for row in data["values"] if row["measure"] == "RBP(p=0.8)")
    if policy == "condensed":
        assert rbp["bounds"] == [None, None]
    else:
        report = assay.uncertainty.bounds(campaign, "RBP(p=0.8)").frame().filter(run=run, topic=topic)
        assert rbp["bounds"][1] == pytest.approx([report["low"].item(), report["high"].item()])


def test_no_edits_change_nothing() -> None:
    data = client_of(small_state()).api("what-if", run="x", topic="1", measure="RBP(p=0.5)")
    assert [row["measure"] for row in data["values"]] == ["RBP(p=0.5)", "DCG", "Twist"]
    for row in data["values"]:
        assert (row["before"], row["mean_before"], row["place_before"]) == (
            row["after"],
            row["mean_after"],
            row["place_after"],
        )
    assert data["curves"]["before"] == data["curves"]["after"]
    assert data["edits"] == {"moved": False, "graded": 0}


def test_topics_without_documents_or_relevant_documents() -> None:
    client = client_of(small_state())
    assert client.api("what-if", run="z", topic="2")["documents"] == []
    data = client.api("what-if", run="z", topic="3", grade="1~1")
    assert [row["after"] for row in data["values"] if row["measure"] == "AP"] == [1.0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"move": "5"}, "write two numbers with ~"),
        ({"move": "9~1"}, "a rank is a whole number from 1 to 4"),
        ({"move": "1~0"}, "a rank is a whole number"),
        ({"move": "\u0661~2"}, "a rank is a whole number"),
        ({"grade": "1~7"}, "choose one of the grades of the judgments, none, 0, 1, 2"),
        ({"grade": "0~1"}, "a rank is a whole number"),
        ({"move": ["1~2"] * 101}, "the maximum is 100"),
    ],
)
def test_wrong_edits(small_client: Client, query: dict[str, Any], message: str) -> None:
    assert message in small_client.wrong("what-if", run="x", topic="1", **query)
