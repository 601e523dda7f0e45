"""The kinds of curves."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import effort
from assay.effort.archetypes import NAMES, classify_curves
from assay.model.judged import Judged
from assay.model.relative_position import Curves, EffortSettings
from assay.views.plots._crp_layers import ARCHETYPES, archetype_colours
from assay.views.plots._export import specification
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.archetypes import COUNTS, EXAMPLES, LENGTH, data, draw
from chart_parts import marks, texts
from oracles import effort as oracle


def test_each_example_is_what_it_is_called() -> None:
    assert list(EXAMPLES) == list(ARCHETYPES)
    assert set(ARCHETYPES) == set(NAMES)
    rankings = [[int(grade) for grade in text] for text in EXAMPLES.values()]
    curves = Curves.from_judged(Judged.from_grades(rankings, {**COUNTS, 0: LENGTH}), EffortSettings(LENGTH))
    assert [NAMES[number] for number in classify_curves(curves)] == list(EXAMPLES)
    for kind, ranking in zip(EXAMPLES, rankings, strict=True):
        assert oracle.archetype(oracle.pad(ranking, LENGTH, LENGTH), COUNTS) == kind


def test_examples() -> None:
    frame = data().frame
    assert frame["archetype"].unique(maintain_order=True).to_list() == list(ARCHETYPES)
    for kind, text in EXAMPLES.items():
        run = oracle.pad([int(grade) for grade in text], LENGTH, LENGTH)
        truth = oracle.indicators(run, COUNTS)
        part = frame.filter(archetype=kind)
        assert part["crp"].to_list() == oracle.running_sum(oracle.rp(run, oracle.ideal_vector(COUNTS, LENGTH)))
        assert part["twist"][0] == pytest.approx(float(truth["twist"]))
    assert frame.select("rankings", "run", "topic").null_count().row(0) == (len(frame),) * 3
    assert not data().provenance.inputs
    assert set(ARCHETYPES) <= set(texts(draw(frame)))


QRELS = {f"t{i}": {f"d{j}": (i + j) % 3 for j in range(8)} for i in range(6)}
RUNS = {
    name: {f"t{i}": {f"d{(i * step + j) % 11}": -float(j) for j in range(7)} for i in range(6)}
    for name, step in (("one", 1), ("two", 3))
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_rankings_of_runs_are_typical_of_their_kind() -> None:
    frame = data(CAMPAIGN).frame
    made = effort.indicators(CAMPAIGN)
    assert data(made).frame.equals(frame), "a report at hand is drawn alike"
    report = made.frame()
    assert frame["archetype"].unique(maintain_order=True).to_list() == list(ARCHETYPES)
    for kind in ARCHETYPES:
        part, those = frame.filter(archetype=kind), report.filter(archetype=kind)
        assert part["rankings"][0] == len(those)
        if those.is_empty():
            assert part.select("run", "topic", "rank", "crp").rows() == [(None,) * 4]
            continue
        off = (those["twist"] - those["twist"].median()).abs()
        first = those.row(int(off.arg_min() or 0), named=True)
        assert (part["run"][0], part["topic"][0], part["twist"][0]) == (first["run"], first["topic"], first["twist"])
        assert len(part) == first["n"]
    assert frame.unique("archetype")["rankings"].sum() == 12


def test_a_kind_that_the_runs_lack_is_said() -> None:
    qrels, runs = {"q": {"a": 1, "b": 1}, "z": {"a": 0}}, {"r": {"q": {"a": 2.0, "b": 1.0}}}
    chart = draw(data(assay.read(qrels, runs)).frame)
    assert texts(chart).count("none of 1") == 1
    assert marks(chart).count("line") == 1
    assert {"r, topic q", "R = 2, Twist = 1.00"} <= set(texts(chart))
    assert "excellent A" in texts(chart)


def test_panels_stand_in_rows_that_fit() -> None:
    columns = {width: specification(draw(data().frame, Style(width=width)))["columns"] for width in (320, 360, 720)}
    assert columns == {320: 2, 360: 2, 720: 4}


def test_a_long_curve_has_few_points() -> None:
    made = assay.simulate(systems=3, topics=4, seed=5)
    found = data(assay.read(made.qrels, made.runs)).frame
    assert found.group_by("archetype").len()["len"].max() == 1000
    lines = [
        rows for rows in specification(draw(found))["datasets"].values() if rows and {"rank", "crp"} == set(rows[0])
    ]
    assert all(len(rows) < 200 for rows in lines)


def test_every_kind_has_a_colour_of_its_own() -> None:
    for palette in PALETTES:
        assert len(set(archetype_colours(Style(palette)).values())) == len(ARCHETYPES)


def test_the_setting_matters() -> None:
    frame = data(CAMPAIGN, depth=20, length="asis").frame.drop_nulls("rank")
    assert set(frame.group_by("archetype").len()["len"]) == {20}
    assert np.isfinite(frame["twist"].to_numpy()).all()


def test_refused() -> None:
    with pytest.raises(assay.errors.PolicyError, match="a curve needs an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
