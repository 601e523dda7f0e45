"""Tests of the depth limits of MED."""

from __future__ import annotations

import pytest

from assay.distance._med.dispatch import Task
from assay.errors import InputError
from assay.measures import measure
from assay.simulation import simulate
from assay.views.explorer.med_limits import LIMITS, choose_depth
from explorer_cases import client_of, read_state


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "linear") for text in ("P@10", "DCG", "RBP(p=0.8)", "RR", "nDCG", "R@1000", "F@10", "GM(P@5)")),
        *((text, "quadratic") for text in ("AP", "SSP@10", "Condensed(AP)", "Twist", "Twist@1000")),
        *((text, "search") for text in ("bpref", "SetRelP", "infAP")),
        *((text, "slow") for text in ("Q", "GM(Q)", "ERR", "nERR", "Rprec", "RprecMult@0.5", "MeanNDCG@10", "F")),
    ],
)
def test_measures_have_depth_limits(text: str, expected: str) -> None:
    assert Task.prepare(measure(text), None, "exact").algorithm.cost == expected
    assert expected in LIMITS


def test_depth_may_make_a_measure_fast() -> None:
    assert Task.prepare(measure("F"), 500, "exact").algorithm.cost == "linear"
    assert choose_depth(measure("F"), 500, 1000, 100) == 500


@pytest.mark.parametrize("text", ["Q", "ERR", "Rprec", "MeanNDCG@1000", "Q@1000"])
def test_depth_of_slow_measures_is_limited(text: str) -> None:
    assert choose_depth(measure(text), None, 1000, 100) == 50
    assert choose_depth(measure(text), 100, 1000, 100) == 100
    with pytest.raises(InputError, match=r"depth 101 takes too long for .*; use a depth of at most 100$"):
        choose_depth(measure(text), 101, 1000, 100)


def test_short_rankings_are_not_truncated() -> None:
    for text, longest in (("Q", 50), ("Q@20", 1000), ("bpref", 100), ("AP", 1000)):
        assert choose_depth(measure(text), None, longest, 100) is None
    assert choose_depth(measure("Q"), 5000, 60, 100) == 5000, "the rankings are shorter"


def test_depth_is_lower_for_many_topics() -> None:
    assert choose_depth(measure("AP"), None, 1000, 250) is None
    assert choose_depth(measure("AP"), None, 1000, 10_000) == 200
    assert choose_depth(measure("Q"), None, 1000, 10_000) == 10
    assert choose_depth(measure("P@10"), None, 1000, 10_000) is None
    assert choose_depth(measure("RBP(p=0.8)"), None, 10_000, 10_000) == 1000
    assert choose_depth(measure("Q"), None, 1000, 10**9) == 1
    with pytest.raises(InputError, match="depth 300 takes too long for AP; use a depth of at most 200"):
        choose_depth(measure("AP"), 300, 1000, 10_000)


def test_depth_is_reported(monkeypatch) -> None:
    monkeypatch.setitem(LIMITS, "slow", LIMITS["slow"]._replace(default_depth=5, max_request=10))
    collection = simulate(systems=2, topics=3, depth=30, pool=5, seed=1)
    client = client_of(read_state(collection.qrels, collection.runs))
    pair = {"a": collection.runs[0].name, "b": collection.runs[1].name, "measure": "Q"}
    default, explicit = client.api("med", **pair), client.api("med", **pair, depth=5)
    assert (default["depth"], default["bounded"]) == (5, True)
    assert (explicit["depth"], explicit["bounded"]) == (5, False)
    assert default["rows"] == explicit["rows"]
    assert default["notes"][-1].startswith("only the first 5 documents of each ranking are compared")
    assert "depth 11 takes too long for Q; use a depth of at most 10" in client.wrong("med", **pair, depth=11)
    assert "at most 10" in client.wrong("figures/med-difference", **pair, depth=11)
    assert client.get("/api/figures/med-difference.csv", **pair).text == (
        client.get("/api/figures/med-difference.csv", **pair, depth=5).text
    )
    unlimited = client.api("med", **{**pair, "measure": "AP"})
    assert (unlimited["depth"], unlimited["bounded"]) == (None, False)


def test_table_and_figure_share_one_computation() -> None:
    collection = simulate(systems=2, topics=3, depth=30, pool=5, seed=1)
    state = read_state(collection.qrels, collection.runs)
    client, pair = client_of(state), {"a": collection.runs[0].name, "b": collection.runs[1].name}
    client.api("med", **pair)
    [cached] = state._distances.values()
    client.api("figures/med-difference", **pair)
    assert list(state._distances.values()) == [cached]
