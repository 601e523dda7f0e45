"""One topic: its runs and its misplaced documents, against slow definitions."""

from __future__ import annotations

import pytest

import assay
from assay import effort
from assay.effort._curve import curve
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, read_state, small_state

WORLD = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


def test_runs_on_a_topic(client: Client) -> None:
    results = evaluate(WORLD.qrels, WORLD.runs, ["nDCG@10", "NumRelRet"])
    report = effort.indicators(assay.read(WORLD.qrels, WORLD.runs)).frame()
    for at, topic in enumerate(results.topics[:3]):
        found = client.api("topic", topic=topic, measure="nDCG@10")
        values = [row["value"] for row in found["runs"]]
        assert values == sorted(values, reverse=True)
        for row in found["runs"]:
            number = results.runs.index(row["run"])
            assert row["value"] == results.values[0, number, at]
            assert row["relevant_retrieved"] == results.values[1, number, at]
            [expected] = report.filter(run=row["run"], topic=topic).iter_rows(named=True)
            for name in ("twist", "rho", "sigma", "archetype", "still_growing", "s_plus"):
                assert row[name] == expected[name]


def test_misplaced_documents_by_adding_up_curves(client: Client) -> None:
    topic = WORLD.qrels.topics[1]
    positions: dict[str, list[int]] = {}
    ranks: dict[str, list[int]] = {}
    for run in WORLD.runs:
        for row in curve(assay.read(WORLD.qrels, run), topic).frame().iter_rows(named=True):
            if row["document"] is not None:
                positions.setdefault(row["document"], []).append(row["rp"])
                ranks.setdefault(row["document"], []).append(row["rank"])
    found = client.api("topic", topic=topic, most=1000)
    wrong = {name: rps for name, rps in positions.items() if any(rps)}
    assert {row["document"] for row in found["misplaced"]} == set(wrong)
    assert found["misplaced_in_all"] == len(wrong)
    assert found["documents"] == len(positions)
    for row in found["misplaced"]:
        rps = wrong[row["document"]]
        assert row["misplaced_by"] == sum(rp != 0 for rp in rps)
        assert row["early_by"] == sum(rp < 0 for rp in rps)
        assert row["late_by"] == sum(rp > 0 for rp in rps)
        assert row["retrieved_by"] == len(rps)
        assert row["mean_rp"] == pytest.approx(sum(rps) / len(rps))
        assert row["mean_abs_rp"] == pytest.approx(sum(map(abs, rps)) / len(rps))
        assert (row["best_rank"], row["worst_rank"]) == (min(ranks[row["document"]]), max(ranks[row["document"]]))
    totals = [sum(map(abs, wrong[row["document"]])) for row in found["misplaced"]]
    assert totals == [row["total"] for row in found["misplaced"]]
    assert totals == sorted(totals, reverse=True)
    assert client.api("topic", topic=topic, most=3)["misplaced"] == found["misplaced"][:3]


def test_by_hand(by_hand: Client) -> None:
    found = by_hand.api("topic", topic="1")
    assert [row["run"] for row in found["runs"]] == ["z", "x", "y"]
    assert [row["retrieved"] for row in found["runs"]] == [2, 4, 3]
    assert (found["relevant"], found["judged"], found["documents"], found["unjudged"]) == (3, 4, 5, 1)
    documents = {row["document"]: row for row in found["misplaced"]}
    assert set(documents) == {"a", "c", "d", "u"}, "b is where it belongs"
    assert documents["u"]["grade"] is None
    assert documents["c"] == {
        "document": "c",
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


def test_a_topic_without_relevant_documents(by_hand: Client) -> None:
    found = by_hand.api("topic", topic="3")
    assert found["relevant"] == 0
    assert found["misplaced"] == []
    assert {row["archetype"] for row in found["runs"]} == {None}


def test_runs_without_a_value_stand_last() -> None:
    found = client_of(small_state(missing="exclude")).api("topic", topic="3", measure="P@1")
    assert [row["run"] for row in found["runs"]][-1] == "y"
    assert found["runs"][-1]["value"] is None


def test_without_unjudged_documents() -> None:
    found = client_of(small_state(unjudged="condensed")).api("topic", topic="1")
    assert found["unjudged"] == 0
    assert "u" not in {row["document"] for row in found["misplaced"]}


def test_a_topic_that_nobody_answers() -> None:
    state = read_state({**QRELS, "4": {"a": 1}}, RUNS)
    found = client_of(state).api("topic", topic="4")
    assert found["documents"] == 0
    assert found["misplaced"] == []
    assert {row["value"] for row in found["runs"]} == {0.0}


def test_what_is_refused(by_hand: Client) -> None:
    assert by_hand.wrong("topic") == "topic is missing; write topic=..."
    assert "there is no topic '4'" in by_hand.wrong("topic", topic="4")
    assert "from 1 to 1000" in by_hand.wrong("topic", topic="1", most=1001)
