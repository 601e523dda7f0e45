"""Achieved significance levels: curves of all pairs, drawn with fewer points that look the same."""

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

MADE = simulate(systems=10, topics=15, seed=2)
CAMPAIGN = read(MADE.qrels, MADE.runs)
MEASURES = ["AP", "P@5", "RR"]
FRAME = figure.data(CAMPAIGN, measures=MEASURES, resamples=200, share=1.0).frame


def table(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows = spec["datasets"][spec["vconcat"][1]["layer"][0]["data"]["name"]]
    return list(rows)


def test_the_levels_of_all_pairs() -> None:
    found = meta.power(CAMPAIGN, MEASURES, resamples=200)
    assert FRAME.height == 3 * 45
    own = FRAME.filter(measure="P@5")
    assert own["asl"].to_list() == sorted(found.asl[1].tolist(), reverse=True)
    assert own["place"].to_list() == list(range(1, 46))
    assert set(own["dp"]) == {float((found.asl[1] < 0.05).mean())}
    assert own["needed"][0] == pytest.approx(np.nanmax(found.delta[1]))
    assert set(FRAME["alpha"]) == {0.05}
    assert figure.data(found).frame.equals(FRAME)
    results = evaluate(CAMPAIGN, ["AP", "P@5", "RR"])
    assert figure.data(results, measures=MEASURES, resamples=200, share=1.0).frame.equals(FRAME)


def test_options_reach_the_test() -> None:
    found = figure.data(CAMPAIGN, measures="AP", test="tukey-randomized", alpha=0.2, resamples=50, seed=3)
    settings = found.provenance.settings
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


def test_fewer_points_make_the_same_curve() -> None:
    levels = np.sort(np.random.default_rng(1).random(5000) ** 3)[::-1]
    whole = pl.DataFrame({"measure": ["AP"] * 5000, "place": np.arange(1, 5001), "asl": levels})
    fewer = figure._simplify(whole)
    assert fewer.height <= 250
    again = np.interp(whole["place"].to_numpy(), fewer["place"].to_numpy(), fewer["asl"].to_numpy())
    assert np.abs(again - levels).max() <= 0.002, "less than half a pixel"


def test_measures_are_listed_by_their_power() -> None:
    spec = specification(figure.draw(FRAME))
    powers = [row["dp"] for row in table(spec)]
    assert powers == sorted(powers, reverse=True)
    assert {row["measure"] for row in table(spec)} == set(MEASURES)
    first = table(spec)[0]
    assert first["power"] == f"{100 * first['dp']:.1f} %"
    assert first["takes"] == f"{first['needed']:.3f}"
    level = spec["vconcat"][0]["layer"][0]
    assert spec["datasets"][level["data"]["name"]] == [{"alpha": 0.05}]


def test_the_table_stands_beside_where_there_is_room() -> None:
    assert "vconcat" in specification(figure.draw(FRAME, Style(width=400)))
    assert "hconcat" in specification(figure.draw(FRAME, Style(width=1000)))


def test_two_runs_make_points() -> None:
    frame = figure.data(CAMPAIGN.select(CAMPAIGN.runs[:2]), measures=["AP"], share=1.0).frame
    spec = specification(figure.draw(frame))
    assert spec["vconcat"][0]["layer"][1]["mark"]["type"] == "circle"
    ranking = {"1": {"d": 1.0}, "2": {"x": 2.0, "d": 1.0}}
    same = read({"1": {"d": 1}, "2": {"d": 1}}, {"a": ranking, "b": ranking})
    equal = figure.data(same, measures=["AP"], share=1.0).frame
    assert equal["asl"].to_list() == [1]
    assert equal["needed"].is_null().all()
    assert [row["takes"] for row in table(specification(figure.draw(equal)))] == ["-"]


def test_pairs_without_a_level_are_not_drawn() -> None:
    without = FRAME.with_columns(asl=pl.lit(None, pl.Float64))
    assert "no pair of runs has a significance level" in str(specification(figure.draw(without)))
