"""The matrix of comparisons."""

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
def made() -> Any:
    return assay.simulate(systems=8, topics=30, seed=6)


@pytest.fixture(scope="module")
def compared(made: Any) -> Any:
    return compare(assay.evaluate(made.qrels, made.runs, "AP"))


def test_against_the_comparison(made: Any, compared: Any) -> None:
    frame = data(assay.read(made.qrels, made.runs)).frame
    assert len(frame) == 8 * 7
    p, difference = compared.matrix("AP"), compared.matrix("AP", "difference")
    runs = compared.results.runs
    for row in frame.iter_rows(named=True):
        at = runs.index(row["run"]), runs.index(row["other"])
        assert row["p_adjusted"] == p[at]
        assert row["difference"] == difference[at]
        below = next((level for level in (0.001, 0.01, 0.05) if p[at] < level), None)
        assert row["below"] == below
        assert row["verdict"] == ("none" if below is None else "better" if difference[at] > 0 else "worse")
    assert {"better", "worse", "none"} == set(frame["verdict"])
    order = frame["run"].unique(maintain_order=True).to_list()
    assert order == compared.results.best("AP")
    assert frame["number"].to_list() == sorted(frame["number"].to_list())


def test_only_the_best_but_adjusted_over_all(made: Any, compared: Any) -> None:
    found = data(assay.read(made.qrels, made.runs), most=3)
    whole = data(compared).frame
    assert found.frame.equals(whole.filter((whole["number"] <= 3) & (whole["other_number"] <= 3)))
    assert found.notes[-1] == "the best 3 of 8 runs are shown; p is corrected over all 28 pairs"
    differ = int((compared.numbers["p_adjusted"][0] < 0.05).sum())
    assert set(found.frame.select("significant", "tested").iter_rows()) == {(differ, 28)}
    subtitle = " ".join(specification(draw(found.frame))["title"]["subtitle"])
    assert subtitle.startswith(f"{differ} of 28 pairs differ")
    assert "of the 3 shown" in subtitle
    assert "Holm's correction over all 28 pairs of runs" in subtitle
    with pytest.raises(InputError, match="most must be at least 1"):
        data(compared, most=0)


@pytest.mark.parametrize(("alpha", "levels"), [(0.05, [0.001, 0.01, 0.05]), (0.01, [0.001, 0.01]), (0.0005, [0.0005])])
def test_levels_follow_alpha(made: Any, alpha: float, levels: list[float]) -> None:
    frame = data(assay.read(made.qrels, made.runs), alpha=alpha).frame
    assert set(frame["below"].drop_nulls()) <= set(levels)
    assert np.all((frame["p_adjusted"].to_numpy() < alpha) == frame["below"].is_not_null().to_numpy())
    legend = specification(draw(frame))["layer"][2]["encoding"]["color"]["scale"]["domain"]
    assert legend == [f"{verdict}, < {level:g}" for verdict in ("better", "worse") for level in levels]


def test_of_a_cost_the_lower_value_is_better(made: Any) -> None:
    results = assay.evaluate(made.qrels, made.runs, "BackwardSpace")
    frame = data(compare(results, correction="none")).frame.filter(verdict="better")
    assert len(frame)
    assert (frame["difference"] < 0).all()


def test_the_words_of_the_test(made: Any) -> None:
    frame = data(assay.read(made.qrels, made.runs), test="tukey").frame
    assert set(frame["test"]) == {"Tukey's HSD blocked by topic over all pairs of 8 runs"}
    with pytest.raises(InputError, match="choose one of holm"):
        data(assay.read(made.qrels, made.runs), correction="holmes")


def test_pairs_that_were_not_compared_are_left_out(made: Any) -> None:
    results = assay.evaluate(made.qrels, made.runs, "AP")
    base = results.runs[0]
    frame = data(compare(results, baseline=base)).frame
    assert len(frame) == 14
    assert all(base in pair for pair in frame.select("run", "other").iter_rows())


def test_too_few_topics_for_a_test() -> None:
    runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"y": 1.0}}}
    frame = data(assay.read({"q": {"x": 1}}, runs)).frame
    assert frame["verdict"].to_list() == [None, None]
    spec = specification(draw(frame))
    assert spec["layer"][1]["mark"] == {"style": "muted", "text": "×", "type": "text"}


def test_cells_are_square_and_fit(made: Any) -> None:
    frame = data(assay.read(made.qrels, made.runs)).frame
    for width in (320, 600, 1000):
        spec = specification(draw(frame, Style(width=width)))
        assert spec["width"] == spec["height"] if "width" in spec else spec["layer"][0]["width"] < width
    spec = specification(draw(frame, Style(width=320)))
    legend = spec["layer"][2]["encoding"]["color"]
    assert legend["legend"]["columns"] == 2
    assert legend["scale"]["domain"][:2] == ["better, < 0.001", "worse, < 0.001"]
    assert legend["legend"]["title"] == "p (Holm)"
