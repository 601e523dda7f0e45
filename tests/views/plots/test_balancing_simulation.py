"""The simulation beside the balancing index."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from assay.errors import InputError
from assay.theory._trials import simulate_trials
from assay.views.plots._export import specification
from assay.views.plots.balancing_simulation import data, draw
from chart_parts import mark_rows, marks, texts


def test_the_shares_are_those_of_the_trials() -> None:
    found = data(trials=120, seed=4)
    want = simulate_trials("RBP(p=0.8)", trials=120, seed=4)
    assert found.frame.select(want.columns).equals(want)
    assert found.frame["balance"].unique().to_list() == [8]
    assert found.provenance.settings["trials"] == 120


def test_what_the_paper_says() -> None:
    """Almost always different up to the balancing index, less and less beyond it, by chance in the end."""
    rejected = data(trials=400).frame["rejected"].to_list()
    assert min(rejected[:8]) > 0.97
    assert 0.8 < rejected[8] < 1
    assert 0.4 < rejected[10] < 0.7
    assert max(rejected[14:]) < 0.12


def test_the_design_is_an_option() -> None:
    design = {"same": 10, "first": (60, 20), "second": (20, 60), "top": 6, "drawing": "half-up"}
    found = data(trials=40, **design)
    assert found.frame["rejected"].to_list() == simulate_trials(trials=40, **design)["rejected"].to_list()
    assert found.provenance.settings["top"] == 6
    [x] = {
        tuple(one["encoding"]["x"]["scale"]["domain"])
        for one in specification(draw(found.frame))["layer"]
        if "scale" in one["encoding"].get("x", {}) and one["encoding"]["x"]["field"] == "rank"
    }
    assert x == (0, 6)


def test_the_band_is_wilsons_interval() -> None:
    frame = data(trials=50).frame
    for share, low, high in frame.select("rejected", "low", "high").iter_rows():
        want = binomtest(round(50 * share), 50).proportion_ci(0.95, method="wilson")
        assert (low, high) == pytest.approx((want.low, want.high), abs=1e-12)


def test_a_rule_for_each_index_that_is_in_sight() -> None:
    frame = data(measures=["RBP(p=0.8)", "P@10", "RBP(p=0.95)"], trials=20).frame
    chart = draw(frame)
    assert [(row["measure"], row["balance"]) for row in mark_rows(chart, "rule")] == [("RBP(p=0.8)", 8), ("P@10", 10)]
    assert texts(chart) == ["RBP(p=0.8), B = 8", "P@10, B = 10", "RBP(p=0.95), B = 59"]
    assert marks(chart) == ["rule", "area", "line", "circle", "text"]


def test_a_measure_that_is_scored_in_full() -> None:
    """No index: then there is no rule, and the label says so."""
    frame = data(measures="ERR", trials=2).frame
    assert texts(draw(frame)) == ["ERR, B = 1"]
    none = frame.with_columns(balance=None)
    assert texts(draw(none)) == ["ERR, B = none"]
    assert mark_rows(draw(none), "rule") == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"trials": 0}, "trials must be from 1"),
        ({"drawing": "half"}, "did you mean half-up"),
        ({"first": (70, 101)}, "first must be two percentages"),
        ({"alpha": 1.0}, "alpha must be above 0 and below 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_wrong_options(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        data(**wrong)  # type: ignore[arg-type]
