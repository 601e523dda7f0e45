"""Tests of the topic page: runs and misplaced documents, compared with slow definitions."""

from __future__ import annotations

import pytest

import assay
from assay import effort
from assay.effort._curve import curve
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


def test_values_and_indicators_of_runs_on_a_topic(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, ["nDCG@10", "NumRelRet"])
    report = effort.indicators(assay.read(COLLECTION.qrels, COLLECTION.runs)).frame()
    for index, topic in enumerate(results.topics[:3]):
        content = client.api("topic", topic=topic, measure="nDCG@10")
        values = [row["value"] for row in content["runs"]]
        assert values == sorted(values, reverse=True)
        for row in content["runs"]:
            number = results.runs.index(row["run"])
            assert row["value"] == results.values[0, number, index]
            assert row["relevant_retrieved"] == results.values[1, number, index]
            [expected] = report.filter(run=row["run"], topic=topic).iter_rows(named=True)
            for name in ("twist", "rho", "sigma", "archetype", "still_growing", "s_plus"):
                assert row[name] == expected[name]


def test_misplaced_documents_match_sums_over_curves(client: Client) -> None:
    topic = COLLECTION.qrels.topics[1]
    positions: dict[str, list[int]] = {}
    ranks: dict[str, list[int]] = {}
    for run in COLLECTION.runs:
        for row in curve(assay.read(COLLECTION.qrels, run), topic).frame().iter_rows(named=True):
            if row["document"] is not None:
                positions.setdefault(row["document"], []).append(row["rp"])
                ranks.setdefault(row["document"], []).append(row["rank"])
    content = client.api("topic", topic=topic, most=1000)
    misplaced = {name: rps for name, rps in positions.items() if any(rps)}
    assert {row["document"] for row in content["misplaced"]} == set(misplaced)
    assert content["misplaced_in_all"] == len(misplaced)
    assert content["documents"] == len(positions)
    for row in content["misplaced"]:
        rps = misplaced[row["document"]]
        assert row["misplaced_by"] == sum(rp != 0 for rp in rps)
        assert row["early_by"] == sum(rp < 0 for rp in rps)
        assert row["late_by"] == sum(rp > 0 for rp in rps)
        assert row["retrieved_by"] == len(rps)
        assert row["mean_rp"] == pytest.approx(sum(rps) / len(rps))
        assert row["mean_abs_rp"] == pytest.approx(sum(map(abs, rps)) / len(rps))
        assert (row["best_rank"], row["worst_rank"]) == (min(ranks[row["document"]]), max(ranks[row["document"]]))
    totals = [sum(map(abs, misplaced[row["document"]])) for row in content["misplaced"]]
    assert totals == [row["total"] for row in content["misplaced"]]
    assert totals == sorted(totals, reverse=True)
    assert client.api("topic", topic=topic, most=3)["misplaced"] == content["misplaced"][:3]


def test_small_campaign_computed_by_hand(small_client: Client) -> None:
    content = small_client.api("topic", topic="1")
    assert [row["run"] for row in content["runs"]] == ["z", "x", "y"]
    assert [row["retrieved"] for row in content["runs"]] == [2, 4, 3]
    assert (content["relevant"], content["judged"], content["documents"], content["unjudged"]) == (3, 4, 5, 1)
    documents = {row["document"]: row for row in content["misplaced"]}
    assert set(documents) == {"a", "c", "d", "u"}, "b is at its ideal rank"
    assert documents["u"]["grade"] is None
    assert documents["c"] == {
        "document": "c",
        "title": None,
        "grade": 0,
        "misplaced_by": 2,
        "early_by": 2,
        "late_by": 0,
        "retrieved_by": 2,
        "mean_rp": -2.5,
        "mean_abs_rp": 2.5,
        "best_rank": 1,
        "worst_rank": 2,
        "total": 5,
    }
    assert (documents["a"]["late_by"], documents["a"]["mean_rp"]) == (2, 1)


def test_topic_without_relevant_documents(small_client: Client) -> None:
    content = small_client.api("topic", topic="3")
    assert content["relevant"] == 0
    assert content["misplaced"] == []
    assert {row["archetype"] for row in content["runs"]} == {None}


def test_runs_without_a_value_are_last() -> None:
    content = client_of(small_state(missing="exclude")).api("topic", topic="3", measure="P@1")
    assert [row["run"] for row in content["runs"]][-1] == "y"
    assert content["runs"][-1]["value"] is None


def test_condensed_rankings_have_no_unjudged_documents() -> None:
    content = client_of(small_state(unjudged="condensed")).api("topic", topic="1")
    assert content["unjudged"] == 0
    assert "u" not in {row["document"] for row in content["misplaced"]}


def test_topic_without_retrieved_documents() -> None:
    state = read_state({**QRELS, "4": {"a": 1}}, RUNS)
    content = client_of(state).api("topic", topic="4")
    assert content["documents"] == 0
    assert content["misplaced"] == []
    assert {row["value"] for row in content["runs"]} == {0.0}


def test_invalid_parameters_are_rejected(small_client: Client) -> None:
    assert small_client.wrong("topic") == "topic is missing; write topic=..."
    assert "there is no topic '4'" in small_client.wrong("topic", topic="4")
    assert "from 1 to 1000" in small_client.wrong("topic", topic="1", most=1001)
