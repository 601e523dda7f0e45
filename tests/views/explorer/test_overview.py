"""Leaderboard, census and correlation, against the analyses themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import assay
from assay import effort
from assay.meta._correlate import correlate
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
RUNLESS = {"a": {"2": {"n": 1.0}}, "b": {"1": {"r": 1.0}}}
CHOSEN = ["nDCG@10", "AP", "NumRelRet", "GM(AP)"]


def test_leaderboard_is_that_of_evaluate(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, CHOSEN)
    content = client.api("leaderboard", measure=CHOSEN, confidence=0.8)
    assert [row["run"] for row in content["rows"]] == results.best("nDCG@10")
    assert [row["place"] for row in content["rows"]] == [1, 2, 3, 4, 5]
    values = {row["run"]: row["values"] for row in content["rows"]}
    for expected in results.means(0.8).iter_rows(named=True):
        own = values[expected["run"]][expected["measure"]]
        assert own == {name: expected[name] for name in ("value", "low", "high", "topics")}
    assert [one["measure"] for one in content["measures"]] == CHOSEN
    assert content["runs"] == 5
    assert content["confidence"] == 0.8


def test_leaderboard_in_other_orders(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, CHOSEN)
    by_ap = client.api("leaderboard", measure=CHOSEN, sort="AP")
    assert [row["run"] for row in by_ap["rows"]] == results.best("AP")
    by_name = client.api("leaderboard", measure=CHOSEN, sort="run")
    assert [row["run"] for row in by_name["rows"]] == sorted(results.runs)
    place = {run: at for at, run in enumerate(results.best(CHOSEN[0]), 1)}
    for found in (by_ap, by_name):
        assert {row["run"]: row["place"] for row in found["rows"]} == place
    assert "choose one of nDCG@10, run" in client.wrong("leaderboard", measure="nDCG@10", sort="AP")


@pytest.mark.parametrize("sort", ["P@1", "run"])
def test_equal_runs_share_a_place(sort: str) -> None:
    runs = {name: {"1": {document: 1.0}} for name, document in zip("abcd", "nrrn", strict=True)}
    client = client_of(read_state({"1": {"r": 1, "n": 0}}, runs))
    expected = {"a": 3, "b": 1, "c": 1, "d": 3}
    rows = client.api("leaderboard", measure="P@1", sort=sort)["rows"]
    assert {row["run"]: row["place"] for row in rows} == expected
    board = client.api("lab", measure=["P@1", "NumRelRet"])["rows"]
    assert {row["run"]: row["place"] for row in board} == expected
    assert {row["run"]: row["places"]["NumRelRet"] for row in board} == expected
    assert {row["run"]: row["place"] for row in client.api("topic", topic="1", measure="P@1")["runs"]} == expected


def test_a_run_without_a_value_stands_last() -> None:
    client = client_of(read_state({"1": {"r": 1}, "2": {"n": 0}}, RUNLESS, undefined="exclude", missing="exclude"))
    rows = client.api("leaderboard", measure="AP")["rows"]
    assert [(row["run"], row["place"], row["values"]["AP"]["value"]) for row in rows] == [("b", 1, 1.0), ("a", 2, None)]


def test_lower_is_better(client: Client) -> None:
    content = client.api("leaderboard", measure="Unjudged@10")
    assert (
        content["measures"][0]["lower_is_better"]
        == evaluate(COLLECTION.qrels, COLLECTION.runs, "Unjudged@10").measures[0].lower_is_better
    )
    values = [row["values"]["Unjudged@10"]["value"] for row in content["rows"]]
    assert values == sorted(values, reverse=not content["measures"][0]["lower_is_better"])


def test_some_runs_keep_their_places(client: Client) -> None:
    every = client.api("leaderboard")["rows"]
    wanted = every[2]["run"]
    [row] = [one for one in client.api("leaderboard", filter=wanted.upper())["rows"] if one["run"] == wanted]
    assert row == every[2]
    assert client.api("leaderboard", filter="no such run")["rows"] == []
    assert client.api("leaderboard", filter="(.*")["rows"] == []


def test_topics_left_out() -> None:
    client = client_of(small_state(undefined="exclude", missing="exclude"))
    content = client.api("leaderboard", measure="AP")
    expected = evaluate(QRELS, RUNS, "AP", undefined="exclude", missing="exclude")
    assert {row["run"]: row["values"]["AP"]["topics"] for row in content["rows"]} == {"x": 2, "y": 2, "z": 1}
    assert content["notes"] == list(expected.notes)
    alone = next(row for row in content["rows"] if row["run"] == "z")
    assert alone["values"]["AP"]["low"] is None


def test_census_is_that_of_the_report(client: Client, small_client: Client) -> None:
    for asked, report in (
        (client, effort.indicators(assay.read(COLLECTION.qrels, COLLECTION.runs))),
        (small_client, effort.indicators(assay.read(QRELS, RUNS))),
    ):
        for merge in (False, True):
            content = asked.api("census", merge=int(merge))
            assert {row["archetype"]: row["share"] for row in content["archetypes"]} == report.census(merge)
            counts = replace(report, merge=merge).archetype_counts()
            for row in content["rows"]:
                own = counts.filter(run=row["run"]).select("archetype", "curves")
                assert row == {"run": row["run"], **dict(own.iter_rows())}
            assert content["curves"] == counts.filter(run="all")["curves"].sum()
    assert small_client.api("census")["without"] == 3


def test_census_of_some_runs(small_client: Client) -> None:
    content = small_client.api("census", run=["z", "x"])
    assert [row["run"] for row in content["rows"]] == ["z", "x"]
    assert content["curves"] == 4
    assert sum(row["share"] for row in content["archetypes"]) == pytest.approx(1)
    assert "there is no run 'w'" in small_client.wrong("census", run="w")


def test_correlation_is_that_of_correlate(client: Client) -> None:
    expected = correlate(assay.read(COLLECTION.qrels, COLLECTION.runs), CHOSEN)
    content = client.api("correlation", measure=CHOSEN)
    for name in ("tau", "tau_ap", "p"):
        given = np.array(content[name], dtype=float)
        assert np.allclose(given, getattr(expected.taus, name), equal_nan=True)
    assert content["measures"] == CHOSEN
    assert content["runs"] == 5


def test_a_measure_that_tells_no_runs_apart(client: Client) -> None:
    content = client.api("correlation", measure=["AP", "NumQ"])
    assert content["tau"][0][1] is None
    assert content["tau"][0][0] == 1


def test_places_of_every_measure_are_shared_up_to_rounding() -> None:
    """RR adds the same values in another order, which differs in the last digit."""
    ranks = {"low": [9] * 6, "a": [7, 12, 1, 9, 4, 8], "b": [1, 7, 8, 12, 4, 9]}
    runs = {
        run: {str(topic): {"rel": -rank, **{f"d{i}": -i for i in range(1, rank)}} for topic, rank in enumerate(own)}
        for run, own in ranks.items()
    }
    client = client_of(read_state({str(topic): {"rel": 1} for topic in range(6)}, runs))
    rows = client.api("leaderboard", measure=["AP", "RR"])["rows"]
    assert rows[0]["values"]["RR"]["value"] != rows[1]["values"]["RR"]["value"]
    assert {row["run"]: row["places"] for row in rows} == {
        "a": {"AP": 1, "RR": 1},
        "b": {"AP": 1, "RR": 1},
        "low": {"AP": 3, "RR": 3},
    }
    system = client.api("system", run="b", measure="RR")
    assert (system["place"], system["tied"]) == (1, 1)
    assert client.api("pair", a="a", b="b", measure="RR")["difference"] == 0
    assert client.api("separation", measure="RR")["equal"] == ["b"]
