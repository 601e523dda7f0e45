"""Tests of the pair page, compared with the analyses."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import assay
from assay.distance.maximized_effectiveness import med
from assay.results._evaluate import evaluate
from assay.significance._compare import compare
from assay.significance._leaderboard import rank_runs
from assay.significance.base import significance_tests
from assay.significance.separation import separate
from assay.simulation import simulate
from explorer_cases import QRELS, RUNS, Client, client_of, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
A, B = (run.name for run in COLLECTION.runs[:2])
PAIR = {"a": A, "b": B}


@pytest.mark.parametrize("test", list(significance_tests()))
def test_significance_matches_compare(client: Client, test: str) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, "nDCG@10")
    comparison = compare(results, test=test, alpha=0.1)
    [expected] = comparison.frame().filter(run_a=A, run_b=B).iter_rows(named=True)
    content = client.api("pair", **PAIR, measure="nDCG@10", test=test, confidence=0.9)
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
        "p_adjusted",
        "wins",
        "ties",
        "losses",
    ):
        assert content[name] == expected[name], name
    assert content["test"] == test
    assert content["confidence"] == 0.9
    assert content["significant"] == (expected["p_adjusted"] < 0.1)
    assert content["family"] == ("all pairs of 5 runs" if content["corrected"] else "all 10 pairs of runs")
    assert content["p_label"] == ("p (all pairs)" if content["corrected"] else "p (Holm)")
    for row, a, b in zip(content["rows"], *results.select([A, B]).values[0], strict=True):
        assert (row["a"], row["b"], row["difference"]) == (a, b, a - b)


@pytest.mark.parametrize("test", ["t", "sign", "bootstrap"])
def test_uncorrected_p_depends_only_on_the_pair(client: Client, test: str) -> None:
    comparison = compare(evaluate(COLLECTION.qrels, COLLECTION.runs, "AP").select([A, B]), test=test, correction="none")
    assert client.api("pair", **PAIR, test=test)["p"] == comparison.frame()["p"][0]


def test_exchanging_the_runs_negates_the_difference(client: Client) -> None:
    content, exchanged = client.api("pair", a=A, b=B), client.api("pair", a=B, b=A)
    for name in ("difference", "effect", "statistic"):
        assert content[name] == pytest.approx(-exchanged[name])
    assert (content["low"], content["high"]) == pytest.approx((-exchanged["high"], -exchanged["low"]))
    assert (content["mean_a"], content["mean_b"]) == (exchanged["mean_b"], exchanged["mean_a"])
    assert (content["wins"], content["losses"]) == (exchanged["losses"], exchanged["wins"])
    assert (content["p"], content["p_adjusted"]) == (exchanged["p"], exchanged["p_adjusted"])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_all_views_agree_on_the_runs_tied_with_the_leader(test: str, correction: str) -> None:
    """Headline, matrix, pair page and leaderboard agree for the same test, correction and level."""
    collection = simulate(systems=12, topics=20, depth=60, pool=20, seed=8)
    client = client_of(read_state(collection.qrels, collection.runs))
    settings = {"test": test, "correction": correction}
    content = client.api("separation", **settings)
    comparison = compare(evaluate(collection.qrels, collection.runs, "AP"), **settings)
    expected = separate(comparison, "AP")
    assert (content["reference"], tuple(content["tied"])) == (expected.reference, expected.tied)
    assert 0 < len(content["tied"]) < 11
    significant = int((comparison.numbers["p_adjusted"][0] < 0.05).sum())
    assert (content["significant"], content["tested"]) == (significant, 66)

    csv = client.get("/api/figures/significance.csv", most=4, **settings).text
    matrix = pl.read_csv(csv.encode())
    assert set(matrix.select("significant", "tested").iter_rows()) == {(significant, 66)}
    leader_rows = matrix.filter(pl.col("run") == content["reference"])
    assert set(leader_rows.filter(verdict="none")["other"]) == set(expected.tied) & set(leader_rows["other"])

    pairs = {
        run: client.api("pair", a=content["reference"], b=run, **settings) for run in (*expected.tied, *expected.worse)
    }
    assert {run for run, pair in pairs.items() if not pair["significant"]} == set(expected.tied)

    board = rank_runs(comparison).frame()
    assert set(board.filter(pl.col("tied_with_leader"))["run"]) == {content["reference"], *content["tied"]}


def test_separation_needs_two_runs() -> None:
    client = client_of(read_state(QRELS, {"x": RUNS["x"]}))
    assert "has only one" in client.wrong("separation")


def test_topics_without_a_value() -> None:
    client = client_of(small_state(undefined="exclude", missing="exclude"))
    content = client.api("pair", a="x", b="z")
    assert content["topics"] == 1
    assert [row["difference"] is None for row in content["rows"]] == [False, True, True]
    assert content["p"] is None


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "bpref", "Twist"])
@pytest.mark.parametrize("depth", [None, 10])
def test_distance_matches_med(client: Client, measure: str, depth: int | None) -> None:
    runs = [run for run in COLLECTION.runs if run.name in (A, B)]
    expected = med(assay.read(COLLECTION.qrels, runs), measure, depth=depth)
    content = client.api("med", **PAIR, measure=measure, **({} if depth is None else {"depth": depth}))
    assert content["measure"] == str(expected.measures[0])
    for name in ("med", "difference", "low", "high", "smallest", "largest", "exact", "direction"):
        expected_values = expected.table("topics").frame[name].to_list()
        values = [*(row[name] for row in content["rows"]), content["mean"][name]]
        for value, expected_value in zip(values, expected_values, strict=True):
            json_value = None if isinstance(expected_value, float) and math.isinf(expected_value) else expected_value
            assert value == (pytest.approx(json_value) if isinstance(json_value, float) else json_value), name
    assert content["notes"] == list(expected.notes)


def test_distance_does_not_depend_on_the_policy_for_unjudged_documents() -> None:
    for policy in ("nonrelevant", "condensed"):
        rows = client_of(small_state(unjudged=policy)).api("med", a="x", b="y", measure="P@2")["rows"]
        assert [row["med"] for row in rows] == [0.5, 0.5, 0.0]
        assert [row["unjudged"] for row in rows] == [1, 1, 0]
        assert [row["smallest"] for row in rows] == [0.0, -0.5, 0.0]


def test_unjudged_documents_of_both_rankings_are_counted() -> None:
    runs = {"x": {"1": {"u": 3.0, "v": 2.0, "a": 1.0}}, "y": {"1": {"v": 3.0, "a": 2.0, "w": 1.0}}}
    client = client_of(read_state({"1": {"a": 1}}, runs))
    assert [row["unjudged"] for row in client.api("med", a="x", b="y")["rows"]] == [3]
    assert [row["unjudged"] for row in client.api("med", a="x", b="y", depth=1)["rows"]] == [2]


def test_unjudged_documents_count_within_the_cutoff_of_the_measure() -> None:
    runs = {"x": {"1": {"u": 3.0, "v": 2.0, "a": 1.0}}, "y": {"1": {"v": 3.0, "a": 2.0, "w": 1.0}}}
    client = client_of(read_state({"1": {"a": 1}}, runs))
    for measure, depth, unjudged, max_rank in (
        ("P@1", None, 2, 1),
        ("P@2", 1, 2, 1),
        ("GM(P@2)", 3, 2, 2),
        ("AP", 1, 2, 1),
    ):
        query = {"measure": measure} if depth is None else {"measure": measure, "depth": depth}
        content = client.api("med", a="x", b="y", **query)
        assert [row["unjudged"] for row in content["rows"]] == [unjudged]
        assert content["unjudged_to"] == max_rank


def test_mean_difference_and_mean_distance_are_separate(client: Client) -> None:
    """MED is a mean of absolute values; only the mean difference lies between smallest and largest."""
    content = client.api("med", **PAIR, measure="P@60")
    rows, mean = content["rows"], content["mean"]

    def mean_over_topics(values: list[float]) -> float:
        return sum(values) / len(rows)

    assert mean["absolute"] == pytest.approx(mean_over_topics([abs(row["difference"]) for row in rows]))
    assert mean["absolute"] < mean["med"] == pytest.approx(mean_over_topics([row["med"] for row in rows]))
    assert mean["smallest"] == pytest.approx(mean_over_topics([row["smallest"] for row in rows]))
    assert mean["smallest"] <= mean["difference"] <= mean["largest"]
    assert max(-mean["smallest"], mean["largest"]) < mean["med"], "topics favour different runs"


def test_deciding_documents_match_the_analysis(client: Client) -> None:
    campaign = assay.read(COLLECTION.qrels, COLLECTION.runs)
    expected = assay.topics(campaign, "AP", pair=(A, B), most=100).documents()
    expected = expected.sort(pl.col("contribution").abs(), "topic", "document", descending=[True, False, False])
    content = client.api("deciding", **PAIR, most=1000)
    assert content["documents"] == len(expected)
    for row, expected_row in zip(content["rows"], expected.iter_rows(named=True), strict=True):
        assert {name: row[name] for name in ("topic", "document", "grade", "rank_a", "rank_b")} == {
            name: expected_row[name] for name in ("topic", "document", "grade", "rank_a", "rank_b")
        }
        assert row["effect"] == pytest.approx(-expected_row["contribution"]), "effects belong to a - b"
        assert row["favours"] == ("a" if row["effect"] > 0 else "b" if row["effect"] < 0 else None)
    topic = COLLECTION.qrels.topics[2]
    topic_content = client.api("deciding", **PAIR, topic=topic, most=3)
    assert topic_content["topic"] == topic
    assert {row["topic"] for row in topic_content["rows"]} == {topic}
    assert len(topic_content["rows"]) == 3
    assert topic_content["documents"] == expected.filter(topic=topic).height


def test_estimated_contributions_are_limited_to_some_topics(client: Client) -> None:
    content = client.api("deciding", **PAIR, measure="bpref")
    assert content["limited"] == len({row["topic"] for row in content["rows"]}) == 3
    assert client.api("deciding", **PAIR, measure="AP")["limited"] is None


def test_measures_that_documents_cannot_explain_have_no_deciding_documents(small_client: Client) -> None:
    assert "choose another measure" in small_client.wrong("deciding", a="x", b="y", measure="TurnAround")


def test_excluded_topics_have_no_deciding_documents() -> None:
    client = client_of(small_state(missing="exclude"))
    content = client.api("deciding", a="x", b="z")
    assert {row["topic"] for row in content["rows"]} == {"1"}


@pytest.mark.parametrize("name", ["pair", "med", "deciding", "figures/differences", "figures/med-difference"])
def test_invalid_parameters_are_rejected(small_client: Client, name: str) -> None:
    assert "a is missing" in small_client.wrong(name)
    assert "b is missing" in small_client.wrong(name, a="x")
    assert small_client.wrong(name, a="x", b="x") == "a and b are both 'x'; choose two different runs"
    assert "there is no run 'w'" in small_client.wrong(name, a="x", b="w")
    assert "there is no measure" in small_client.wrong(name, a="x", b="y", measure="Q7")


def test_similar_test_names_are_suggested(small_client: Client) -> None:
    assert "did you mean wilcoxon?" in small_client.wrong("pair", a="x", b="y", test="wilcoxen")


def test_identical_runs() -> None:
    client = client_of(read_state(QRELS, {"x": RUNS["x"], "w": RUNS["x"]}))
    content = client.api("pair", a="x", b="w")
    assert content["difference"] == 0
    assert content["p"] == 1
    assert not np.array([row["med"] for row in client.api("med", a="x", b="w")["rows"]]).any()
    assert {row["favours"] for row in client.api("deciding", a="x", b="w")["rows"]} == {None}
