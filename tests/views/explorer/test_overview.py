"""Tests of leaderboard, census and correlation, compared with the analyses."""

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
RUNS_WITHOUT_VALUES = {"a": {"2": {"n": 1.0}}, "b": {"1": {"r": 1.0}}}
MEASURES = ["nDCG@10", "AP", "NumRelRet", "GM(AP)"]


def test_leaderboard_matches_evaluate(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, MEASURES)
    content = client.api("leaderboard", measure=MEASURES, confidence=0.8)
    assert [row["run"] for row in content["rows"]] == results.best("nDCG@10")
    assert [row["place"] for row in content["rows"]] == [1, 2, 3, 4, 5]
    values = {row["run"]: row["values"] for row in content["rows"]}
    for expected in results.means(0.8).iter_rows(named=True):
        value = values[expected["run"]][expected["measure"]]
        assert value == {name: expected[name] for name in ("value", "low", "high", "topics")}
    assert [entry["measure"] for entry in content["measures"]] == MEASURES
    assert content["runs"] == 5
    assert content["confidence"] == 0.8


def test_leaderboard_can_be_sorted_by_any_column(client: Client) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, MEASURES)
    by_ap = client.api("leaderboard", measure=MEASURES, sort="AP")
    assert [row["run"] for row in by_ap["rows"]] == results.best("AP")
    by_name = client.api("leaderboard", measure=MEASURES, sort="run")
    assert [row["run"] for row in by_name["rows"]] == sorted(results.runs)
    ranks = {run: rank for rank, run in enumerate(results.best(MEASURES[0]), 1)}
    for content in (by_ap, by_name):
        assert {row["run"]: row["place"] for row in content["rows"]} == ranks
    assert "choose one of nDCG@10, run" in client.wrong("leaderboard", measure="nDCG@10", sort="AP")


@pytest.mark.parametrize("sort", ["P@1", "run"])
def test_equal_runs_share_a_rank(sort: str) -> None:
    runs = {name: {"1": {document: 1.0}} for name, document in zip("abcd", "nrrn", strict=True)}
    client = client_of(read_state({"1": {"r": 1, "n": 0}}, runs))
    expected = {"a": 3, "b": 1, "c": 1, "d": 3}
    rows = client.api("leaderboard", measure="P@1", sort=sort)["rows"]
    assert {row["run"]: row["place"] for row in rows} == expected
    board = client.api("lab", measure=["P@1", "NumRelRet"])["rows"]
    assert {row["run"]: row["place"] for row in board} == expected
    assert {row["run"]: row["places"]["NumRelRet"] for row in board} == expected
    assert {row["run"]: row["place"] for row in client.api("topic", topic="1", measure="P@1")["runs"]} == expected


def test_run_without_a_value_is_last() -> None:
    client = client_of(
        read_state({"1": {"r": 1}, "2": {"n": 0}}, RUNS_WITHOUT_VALUES, undefined="exclude", missing="exclude")
    )
    rows = client.api("leaderboard", measure="AP")["rows"]
    assert [(row["run"], row["place"], row["values"]["AP"]["value"]) for row in rows] == [("b", 1, 1.0), ("a", 2, None)]


def test_order_of_a_measure_where_lower_is_better(client: Client) -> None:
    content = client.api("leaderboard", measure="Unjudged@10")
    assert (
        content["measures"][0]["lower_is_better"]
        == evaluate(COLLECTION.qrels, COLLECTION.runs, "Unjudged@10").measures[0].lower_is_better
    )
    values = [row["values"]["Unjudged@10"]["value"] for row in content["rows"]]
    assert values == sorted(values, reverse=not content["measures"][0]["lower_is_better"])


def test_filtered_runs_keep_their_ranks(client: Client) -> None:
    all_rows = client.api("leaderboard")["rows"]
    name = all_rows[2]["run"]
    [row] = [entry for entry in client.api("leaderboard", filter=name.upper())["rows"] if entry["run"] == name]
    assert row == all_rows[2]
    assert client.api("leaderboard", filter="no such run")["rows"] == []
    assert client.api("leaderboard", filter="(.*")["rows"] == []


def test_excluded_topics_are_not_counted() -> None:
    client = client_of(small_state(undefined="exclude", missing="exclude"))
    content = client.api("leaderboard", measure="AP")
    expected = evaluate(QRELS, RUNS, "AP", undefined="exclude", missing="exclude")
    assert {entry["run"]: entry["values"]["AP"]["topics"] for entry in content["rows"]} == {"x": 2, "y": 2, "z": 1}
    assert content["notes"] == list(expected.notes)
    row = next(entry for entry in content["rows"] if entry["run"] == "z")
    assert row["values"]["AP"]["low"] is None


def test_census_matches_the_analysis(client: Client, small_client: Client) -> None:
    for census_client, report in (
        (client, effort.indicators(assay.read(COLLECTION.qrels, COLLECTION.runs))),
        (small_client, effort.indicators(assay.read(QRELS, RUNS))),
    ):
        for merge in (False, True):
            content = census_client.api("census", merge=int(merge))
            assert {row["archetype"]: row["share"] for row in content["archetypes"]} == report.census(merge)
            counts = replace(report, merge=merge).archetype_counts()
            for row in content["rows"]:
                run_counts = counts.filter(run=row["run"]).select("archetype", "curves")
                assert row == {"run": row["run"], **dict(run_counts.iter_rows())}
            assert content["curves"] == counts.filter(run="all")["curves"].sum()
    assert small_client.api("census")["without"] == 3


def test_census_of_some_runs(small_client: Client) -> None:
    content = small_client.api("census", run=["z", "x"])
    assert [row["run"] for row in content["rows"]] == ["z", "x"]
    assert content["curves"] == 4
    assert sum(row["share"] for row in content["archetypes"]) == pytest.approx(1)
    assert "there is no run 'w'" in small_client.wrong("census", run="w")


def test_correlation_matches_correlate(client: Client) -> None:
    expected = correlate(assay.read(COLLECTION.qrels, COLLECTION.runs), MEASURES)
    content = client.api("correlation", measure=MEASURES)
    for name in ("tau", "tau_ap", "p"):
        values = np.array(content[name], dtype=float)
        assert np.allclose(values, getattr(expected.taus, name), equal_nan=True)
    assert content["measures"] == MEASURES
    assert content["runs"] == 5


def test_constant_measure_has_no_correlation(client: Client) -> None:
    content = client.api("correlation", measure=["AP", "NumQ"])
    assert content["tau"][0][1] is None
    assert content["tau"][0][0] == 1


def test_ranks_are_shared_up_to_rounding() -> None:
    """The sums of RR have the same terms in another order and differ in the last digit."""
    ranks = {"low": [9] * 6, "a": [7, 12, 1, 9, 4, 8], "b": [1, 7, 8, 12, 4, 9]}
    runs = {
        run: {
            str(topic): {"rel": -rank, **{f"d{i}": -i for i in range(1, rank)}} for topic, rank in enumerate(run_ranks)
        }
        for run, run_ranks in ranks.items()
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
