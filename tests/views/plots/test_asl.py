"""Tests of achieved significance levels: curves of all pairs, simplified without visible change."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import evaluate, meta, read, simulate
from assay.errors import InputError
from assay.views.plots import asl as figure
from assay.views.plots._export import specification
from assay.views.plots._style import Style

COLLECTION = simulate(systems=10, topics=15, seed=2)
CAMPAIGN = read(COLLECTION.qrels, COLLECTION.runs)
MEASURES = ["AP", "P@5", "RR"]
FRAME = figure.data(CAMPAIGN, measures=MEASURES, resamples=200, share=1.0).frame


def read_table(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows = spec["datasets"][spec["vconcat"][1]["layer"][0]["data"]["name"]]
    return list(rows)


def test_levels_of_all_pairs_match_the_report() -> None:
    report = meta.power(CAMPAIGN, MEASURES, resamples=200)
    assert FRAME.height == 3 * 45
    frame = FRAME.filter(measure="P@5")
    assert frame["asl"].to_list() == sorted(report.asl[1].tolist(), reverse=True)
    assert frame["place"].to_list() == list(range(1, 46))
    assert set(frame["dp"]) == {float((report.asl[1] < 0.05).mean())}
    assert frame["needed"][0] == pytest.approx(np.nanmax(report.delta[1]))
    assert set(FRAME["alpha"]) == {0.05}
    assert figure.data(report).frame.equals(FRAME)
    results = evaluate(CAMPAIGN, ["AP", "P@5", "RR"])
    assert figure.data(results, measures=MEASURES, resamples=200, share=1.0).frame.equals(FRAME)


def test_options_are_applied() -> None:
    plot_data = figure.data(CAMPAIGN, measures="AP", test="tukey-randomized", alpha=0.2, resamples=50, seed=3)
    settings = plot_data.provenance.settings
    assert settings["runs"] == 8, "the best 75 % of 10"
    assert (settings["test"], settings["alpha"], settings["resamples"], settings["seed"]) == (
        "tukey-randomized",
        0.2,
        50,
        3,
    )
    with pytest.raises(InputError, match="choose one of bootstrap, tukey-randomized"):
        figure.data(CAMPAIGN, test="t")
    with pytest.raises(InputError, match="at least two runs"):
        figure.data(CAMPAIGN.select(CAMPAIGN.runs[:1]))


def test_simplified_curve_is_close() -> None:
    levels = np.sort(np.random.default_rng(1).random(5000) ** 3)[::-1]
    full = pl.DataFrame({"measure": ["AP"] * 5000, "place": np.arange(1, 5001), "asl": levels})
    simplified = figure._simplify(full)
    assert simplified.height <= 250
    interpolated = np.interp(full["place"].to_numpy(), simplified["place"].to_numpy(), simplified["asl"].to_numpy())
    assert np.abs(interpolated - levels).max() <= 0.002, "less than half a pixel apart"


def test_measures_are_sorted_by_power() -> None:
    spec = specification(figure.draw(FRAME))
    powers = [row["dp"] for row in read_table(spec)]
    assert powers == sorted(powers, reverse=True)
    assert {row["measure"] for row in read_table(spec)} == set(MEASURES)
    first = read_table(spec)[0]
    assert first["power"] == f"{100 * first['dp']:.1f} %"
    assert first["takes"] == f"{first['needed']:.3f}"
    level = spec["vconcat"][0]["layer"][0]
    assert spec["datasets"][level["data"]["name"]] == [{"alpha": 0.05}]


def test_table_is_beside_the_curves_in_wide_figures() -> None:
    assert "vconcat" in specification(figure.draw(FRAME, Style(width=400)))
    assert "hconcat" in specification(figure.draw(FRAME, Style(width=1000)))


def test_single_pair_is_a_point() -> None:
    frame = figure.data(CAMPAIGN.select(CAMPAIGN.runs[:2]), measures=["AP"], share=1.0).frame
    spec = specification(figure.draw(frame))
    assert spec["vconcat"][0]["layer"][1]["mark"]["type"] == "circle"
    ranking = {"1": {"d": 1.0}, "2": {"x": 2.0, "d": 1.0}}
    equal_runs = read({"1": {"d": 1}, "2": {"d": 1}}, {"a": ranking, "b": ranking})
    equal_frame = figure.data(equal_runs, measures=["AP"], share=1.0).frame
    assert equal_frame["asl"].to_list() == [1]
    assert equal_frame["needed"].is_null().all()
    assert [row["takes"] for row in read_table(specification(figure.draw(equal_frame)))] == ["-"]


def test_undefined_levels_are_not_drawn() -> None:
    undefined = FRAME.with_columns(asl=pl.lit(None, pl.Float64))
    assert "no pair of runs has a significance level" in str(specification(figure.draw(undefined)))
