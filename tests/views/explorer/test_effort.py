"""Effort against gain and single curves, against the analyses themselves."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import effort
from assay.effort._curve import curve
from assay.model.run import Run
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, small_state

WORLD = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "bpref", "DCG@20"])
def test_points_are_those_of_the_analysis(client: Client, measure: str) -> None:
    expected = effort.against_gain(assay.read(WORLD.qrels, WORLD.runs), measure)
    found = client.api("effort-gain", measure=measure)
    assert found["measure"] == measure
    assert found["effort"] == "Twist"
    assert found["quartiles"] == expected.quartiles[0].tolist()
    points = expected.points().drop("measure").to_dicts()
    kinds = {(row["run"], row["topic"]): row["archetype"] for row in _report().iter_rows(named=True)}
    assert found["points"] == [{**row, "archetype": kinds[row["run"], row["topic"]]} for row in points]
    assert found["shown"] == found["total"] == len(points)
    cells = expected.frame().select("gain", "effort", "class", "points", "share").to_dicts()
    assert found["cells"] == cells
    shares = expected.classes().row(0, named=True)
    assert {row["class"]: row["share"] for row in found["classes"]} == {
        row["class"]: pytest.approx(shares[row["class"].replace("-", "_")]) for row in found["classes"]
    }
    assert found["upper_right"]["share"] == pytest.approx(shares["upper_right"])
    assert found["upper_right"]["points"] == round(shares["upper_right"] * len(points))


def _report():
    return effort.indicators(assay.read(WORLD.qrels, WORLD.runs)).frame()


def test_some_points(client: Client) -> None:
    every = client.api("effort-gain")
    run, topic, kind = every["points"][9]["run"], every["points"][9]["topic"], every["points"][9]["archetype"]
    found = client.api("effort-gain", run=run, topic=[topic, every["points"][10]["topic"]], archetype=kind)
    wanted = [
        point
        for point in every["points"]
        if point["run"] == run
        and point["topic"] in (topic, every["points"][10]["topic"])
        and point["archetype"] == kind
    ]
    assert found["points"] == wanted
    assert found["shown"] == len(wanted) == sum(cell["points"] for cell in found["cells"])
    assert found["total"] == every["total"]
    assert found["quartiles"] == every["quartiles"], "the grid is that of all points"


def test_no_points(client: Client, by_hand: Client) -> None:
    found = client.api("effort-gain", points=0)
    assert found["points"] is None
    assert found["shown"] == 40
    none = by_hand.api("effort-gain", archetype="full-scale")
    assert none["points"] == []
    assert {cell["share"] for cell in none["cells"]} == {0.0}


def test_what_is_no_gain(client: Client) -> None:
    assert "choose a measure of gain, such as AP" in client.wrong("effort-gain", measure="Twist")
    assert "choose a measure of gain" in client.wrong("figures/effort-gain", measure="Twist@10")
    assert "choose some of ideal" in client.wrong("effort-gain", archetype="idle")


def test_topics_left_out_have_no_points() -> None:
    found = client_of(small_state(undefined="exclude")).api("effort-gain")
    assert {point["topic"] for point in found["points"]} == {"1", "2"}
    assert found["total"] == 6


def test_a_curve_is_that_of_the_analysis(client: Client) -> None:
    """All rankings of a simulated campaign are of one length, so that the run alone gives the same curve."""
    runs = {run.name: run for run in WORLD.runs}
    for name in list(runs)[:2]:
        for topic in WORLD.qrels.topics[:3]:
            expected = curve(assay.read(WORLD.qrels, runs[name]), topic, gain="DCG(base=2)").frame()
            found = client.api("curve", run=name, topic=topic, gain="DCG(base=2)")
            assert found["gain"] == "DCG(base=2)"
            assert list(found["curve"]) == expected.columns
            for column in expected.columns:
                assert found["curve"][column] == expected[column].to_list()


def test_a_curve_by_hand(by_hand: Client) -> None:
    found = by_hand.api("curve", run="x", topic="1")
    assert found["curve"]["document"] == ["a", "c", "b", "u", None, None]
    assert found["curve"]["grade"] == [2, 0, 1, None, None, None]
    assert found["curve"]["rp"] == [0, -2, 0, 0, 0, 0]
    assert found["curve"]["crp"] == [0, -2, -2, -2, -2, -2]
    assert (found["relevant"], found["retrieved"], found["ranks"]) == (3, 4, 6)
    assert (found["archetype"], found["turn"], found["balance"]) == ("typical B", 2, None)


def test_indicators_of_a_curve_are_those_of_its_point(by_hand: Client) -> None:
    report = effort.indicators(assay.read(QRELS, RUNS)).frame()
    for run in RUNS:
        for topic in QRELS:
            found = by_hand.api("curve", run=run, topic=topic)
            [row] = report.filter(run=run, topic=topic).iter_rows(named=True)
            assert found["archetype"] == row["archetype"]
            for name, value in found["indicators"].items():
                told = row[name] if row[name] is not None and np.isfinite(row[name]) else None
                assert value == told, name
            if found["balance"] is not None:
                assert found["balance"] == found["indicators"]["balance_point"]


def test_depth_limits_the_ranks_of_a_curve(client: Client) -> None:
    run, topic = WORLD.runs[0], WORLD.qrels.topics[0]
    whole = client.api("curve", run=run.name, topic=topic)
    for depth in (1, 20):
        found = client.api("curve", run=run.name, topic=topic, depth=depth)
        assert found["curve"] == {name: values[:depth] for name, values in whole["curve"].items()}
        assert found["ranks"] == depth
        for name in ("turn", "balance", "archetype", "indicators"):
            assert found[name] == whole[name], "they are those of the whole ranking"


def test_a_ranking_without_documents_and_a_topic_without_relevant_ones(by_hand: Client) -> None:
    empty = by_hand.api("curve", run="z", topic="2")
    assert empty["retrieved"] == 0
    assert set(empty["curve"]["document"]) == {None}
    assert empty["archetype"] == "worst"
    nothing = by_hand.api("curve", run="x", topic="3")
    assert nothing["relevant"] == 0
    assert nothing["archetype"] is None
    assert set(nothing["curve"]["crp"]) == {0}


def test_curves_without_unjudged_documents() -> None:
    found = client_of(small_state(unjudged="condensed")).api("curve", run="y", topic="1")
    assert [document for document in found["curve"]["document"] if document] == ["c", "a"]
    assert found["curve"]["grade"][:2] == [0, 2]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"topic": "1"}, "run is missing"),
        ({"run": "x"}, "topic is missing"),
        ({"run": "x", "topic": "1", "gain": "AP"}, "name a form of DCG"),
        ({"run": "x", "topic": "1", "gain": "DCG@"}, "measure 'DCG@'"),
        ({"run": "x", "topic": "1", "depth": "0"}, "depth must be a whole number from 1 to 100000"),
        ({"run": "x", "topic": "1", "depth": "100001"}, "depth must be a whole number from 1 to 100000"),
        ({"run": ["x", "y"], "topic": "1"}, "run is given 2 times"),
    ],
)
def test_curves_that_cannot_be(by_hand: Client, given: dict[str, str], told: str) -> None:
    assert told in by_hand.wrong("curve", **given)


def test_only_one_run_names_one(by_hand: Client) -> None:
    run = Run.from_dict(RUNS["x"], "x")
    alone = curve(assay.read(QRELS, run), "1").frame()
    assert by_hand.api("curve", run="x", topic="1")["curve"]["crp"] == alone["crp"].to_list()
