"""Tests of effort against gain and of single curves, compared with the analyses."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import effort
from assay.effort._curve import curve
from assay.model.run import Run
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "bpref", "DCG@20"])
def test_points_match_the_analysis(client: Client, measure: str) -> None:
    expected = effort.against_gain(assay.read(COLLECTION.qrels, COLLECTION.runs), measure)
    content = client.api("effort-gain", measure=measure)
    assert content["measure"] == measure
    assert content["effort"] == "Twist"
    assert content["quartiles"] == expected.quartiles[0].tolist()
    points = expected.points().drop("measure").to_dicts()
    archetypes = {(row["run"], row["topic"]): row["archetype"] for row in compute_indicators().iter_rows(named=True)}
    assert content["points"] == [{**row, "archetype": archetypes[row["run"], row["topic"]]} for row in points]
    assert content["shown"] == content["total"] == len(points)
    cells = expected.frame().select("gain", "effort", "class", "points", "share").to_dicts()
    assert content["cells"] == cells
    shares = expected.classes().row(0, named=True)
    assert {row["class"]: row["share"] for row in content["classes"]} == {
        row["class"]: pytest.approx(shares[row["class"].replace("-", "_")]) for row in content["classes"]
    }
    assert content["upper_right"]["share"] == pytest.approx(shares["upper_right"])
    assert content["upper_right"]["points"] == round(shares["upper_right"] * len(points))


def compute_indicators():
    return effort.indicators(assay.read(COLLECTION.qrels, COLLECTION.runs)).frame()


def test_filtered_points(client: Client) -> None:
    unfiltered = client.api("effort-gain")
    run, topic, archetype = (
        unfiltered["points"][9]["run"],
        unfiltered["points"][9]["topic"],
        unfiltered["points"][9]["archetype"],
    )
    content = client.api("effort-gain", run=run, topic=[topic, unfiltered["points"][10]["topic"]], archetype=archetype)
    expected = [
        point
        for point in unfiltered["points"]
        if point["run"] == run
        and point["topic"] in (topic, unfiltered["points"][10]["topic"])
        and point["archetype"] == archetype
    ]
    assert content["points"] == expected
    assert content["shown"] == len(expected) == sum(cell["points"] for cell in content["cells"])
    assert content["total"] == unfiltered["total"]
    assert content["quartiles"] == unfiltered["quartiles"], "the grid is computed from all points"


def test_points_may_be_omitted_or_empty(client: Client, small_client: Client) -> None:
    content = client.api("effort-gain", points=0)
    assert content["points"] is None
    assert content["shown"] == 40
    empty = small_client.api("effort-gain", archetype="full-scale")
    assert empty["points"] == []
    assert {cell["share"] for cell in empty["cells"]} == {0.0}


def test_measures_of_effort_are_rejected(client: Client) -> None:
    assert "choose a measure of gain, such as AP" in client.wrong("effort-gain", measure="Twist")
    assert "choose a measure of gain" in client.wrong("figures/effort-gain", measure="Twist@10")
    assert "choose some of ideal" in client.wrong("effort-gain", archetype="idle")


def test_excluded_topics_have_no_points() -> None:
    content = client_of(small_state(undefined="exclude")).api("effort-gain")
    assert {point["topic"] for point in content["points"]} == {"1", "2"}
    assert content["total"] == 6


def test_curve_matches_the_analysis(client: Client) -> None:
    """All rankings of a simulated campaign have the same length, so the run alone has the same curve."""
    runs = {run.name: run for run in COLLECTION.runs}
    for name in list(runs)[:2]:
        for topic in COLLECTION.qrels.topics[:3]:
            expected = curve(assay.read(COLLECTION.qrels, runs[name]), topic, gain="DCG(base=2)").frame()
            content = client.api("curve", run=name, topic=topic, gain="DCG(base=2)")
            assert content["gain"] == "DCG(base=2)"
            assert list(content["curve"]) == expected.columns
            for column in expected.columns:
                assert content["curve"][column] == expected[column].to_list()


def test_curve_computed_by_hand(small_client: Client) -> None:
    content = small_client.api("curve", run="x", topic="1")
    assert content["curve"]["document"] == ["a", "c", "b", "u", None, None]
    assert content["curve"]["grade"] == [2, 0, 1, None, None, None]
    assert content["curve"]["rp"] == [0, -2, 0, 0, 0, 0]
    assert content["curve"]["crp"] == [0, -2, -2, -2, -2, -2]
    assert (content["relevant"], content["retrieved"], content["ranks"]) == (3, 4, 6)
    assert (content["archetype"], content["turn"], content["balance"]) == ("typical B", 2, None)


def test_indicators_of_a_curve_match_the_report(small_client: Client) -> None:
    report = effort.indicators(assay.read(QRELS, RUNS)).frame()
    for run in RUNS:
        for topic in QRELS:
            content = small_client.api("curve", run=run, topic=topic)
            [row] = report.filter(run=run, topic=topic).iter_rows(named=True)
            assert content["archetype"] == row["archetype"]
            for name, value in content["indicators"].items():
                expected = row[name] if row[name] is not None and np.isfinite(row[name]) else None
                assert value == expected, name
            if content["balance"] is not None:
                assert content["balance"] == content["indicators"]["balance_point"]


def test_depth_limits_the_ranks_of_a_curve(client: Client) -> None:
    run, topic = COLLECTION.runs[0], COLLECTION.qrels.topics[0]
    full = client.api("curve", run=run.name, topic=topic)
    for depth in (1, 20):
        content = client.api("curve", run=run.name, topic=topic, depth=depth)
        assert content["curve"] == {name: values[:depth] for name, values in full["curve"].items()}
        assert content["ranks"] == depth
        for name in ("turn", "balance", "archetype", "indicators"):
            assert content[name] == full[name], "computed from the whole ranking"


def test_empty_ranking_and_topic_without_relevant_documents(small_client: Client) -> None:
    empty = small_client.api("curve", run="z", topic="2")
    assert empty["retrieved"] == 0
    assert set(empty["curve"]["document"]) == {None}
    assert empty["archetype"] == "worst"
    content = small_client.api("curve", run="x", topic="3")
    assert content["relevant"] == 0
    assert content["archetype"] is None
    assert set(content["curve"]["crp"]) == {0}


def test_curve_of_a_condensed_ranking() -> None:
    content = client_of(small_state(unjudged="condensed")).api("curve", run="y", topic="1")
    assert [document for document in content["curve"]["document"] if document] == ["c", "a"]
    assert content["curve"]["grade"][:2] == [0, 2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"topic": "1"}, "run is missing"),
        ({"run": "x"}, "topic is missing"),
        ({"run": "x", "topic": "1", "gain": "AP"}, "use a form of DCG"),
        ({"run": "x", "topic": "1", "gain": "DCG@"}, "measure 'DCG@'"),
        ({"run": "x", "topic": "1", "depth": "0"}, "depth must be a whole number from 1 to 100000"),
        ({"run": "x", "topic": "1", "depth": "100001"}, "depth must be a whole number from 1 to 100000"),
        ({"run": ["x", "y"], "topic": "1"}, "run is given 2 times"),
    ],
)
def test_invalid_parameters_of_a_curve_are_rejected(
    small_client: Client, parameters: dict[str, str], message: str
) -> None:
    assert message in small_client.wrong("curve", **parameters)


def test_curve_does_not_depend_on_other_runs(small_client: Client) -> None:
    run = Run.from_dict(RUNS["x"], "x")
    expected = curve(assay.read(QRELS, run), "1").frame()
    assert small_client.api("curve", run="x", topic="1")["curve"]["crp"] == expected["crp"].to_list()
