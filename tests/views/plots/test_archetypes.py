"""Tests of the figure of archetypes of curves."""

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


def test_examples_have_their_archetype() -> None:
    assert list(EXAMPLES) == list(ARCHETYPES)
    assert set(ARCHETYPES) == set(NAMES)
    rankings = [[int(grade) for grade in text] for text in EXAMPLES.values()]
    curves = Curves.from_judged(Judged.from_grades(rankings, {**COUNTS, 0: LENGTH}), EffortSettings(LENGTH))
    assert [NAMES[number] for number in classify_curves(curves)] == list(EXAMPLES)
    for archetype, ranking in zip(EXAMPLES, rankings, strict=True):
        assert oracle.archetype(oracle.pad(ranking, LENGTH, LENGTH), COUNTS) == archetype


def test_default_data_are_the_examples() -> None:
    frame = data().frame
    assert frame["archetype"].unique(maintain_order=True).to_list() == list(ARCHETYPES)
    for archetype, text in EXAMPLES.items():
        run = oracle.pad([int(grade) for grade in text], LENGTH, LENGTH)
        expected = oracle.indicators(run, COUNTS)
        curve = frame.filter(archetype=archetype)
        assert curve["crp"].to_list() == oracle.running_sum(oracle.rp(run, oracle.ideal_vector(COUNTS, LENGTH)))
        assert curve["twist"][0] == pytest.approx(float(expected["twist"]))
    assert frame.select("rankings", "run", "topic").null_count().row(0) == (len(frame),) * 3
    assert not data().provenance.inputs
    assert set(ARCHETYPES) <= set(texts(draw(frame)))


QRELS = {f"t{i}": {f"d{j}": (i + j) % 3 for j in range(8)} for i in range(6)}
RUNS = {
    name: {f"t{i}": {f"d{(i * step + j) % 11}": -float(j) for j in range(7)} for i in range(6)}
    for name, step in (("one", 1), ("two", 3))
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_rankings_of_runs_are_typical() -> None:
    frame = data(CAMPAIGN).frame
    report = effort.indicators(CAMPAIGN)
    assert data(report).frame.equals(frame), "an existing report gives the same figure"
    report_frame = report.frame()
    assert frame["archetype"].unique(maintain_order=True).to_list() == list(ARCHETYPES)
    for archetype in ARCHETYPES:
        curve, candidates = frame.filter(archetype=archetype), report_frame.filter(archetype=archetype)
        assert curve["rankings"][0] == len(candidates)
        if candidates.is_empty():
            assert curve.select("run", "topic", "rank", "crp").rows() == [(None,) * 4]
            continue
        distance = (candidates["twist"] - candidates["twist"].median()).abs()
        typical = candidates.row(int(distance.arg_min() or 0), named=True)
        assert (curve["run"][0], curve["topic"][0], curve["twist"][0]) == (
            typical["run"],
            typical["topic"],
            typical["twist"],
        )
        assert len(curve) == typical["n"]
    assert frame.unique("archetype")["rankings"].sum() == 12


def test_missing_archetypes_are_labelled() -> None:
    qrels, runs = {"q": {"a": 1, "b": 1}, "z": {"a": 0}}, {"r": {"q": {"a": 2.0, "b": 1.0}}}
    chart = draw(data(assay.read(qrels, runs)).frame)
    assert texts(chart).count("none of 1") == 1
    assert marks(chart).count("line") == 1
    assert {"r, topic q", "R = 2, Twist = 1.00"} <= set(texts(chart))
    assert "excellent A" in texts(chart)


def test_panels_are_arranged_to_fit_the_width() -> None:
    columns = {width: specification(draw(data().frame, Style(width=width)))["columns"] for width in (320, 360, 720)}
    assert columns == {320: 2, 360: 2, 720: 4}


def test_long_curves_are_simplified() -> None:
    collection = assay.simulate(systems=3, topics=4, seed=5)
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    assert frame.group_by("archetype").len()["len"].max() == 1000
    lines = [
        rows for rows in specification(draw(frame))["datasets"].values() if rows and {"rank", "crp"} == set(rows[0])
    ]
    assert all(len(rows) < 200 for rows in lines)


def test_every_archetype_has_its_own_colour() -> None:
    for palette in PALETTES:
        assert len(set(archetype_colours(Style(palette)).values())) == len(ARCHETYPES)


def test_settings_are_applied() -> None:
    frame = data(CAMPAIGN, depth=20, length="asis").frame.drop_nulls("rank")
    assert set(frame.group_by("archetype").len()["len"]) == {20}
    assert np.isfinite(frame["twist"].to_numpy()).all()


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(assay.errors.PolicyError, match="a curve needs an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
