"""Tests of the matrix of significant differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.significance._compare import compare
from assay.views.plots._export import specification
from assay.views.plots._style import Style
from assay.views.plots.significance import data, draw


@pytest.fixture(scope="module")
def collection() -> Any:
    return assay.simulate(systems=8, topics=30, seed=6)


@pytest.fixture(scope="module")
def comparison(collection: Any) -> Any:
    return compare(assay.evaluate(collection.qrels, collection.runs, "AP"))


def test_cells_match_the_comparison(collection: Any, comparison: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    assert len(frame) == 8 * 7
    p, difference = comparison.matrix("AP"), comparison.matrix("AP", "difference")
    runs = comparison.results.runs
    for row in frame.iter_rows(named=True):
        cell = runs.index(row["run"]), runs.index(row["other"])
        assert row["p_adjusted"] == p[cell]
        assert row["difference"] == difference[cell]
        below = next((level for level in (0.001, 0.01, 0.05) if p[cell] < level), None)
        assert row["below"] == below
        assert row["verdict"] == ("none" if below is None else "better" if difference[cell] > 0 else "worse")
    assert {"better", "worse", "none"} == set(frame["verdict"])
    order = frame["run"].unique(maintain_order=True).to_list()
    assert order == comparison.results.best("AP")
    assert frame["number"].to_list() == sorted(frame["number"].to_list())


def test_best_runs_are_shown_with_correction_over_all(collection: Any, comparison: Any) -> None:
    plot_data = data(assay.read(collection.qrels, collection.runs), most=3)
    full = data(comparison).frame
    assert plot_data.frame.equals(full.filter((full["number"] <= 3) & (full["other_number"] <= 3)))
    assert plot_data.notes[-1] == "the best 3 of 8 runs are shown; p is corrected over all 28 pairs"
    significant = int((comparison.numbers["p_adjusted"][0] < 0.05).sum())
    assert set(plot_data.frame.select("significant", "tested").iter_rows()) == {(significant, 28)}
    subtitle = " ".join(specification(draw(plot_data.frame))["title"]["subtitle"])
    assert subtitle.startswith(f"{significant} of 28 pairs differ")
    assert "of the 3 shown" in subtitle
    assert "Holm's correction over all 28 pairs of runs" in subtitle
    with pytest.raises(InputError, match="most must be at least 1"):
        data(comparison, most=0)


@pytest.mark.parametrize(("alpha", "levels"), [(0.05, [0.001, 0.01, 0.05]), (0.01, [0.001, 0.01]), (0.0005, [0.0005])])
def test_levels_follow_alpha(collection: Any, alpha: float, levels: list[float]) -> None:
    frame = data(assay.read(collection.qrels, collection.runs), alpha=alpha).frame
    assert set(frame["below"].drop_nulls()) <= set(levels)
    assert np.all((frame["p_adjusted"].to_numpy() < alpha) == frame["below"].is_not_null().to_numpy())
    legend = specification(draw(frame))["layer"][2]["encoding"]["color"]["scale"]["domain"]
    assert legend == [f"{verdict}, < {level:g}" for verdict in ("better", "worse") for level in levels]


def test_lower_value_is_better_for_costs(collection: Any) -> None:
    results = assay.evaluate(collection.qrels, collection.runs, "BackwardSpace")
    frame = data(compare(results, correction="none")).frame.filter(verdict="better")
    assert len(frame)
    assert (frame["difference"] < 0).all()


def test_test_is_described(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs), test="tukey").frame
    assert set(frame["test"]) == {"Tukey's HSD blocked by topic over all pairs of 8 runs"}
    with pytest.raises(InputError, match="choose one of holm"):
        data(assay.read(collection.qrels, collection.runs), correction="holmes")


def test_uncompared_pairs_are_omitted(collection: Any) -> None:
    results = assay.evaluate(collection.qrels, collection.runs, "AP")
    baseline = results.runs[0]
    frame = data(compare(results, baseline=baseline)).frame
    assert len(frame) == 14
    assert all(baseline in pair for pair in frame.select("run", "other").iter_rows())


def test_too_few_topics_are_marked() -> None:
    runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"y": 1.0}}}
    frame = data(assay.read({"q": {"x": 1}}, runs)).frame
    assert frame["verdict"].to_list() == [None, None]
    spec = specification(draw(frame))
    assert spec["layer"][1]["mark"] == {"style": "muted", "text": "×", "type": "text"}


def test_cells_are_square_and_fit_the_width(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    for width in (320, 600, 1000):
        spec = specification(draw(frame, Style(width=width)))
        assert spec["width"] == spec["height"] if "width" in spec else spec["layer"][0]["width"] < width
    spec = specification(draw(frame, Style(width=320)))
    legend = spec["layer"][2]["encoding"]["color"]
    assert legend["legend"]["columns"] == 2
    assert legend["scale"]["domain"][:2] == ["better, < 0.001", "worse, < 0.001"]
    assert legend["legend"]["title"] == "p (Holm)"
