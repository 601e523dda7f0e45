"""Tests of the system page: comparison with the median run, and unjudged documents."""

from __future__ import annotations

import numpy as np

import assay
from assay import effort
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


def test_indicators_by_topic(client: Client) -> None:
    report = effort.indicators(assay.read(COLLECTION.qrels, COLLECTION.runs)).frame()
    for run in COLLECTION.runs[:2]:
        content = client.api("system", run=run.name)
        run_report = report.filter(run=run.name)
        for row, expected in zip(content["topics"], run_report.iter_rows(named=True), strict=True):
            for name, value in expected.items():
                if name != "run":
                    json_value = value if not isinstance(value, float) or np.isfinite(value) else None
                    assert row[name] == json_value, name


def test_values_are_compared_with_the_median(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, "AP")
    values = results.values[0]
    for number, run in enumerate(results.runs):
        content = client.api("system", run=run, most=3)
        for index, row in enumerate(content["topics"]):
            column = values[:, index]
            assert row["value"] == column[number]
            assert row["median"] == np.median(column)
            assert (row["lowest"], row["highest"]) == (column.min(), column.max())
            assert row["gain"] == column[number] - np.median(column)
            assert row["place"] == 1 + (column > column[number]).sum()
        gains = sorted((row["gain"] for row in content["topics"]), reverse=True)
        assert [row["gain"] for row in content["best"]] == [gain for gain in gains if gain > 0][:3]
        assert [row["gain"] for row in content["worst"]] == [gain for gain in gains[::-1] if gain < 0][:3]
        assert content["place"] == results.best("AP").index(run) + 1


def test_equal_runs_share_a_rank(client: Client) -> None:
    assert {client.api("system", run=run.name, measure="NumRel")["place"] for run in COLLECTION.runs} == {1}


def test_gain_of_a_measure_where_lower_is_better(small_client: Client) -> None:
    """The gain is positive if the run is better than the median, also for costs."""
    measure = "TurnAround"
    results = evaluate(QRELS, RUNS, measure)
    content = small_client.api("system", run="x", measure=measure)
    assert content["lower_is_better"] is results.measures[0].lower_is_better
    sign = -1 if content["lower_is_better"] else 1
    for index, row in enumerate(content["topics"]):
        assert row["gain"] == sign * (results.values[0, 0, index] - np.median(results.values[0, :, index]))


def test_unjudged_documents_match_the_judgments(client: Client) -> None:
    judged = {topic: set(group["doc"]) for (topic,), group in COLLECTION.qrels.frame().group_by("topic")}
    for run in COLLECTION.runs[:2]:
        content = client.api("system", run=run.name, most=4)["unjudged"]
        for row in content:
            docs = run.frame().filter(topic=row["topic"]).sort("score", "doc", descending=True)["doc"]
            unjudged = [(rank, doc) for rank, doc in enumerate(docs, 1) if doc not in judged[row["topic"]]]
            assert row["unjudged"] == len(unjudged)
            assert row["unjudged_10"] == sum(rank <= 10 for rank, _ in unjudged)
            assert row["unjudged_100"] == sum(rank <= 100 for rank, _ in unjudged)
            assert [(entry["rank"], entry["document"]) for entry in row["first"]] == unjudged[:4]


def test_unjudged_documents_computed_by_hand(small_client: Client) -> None:
    rows = {row["topic"]: row for row in small_client.api("system", run="y")["unjudged"]}
    assert rows["1"]["first"] == [{"rank": 2, "document": "u"}]
    assert rows["2"]["first"] == [{"rank": 2, "document": "v"}]
    assert rows["3"] == {
        "topic": "3",
        "retrieved": 0,
        "unjudged": 0,
        "unjudged_10": 0,
        "unjudged_100": 0,
        "first": [],
    }


def test_negative_grades_count_as_unjudged() -> None:
    state = read_state({"1": {"a": 1, "b": -2}}, {"1": {"b": 2.0, "a": 1.0}})
    [row] = client_of(state).api("system", run="run1")["unjudged"]
    assert row["first"] == [{"rank": 1, "document": "b"}]


def test_unjudged_documents_are_listed_for_condensed_rankings() -> None:
    client = client_of(small_state(unjudged="condensed"))
    rows = client.api("system", run="y")["unjudged"]
    assert rows[0]["first"] == [{"rank": 2, "document": "u"}]


def test_topics_without_a_value() -> None:
    client = client_of(small_state(undefined="exclude", missing="exclude"))
    content = client.api("system", run="y")
    row = content["topics"][2]
    assert (row["value"], row["median"], row["gain"], row["place"]) == (None, None, None, None)
    assert "3" not in [entry["topic"] for entry in (*content["best"], *content["worst"])]


def test_invalid_parameters_are_rejected(small_client: Client) -> None:
    assert small_client.wrong("system") == "run is missing; write run=..."
    assert "there is no run 'w'" in small_client.wrong("system", run="w")
    assert "from 1 to 100" in small_client.wrong("system", run="x", most=0)
