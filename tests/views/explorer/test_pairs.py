"""Two runs, against the analyses themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.analyses.compare.comparing import compare
from assay.analyses.compare.deciding import deciding
from assay.analyses.compare.testing import significance_tests
from assay.analyses.distance.maximized import med
from assay.evaluation import evaluate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, simulated, small

WORLD = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
A, B = (run.name for run in WORLD.runs[:2])
PAIR = {"a": A, "b": B}


@pytest.mark.parametrize("test", list(significance_tests()))
def test_the_test_is_that_of_compare(client: Client, test: str) -> None:
    results = evaluate(WORLD.qrels, WORLD.runs, "nDCG@10").only([A, B])
    expected = compare(results, test=test, correction="none", alpha=0.1).frame().row(0, named=True)
    found = client.api("pair", **PAIR, measure="nDCG@10", test=test, confidence=0.9)
    for name in (
        "topics",
        "mean_a",
        "mean_b",
        "difference",
        "low",
        "high",
        "effect",
        "statistic",
        "p",
        "wins",
        "ties",
        "losses",
    ):
        assert found[name] == expected[name], name
    assert found["test"] == test
    assert found["confidence"] == 0.9
    for row, a, b in zip(found["rows"], *results.values[0], strict=True):
        assert (row["a"], row["b"], row["difference"]) == (a, b, a - b)


def test_the_other_way_round(client: Client) -> None:
    found, other = client.api("pair", a=A, b=B), client.api("pair", a=B, b=A)
    assert found["difference"] == pytest.approx(-other["difference"])
    assert found["wins"] == other["losses"]
    assert found["p"] == pytest.approx(other["p"])


def test_topics_without_a_value() -> None:
    client = client_of(small(undefined="exclude", topics="intersection"))
    found = client.api("pair", a="x", b="z")
    assert found["topics"] == 1
    assert [row["difference"] is None for row in found["rows"]] == [False, True, True]
    assert found["p"] is None


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "bpref", "Twist"])
@pytest.mark.parametrize("depth", [None, 10])
def test_distance_is_that_of_med(client: Client, measure: str, depth: int | None) -> None:
    runs = [run for run in WORLD.runs if run.name in (A, B)]
    expected = med(WORLD.qrels, runs, measure, depth=depth)
    found = client.api("med", **PAIR, measure=measure, **({} if depth is None else {"depth": depth}))
    assert found["measure"] == str(expected.measures[0])
    for name in ("med", "difference", "low", "high", "smallest", "largest", "exact", "direction"):
        wanted = expected.frame(per_topic=True)[name].to_list()
        given = [*(row[name] for row in found["rows"]), found["mean"][name]]
        for one, other in zip(given, wanted, strict=True):
            told = None if isinstance(other, float) and math.isinf(other) else other
            assert one == (pytest.approx(told) if isinstance(told, float) else told), name
    assert found["notes"] == list(expected.notes)


def test_distance_does_not_depend_on_the_policy_for_unjudged_documents() -> None:
    for policy in ("nonrelevant", "condensed"):
        rows = client_of(small(unjudged=policy)).api("med", a="x", b="y", measure="P@2")["rows"]
        assert [row["med"] for row in rows] == [0.5, 0.5, 0.0]
        assert [row["unjudged"] for row in rows] == [1, 1, 0]
        assert [row["smallest"] for row in rows] == [0.0, -0.5, 0.0]


def test_unjudged_documents_of_two_rankings() -> None:
    from assay.views.explorer.campaign import read

    runs = {"x": {"1": {"u": 3.0, "v": 2.0, "a": 1.0}}, "y": {"1": {"v": 3.0, "a": 2.0, "w": 1.0}}}
    client = client_of(read({"1": {"a": 1}}, runs))
    assert [row["unjudged"] for row in client.api("med", a="x", b="y")["rows"]] == [3]
    assert [row["unjudged"] for row in client.api("med", a="x", b="y", depth=1)["rows"]] == [2]


def test_unjudged_documents_count_within_the_cutoff_of_the_measure() -> None:
    from assay.views.explorer.campaign import read

    runs = {"x": {"1": {"u": 3.0, "v": 2.0, "a": 1.0}}, "y": {"1": {"v": 3.0, "a": 2.0, "w": 1.0}}}
    client = client_of(read({"1": {"a": 1}}, runs))
    for measure, depth, counted, to in (("P@1", None, 2, 1), ("P@2", 1, 2, 1), ("GM(P@2)", 3, 2, 2), ("AP", 1, 2, 1)):
        query = {"measure": measure} if depth is None else {"measure": measure, "depth": depth}
        found = client.api("med", a="x", b="y", **query)
        assert [row["unjudged"] for row in found["rows"]] == [counted]
        assert found["unjudged_to"] == to


def test_the_mean_difference_and_the_mean_distance_are_told_apart(client: Client) -> None:
    """MED is a mean of sizes; only the mean difference lies between smallest and largest."""
    found = client.api("med", **PAIR, measure="P@60")
    rows, mean = found["rows"], found["mean"]

    def average(values: list[float]) -> float:
        return sum(values) / len(rows)

    assert mean["absolute"] == pytest.approx(average([abs(row["difference"]) for row in rows]))
    assert mean["absolute"] < mean["med"] == pytest.approx(average([row["med"] for row in rows]))
    assert mean["smallest"] == pytest.approx(average([row["smallest"] for row in rows]))
    assert mean["smallest"] <= mean["difference"] <= mean["largest"]
    assert max(-mean["smallest"], mean["largest"]) < mean["med"], "topics favour different runs"


def test_deciding_documents(client: Client) -> None:
    campaign = simulated()
    expected = deciding(campaign.rankings, "AP", A, B)
    found = client.api("deciding", **PAIR, most=1000)
    assert found["documents"] == len(expected)
    for row, wanted in zip(found["rows"], expected.iter_rows(named=True), strict=True):
        favours = row.pop("favours")
        assert row == wanted
        assert favours == ("a" if row["effect"] > 0 else "b" if row["effect"] < 0 else None)
    topic = WORLD.qrels.topics[2]
    alone = client.api("deciding", **PAIR, topic=topic, most=3)
    assert alone["topic"] == topic
    assert {row["topic"] for row in alone["rows"]} == {topic}
    assert len(alone["rows"]) == 3
    assert alone["documents"] == expected.filter(topic=topic).height


def test_deciding_by_a_measure_of_cost(by_hand: Client) -> None:
    measure = "TurnAround"
    lower = evaluate(QRELS, RUNS, measure).measures[0].lower_is_better
    for row in by_hand.api("deciding", a="x", b="y", measure=measure)["rows"]:
        assert row["favours"] == (None if row["effect"] == 0 else "a" if (row["effect"] > 0) != lower else "b")


def test_topics_that_do_not_count_decide_nothing() -> None:
    client = client_of(small(topics="intersection"))
    found = client.api("deciding", a="x", b="z")
    assert {row["topic"] for row in found["rows"]} == {"1"}


@pytest.mark.parametrize("name", ["pair", "med", "deciding", "figures/differences", "figures/med-difference"])
def test_what_is_refused(by_hand: Client, name: str) -> None:
    assert "a is missing" in by_hand.wrong(name)
    assert "b is missing" in by_hand.wrong(name, a="x")
    assert by_hand.wrong(name, a="x", b="x") == "a and b are both 'x'; a run cannot be compared with itself"
    assert "there is no run 'w'" in by_hand.wrong(name, a="x", b="w")
    assert "there is no measure" in by_hand.wrong(name, a="x", b="y", measure="Q7")


def test_no_such_test(by_hand: Client) -> None:
    assert "did you mean wilcoxon?" in by_hand.wrong("pair", a="x", b="y", test="wilcoxen")


def test_identical_runs() -> None:
    from assay.views.explorer.campaign import read

    client = client_of(read(QRELS, {"x": RUNS["x"], "w": RUNS["x"]}))
    found = client.api("pair", a="x", b="w")
    assert found["difference"] == 0
    assert found["p"] == 1
    assert not np.array([row["med"] for row in client.api("med", a="x", b="w")["rows"]]).any()
    assert {row["favours"] for row in client.api("deciding", a="x", b="w")["rows"]} == {None}
