"""Recovery and space."""

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
def test_the_examples_of_the_paper(example: str, expected: dict[str, float]) -> None:
    frame = data(example=example).frame
    own = frame.filter(curve="run").row(0, named=True)
    full = frame.filter(curve="full-scale").row(0, named=True)
    assert {name: own[name] for name in expected} == pytest.approx(expected, abs=5e-5)
    assert (full["s_plus"], full["s_minus"], full["balance_point"]) == (51, 28, 13)
    assert (full["sigma"], full["twist"]) == (0, pytest.approx(7 / 26))
    run = [int(grade) for grade in EXAMPLES[example]]
    assert frame.filter(curve="run")["rp"].to_list() == oracle.rp(run, oracle.ideal_vector(COUNTS, 15))


def test_it_tells_how_twist_comes_about() -> None:
    title, *rest = titles(draw(data().frame))
    assert title == "example b"
    assert rest[0] == [
        "ρ = R / b = 7 / 12 = 0.583",
        "σ− = 1 − 15 / 28 = 0.464",
        "σ+ = 1 − 27 / 51 = 0.471",
        "σ = 0.467 (harmonic mean), Twist = (ρ + σ) / 2 = 0.525",
    ]


def test_marks() -> None:
    chart = draw(data().frame)
    assert {"R = 7", "b = 12", "full-scale", "s− = 15", "s+ = 27"} <= set(texts(chart))
    assert len(specification(chart)["vconcat"]) == 2
    spaces = [row for row in mark_rows(chart, "rect") if "colour" in row]
    of = PALETTES["safe"]
    covered = {of.early: 0.0, of.late: 0.0}
    for row in spaces:
        covered[row["colour"]] += abs(row["rp"]) * (row["last"] - row["first"])
    assert covered == {of.early: 15, of.late: 27}, "the spaces are areas"


def test_a_run_and_a_topic() -> None:
    made = assay.simulate(systems=3, topics=4, seed=5)
    name = made.runs[1].name
    campaign = assay.read(made.qrels, made.runs)
    found = data(campaign, run=name, topic="403")
    at_hand = data(ShownCurves("403", {name: curve(campaign, "403", name).frame()}))
    assert at_hand.frame.equals(found.frame)
    own = found.frame.filter(curve="run").row(0, named=True)
    assert (own["run"], own["topic"]) == (name, "403")
    values = assay.evaluate(made.qrels, made.runs[1], ["Twist", "SpaceRatio", "RecoveryRatio", "ForwardSpace"]).frame()
    by_measure = dict(values.filter(topic="403").select("measure", "value").iter_rows())
    assert [own[key] for key in ("twist", "sigma", "rho", "s_plus")] == pytest.approx(list(by_measure.values()))
    assert found.provenance.policies.ties == "trec_eval-10"
    assert titles(draw(found.frame))[0] == f"{name}, topic 403"


def test_a_curve_that_never_comes_back() -> None:
    frame = data(assay.read({"q": {"a": 1, "b": 1}}, {"r": {"q": {"x": 1.0}}})).frame
    assert frame.filter(curve="run").select("rho", "twist", "balance_point").row(0) == (0, 0, None)
    chart = draw(frame)
    assert "ρ = 0: the curve never returns to the axis" in titles(chart)[1]
    assert not any(text.startswith("b = ") for text in texts(chart))


def test_the_ideal_ranking() -> None:
    frame = data(assay.read({"q": {"a": 1, "b": 1}}, {"r": {"q": {"a": 2.0, "b": 1.0}}})).frame
    assert frame.filter(curve="run").select("s_minus", "s_plus", "twist").row(0) == (0, 0, 1)
    assert "R = b = 2" in texts(draw(frame))


def test_nothing_relevant() -> None:
    chart = draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)
    assert texts(chart) == ["the topic has no relevant documents"]


def test_refused() -> None:
    with pytest.raises(InputError, match="example 'c': choose one of a, b"):
        data(example="c")
