"""Tests of the figure of recovery and space."""

from __future__ import annotations

import pytest

import assay
from assay.effort._curve import curve
from assay.errors import InputError
from assay.views.plots._export import specification
from assay.views.plots._shown_curves import ShownCurves
from assay.views.plots._style import PALETTES
from assay.views.plots.recovery import COUNTS, EXAMPLES, data, draw
from chart_parts import mark_rows, texts, titles
from oracles import effort as oracle


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("a", {"s_plus": 5, "s_minus": 5, "sigma": 0.8598, "rho": 7 / 9, "twist": 0.8188, "balance_point": 9}),
        ("b", {"s_plus": 27, "s_minus": 15, "sigma": 0.4674, "rho": 7 / 12, "twist": 0.5254, "balance_point": 12}),
    ],
)
def test_examples_of_the_paper(example: str, expected: dict[str, float]) -> None:
    frame = data(example=example).frame
    row = frame.filter(curve="run").row(0, named=True)
    full_scale = frame.filter(curve="full-scale").row(0, named=True)
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=5e-5)
    assert (full_scale["s_plus"], full_scale["s_minus"], full_scale["balance_point"]) == (51, 28, 13)
    assert (full_scale["sigma"], full_scale["twist"]) == (0, pytest.approx(7 / 26))
    run = [int(grade) for grade in EXAMPLES[example]]
    assert frame.filter(curve="run")["rp"].to_list() == oracle.rp(run, oracle.ideal_vector(COUNTS, 15))


def test_title_explains_twist() -> None:
    title, *subtitles = titles(draw(data().frame))
    assert title == "example b"
    assert subtitles[0] == [
        "ρ = R / b = 7 / 12 = 0.583",
        "σ− = 1 − 15 / 28 = 0.464",
        "σ+ = 1 − 27 / 51 = 0.471",
        "σ = 0.467 (harmonic mean), Twist = (ρ + σ) / 2 = 0.525",
    ]


def test_marks_and_areas() -> None:
    chart = draw(data().frame)
    assert {"R = 7", "b = 12", "full-scale", "s− = 15", "s+ = 27"} <= set(texts(chart))
    assert len(specification(chart)["vconcat"]) == 2
    spaces = [row for row in mark_rows(chart, "rect") if "colour" in row]
    palette = PALETTES["safe"]
    areas = {palette.early: 0.0, palette.late: 0.0}
    for row in spaces:
        areas[row["colour"]] += abs(row["rp"]) * (row["last"] - row["first"])
    assert areas == {palette.early: 15, palette.late: 27}, "the spaces are areas"


def test_run_and_topic_can_be_selected() -> None:
    collection = assay.simulate(systems=3, topics=4, seed=5)
    name = collection.runs[1].name
    campaign = assay.read(collection.qrels, collection.runs)
    plot_data = data(campaign, run=name, topic="403")
    from_curves = data(ShownCurves("403", {name: curve(campaign, "403", name).frame()}))
    assert from_curves.frame.equals(plot_data.frame)
    row = plot_data.frame.filter(curve="run").row(0, named=True)
    assert (row["run"], row["topic"]) == (name, "403")
    values = assay.evaluate(
        collection.qrels, collection.runs[1], ["Twist", "SpaceRatio", "RecoveryRatio", "ForwardSpace"]
    ).frame()
    by_measure = dict(values.filter(topic="403").select("measure", "value").iter_rows())
    assert [row[key] for key in ("twist", "sigma", "rho", "s_plus")] == pytest.approx(list(by_measure.values()))
    assert plot_data.provenance.policies.ties == "trec_eval-10"
    assert titles(draw(plot_data.frame))[0] == f"{name}, topic 403"


def test_curve_that_never_returns() -> None:
    frame = data(assay.read({"q": {"a": 1, "b": 1}}, {"r": {"q": {"x": 1.0}}})).frame
    assert frame.filter(curve="run").select("rho", "twist", "balance_point").row(0) == (0, 0, None)
    chart = draw(frame)
    assert "ρ = 0: the curve never returns to the axis" in titles(chart)[1]
    assert not any(text.startswith("b = ") for text in texts(chart))


def test_ideal_ranking() -> None:
    frame = data(assay.read({"q": {"a": 1, "b": 1}}, {"r": {"q": {"a": 2.0, "b": 1.0}}})).frame
    assert frame.filter(curve="run").select("s_minus", "s_plus", "twist").row(0) == (0, 0, 1)
    assert "R = b = 2" in texts(draw(frame))


def test_topic_without_relevant_documents() -> None:
    chart = draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)
    assert texts(chart) == ["the topic has no relevant documents"]


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(InputError, match="example 'c': choose one of a, b"):
        data(example="c")
