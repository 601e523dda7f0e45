"""Tests of the measure lab: leaderboard, correlation and balancing index of arbitrary measures."""

from __future__ import annotations

import numpy as np
import pytest

from assay import theory
from assay.measures import measure
from assay.meta._correlate import correlate
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from assay.views.explorer.lab import describe_balance
from explorer_cases import Client

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)


@pytest.mark.parametrize("measures", [["RBP(p=0.37)"], ["nDCG(base=3)@17", "AP", "DCG(gains=exp)@7"]])
def test_leaderboard_matches_evaluate(client: Client, measures: list[str]) -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, measures)
    content = client.api("lab", measure=measures)
    assert content["measures"] == measures
    assert [row["run"] for row in content["rows"]] == results.best(measures[0])
    overall = dict(zip(results.runs, results.overall().tolist(), strict=True))
    for row in content["rows"]:
        assert [row["values"][name]["value"] for name in measures] == overall[row["run"]]
        assert row["places"] == {name: results.best(name).index(row["run"]) + 1 for name in measures}
        assert row["place"] == row["places"][measures[0]]
    assert np.allclose(content["tau"], correlate(results).taus.tau)


@pytest.mark.parametrize("measure", ["RBP(p=0.37)", "AP", "nDCG(base=3)", "ERR", "P@5"])
def test_balancing_indices_match_the_analysis(client: Client, measure: str) -> None:
    [content] = client.api("lab", measure=measure)["balance"]
    assert content["n"] == list(range(10, 101, 10))
    assert content["balance"] == theory.balance(measure, content["n"]).frame()["balance"].to_list()
    assert content["why"] is None


def test_measure_without_a_balancing_index(client: Client) -> None:
    content = describe_balance(measure("AP(rel=5)"))
    assert content["balance"] is None
    assert "undefined for a topic with the grades" in content["why"]
    assert "no grade in the qrels reaches rel=5" in client.wrong("lab", measure="AP(rel=5)")


def test_invalid_measures_are_rejected(client: Client) -> None:
    assert "measure is given 9 times; the maximum is 8" in client.wrong("lab", measure=[f"P@{k}" for k in range(1, 10)])
    assert "p must be below 1, got 1" in client.wrong("lab", measure="RBP(p=1)")
    assert "p must be at least 0, got -0.1" in client.wrong("lab", measure="RBP(p=-0.1)")
    assert "base must be above 1" in client.wrong("lab", measure="nDCG(base=1)")
