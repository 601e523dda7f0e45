"""Figures with a panel for each slice of topics, or for each collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.cli import main
from assay.errors import InputError
from assay.results.results import Results
from assay.results.slices import slice_topics
from assay.views.plots._export import export_chart, specification
from assay.views.plots._figures import figure, figures
from assay.views.plots._panels import tabulate_collections, tabulate_slices
from assay.views.plots._style import Style

FIGURES = [name for name, one in figures().items() if one.accepts_results]
TABLE = {str(topic): {"kind": ("law", "news", "<b>&")[topic % 3]} for topic in range(401, 431)}


@pytest.fixture(scope="module")
def results() -> Results:
    collection = assay.simulate(systems=4, topics=30, depth=50, seed=2)
    return assay.evaluate(collection.qrels, list(collection.runs), ["AP", "P@10"])


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_of_results_has_a_panel_for_each_slice(name: str, results: Results) -> None:
    slices = slice_topics(results.topics, TABLE, "kind")
    has_measures = "measures" in {parameter.name for parameter in figure(name).parameters}
    options: dict[str, Any] = {"measures": ["AP", "P@10"]} if has_measures else {}
    options |= {"resamples": 10} if name == "asl" else {}
    data = tabulate_slices(figure(name), results, slices, options)
    assert data.frame["slice"].unique(maintain_order=True).to_list() == ["<b>& (10)", "law (10)", "news (10)"]
    for one in slices.slices:
        part = results.select(topics=one.topics)
        rows = data.frame.filter(pl.col("slice") == f"{one.name} (10)").drop("slice")
        if "pair" not in {parameter.name for parameter in figure(name).parameters} and name != "topic-spread":
            assert rows.equals(figure(name).data(part, **options).frame)
    for width in (None, 320, 900):
        spec = specification(figure(name).draw(data.frame, Style(width=width)))
        assert len(spec["concat"]) == 3
        assert spec["columns"] == (1 if width == 320 else 2)
    svg = export_chart(figure(name).draw(data.frame), data, "svg").decode()
    assert "law (10)" in svg
    assert "<b>" not in svg
    assert data.provenance.settings["by"] == ["kind"]


def test_panels_show_the_same_runs_on_the_same_scale(results: Results) -> None:
    sliced = results.by(TABLE, "kind")
    spec: Any = assay.plot("differences", sliced).to_dict()
    assert spec["resolve"] == {"scale": {"y": "shared"}}
    data = tabulate_slices(figure("differences"), results, sliced.slices, {})
    assert data.frame.select("run_a", "run_b").unique().rows() == [tuple(results.best("AP")[:2])]
    assert assay.plot("leaderboard", sliced).to_dict()["resolve"] == {"scale": {"x": "shared"}}
    spread = tabulate_slices(figure("topic-spread"), results, sliced.slices, {}).frame
    assert spread["run"].drop_nulls().unique().to_list() == results.best("AP")[:1]


def test_at_most_twelve_panels(results: Results) -> None:
    table = {topic: {"s": f"s{min(i, 14):02}"} for i, topic in enumerate(results.topics)}
    data = tabulate_slices(figure("leaderboard"), results, slice_topics(results.topics, table, "s"), {})
    assert data.frame["slice"].n_unique() == 12
    assert "s14 (16)" in data.frame["slice"].to_list()
    assert any("12 largest slices are shown; 3 slices not shown" in note for note in data.notes)


def test_refusals(results: Results) -> None:
    with pytest.raises(InputError, match="figure crp: cannot show slices"):
        assay.plot("crp", results.by(TABLE, "kind"))
    with pytest.raises(InputError, match="weights 'w': are for means"):
        assay.plot("leaderboard", results.by({topic: {"w": 1} for topic in TABLE}, weights="w"))


def test_the_command_draws_the_same_table(results: Results, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assay.simulate(systems=4, topics=30, depth=50, seed=2).write("data")
    Path("topics.csv").write_text("topic,kind\n" + "".join(f"{topic},{row['kind']}\n" for topic, row in TABLE.items()))
    words = "plot leaderboard data/qrels.txt data/runs --format csv -o - --topics-table topics.csv --by kind"
    assert main(words.split()) == 0
    frame = pl.read_csv(capsys.readouterr().out.encode())
    expected = tabulate_slices(figure("leaderboard"), results, slice_topics(results.topics, TABLE, "kind"), {}).frame
    assert frame["run"].to_list() == expected["run"].to_list()
    assert np.allclose(frame["value"], expected["value"])
    assert main(["plot", "leaderboard", "data/qrels.txt", "data/runs", "--by", "kind"]) == 2
    assert "--by needs --topics-table FILE" in capsys.readouterr().err


# Collections ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def campaigns() -> dict[str, Any]:
    collections = {
        name: assay.simulate(systems=3, topics=6, depth=30, pool=20, seed=seed) for seed, name in enumerate("xy")
    }
    return {name: assay.read(one.qrels, list(one.runs), keep="runs") for name, one in collections.items()}


@pytest.mark.parametrize("name", ["leaderboard", "effort-gain", "boxes", "census", "archetypes", "crp-mean"])
def test_a_panel_for_each_collection(name: str, campaigns: dict[str, Any]) -> None:
    one = figure(name)
    data = tabulate_collections(one, campaigns, {})
    assert data.frame["collection"].unique(maintain_order=True).to_list() == ["x", "y"]
    for collection, campaign in campaigns.items():
        rows = data.frame.filter(collection=collection)
        assert len(rows) == len(one.data(campaign).frame)
    svg = export_chart(one.draw(data.frame), data, "svg").decode()
    assert all(f">{collection}</text>" in svg for collection in campaigns)
    assert data.provenance.settings["collections"] == ["x", "y"]
    assert {item.role for item in data.provenance.inputs} == {"qrels", "run"}


def test_the_command_draws_collections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed, name in enumerate("xy"):
        assay.simulate(systems=3, topics=6, depth=30, pool=20, seed=seed).write(tmp_path / name)
    items = [f"{name}:{tmp_path / name / 'qrels.txt'}:{tmp_path / name / 'runs'}" for name in "xy"]
    target = tmp_path / "figure.csv"
    assert main(["plot", "leaderboard", "--collections", *items, "-m", "AP", "-o", str(target)]) == 0
    assert pl.read_csv(target)["collection"].unique(maintain_order=True).to_list() == ["x", "y"]
    assert main(["plot", "leaderboard", str(tmp_path / "x" / "qrels.txt"), "--collections", *items]) == 2
    assert "--collections cannot be combined" in capsys.readouterr().err


def test_refused_collections(campaigns: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="shows no collection"):
        assay.plot("balancing", campaigns)
    with pytest.raises(InputError, match="at most 12"):
        assay.plot("leaderboard", {f"c{i}": campaigns["x"] for i in range(13)})
    with pytest.raises(InputError, match="at least one collection"):
        assay.plot("leaderboard", {})
