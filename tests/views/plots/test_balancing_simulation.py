"""Tests of the simulation of the balancing index."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from assay.errors import InputError
from assay.theory import trials
from assay.views.plots._export import specification
from assay.views.plots.balancing_simulation import data, draw
from chart_parts import mark_rows, marks, texts


def test_fractions_match_the_trials() -> None:
    plot_data = data(trials=120, seed=4)
    [expected] = trials("RBP(p=0.8)", trials=120, seed=4).frames
    assert plot_data.frame.select(expected.columns).equals(expected)
    assert plot_data.frame["balance"].unique().to_list() == [8]
    assert plot_data.provenance.settings["trials"] == 120


def test_rejection_rates_of_the_paper() -> None:
    """The rate is near 1 up to the balancing index, decreases beyond it, and finally approaches alpha."""
    rejected = data(trials=400).frame["rejected"].to_list()
    assert min(rejected[:8]) > 0.97
    assert 0.8 < rejected[8] < 1
    assert 0.4 < rejected[10] < 0.7
    assert max(rejected[14:]) < 0.12


def test_design_options_are_applied() -> None:
    design = {"same": 10, "first": (60, 20), "second": (20, 60), "top": 6, "drawing": "half-up"}
    design |= {"n": 60, "topics": 12, "alpha": 0.01}
    plot_data = data(trials=40, **design)
    assert plot_data.frame["rejected"].to_list() == trials(trials=40, **design).frames[0]["rejected"].to_list()
    assert [plot_data.provenance.settings[name] for name in ("top", "n", "topics")] == [6, 60, 12]
    [domain] = {
        tuple(layer["encoding"]["x"]["scale"]["domain"])
        for layer in specification(draw(plot_data.frame))["layer"]
        if "scale" in layer["encoding"].get("x", {}) and layer["encoding"]["x"]["field"] == "rank"
    }
    assert domain == (0, 6)


def test_band_is_the_wilson_interval() -> None:
    frame = data(trials=50).frame
    for fraction, low, high in frame.select("rejected", "low", "high").iter_rows():
        expected = binomtest(round(50 * fraction), 50).proportion_ci(0.95, method="wilson")
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_rules_mark_the_visible_indices() -> None:
    frame = data(measures=["RBP(p=0.8)", "P@10", "RBP(p=0.95)"], trials=20).frame
    chart = draw(frame)
    assert [(row["measure"], row["balance"]) for row in mark_rows(chart, "rule")] == [("RBP(p=0.8)", 8), ("P@10", 10)]
    assert texts(chart) == ["RBP(p=0.8), B = 8", "P@10, B = 10", "RBP(p=0.95), B = 59"]
    assert marks(chart) == ["rule", "area", "line", "circle", "text"]


def test_measure_without_an_index_has_no_rule() -> None:
    """Without an index there is no rule, and the label says "none"."""
    frame = data(measures="ERR", trials=2).frame
    assert texts(draw(frame)) == ["ERR, B = 1"]
    without_index = frame.with_columns(balance=None)
    assert texts(draw(without_index)) == ["ERR, B = none"]
    assert mark_rows(draw(without_index), "rule") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials must be from 1"),
        ({"drawing": "half"}, "did you mean half-up"),
        ({"first": (70, 101)}, "first must be two percentages"),
        ({"alpha": 1.0}, "alpha must be above 0 and below 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        data(**options)  # type: ignore[arg-type]
