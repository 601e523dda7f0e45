"""Tests of the figures of the explorer: those of ``assay plot``, drawn from cached analyses."""

from __future__ import annotations

import json

import polars as pl
import pytest

import assay
from assay.simulation import simulate
from assay.views.explorer.figures import FIGURES, SLOW_FIGURES, prepare
from assay.views.plots._figures import figure
from explorer_cases import HOSTILE, RUNS, Client, client_of, hostile_state, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
A, B = (run.name for run in COLLECTION.runs[:2])
TOPIC = COLLECTION.qrels.topics[1]
PAIR = {"a": A, "b": B}
RANKING = {"run": A, "topic": TOPIC}
REQUESTS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "archetypes": ({}, {}),
    "balancing": ({"measure": ["AP", "RR"], "n": 30}, {"measures": ["AP", "RR"], "sizes": range(1, 31)}),
    "boxes": ({"measure": ["AP", "RR"], "unit": "topic"}, {"measures": ["AP", "RR"], "unit": "topic"}),
    "census": ({"most": 3}, {"most": 3}),
    "correlation": ({"measure": ["AP", "RR", "P@5"]}, {"measures": ["AP", "RR", "P@5"]}),
    "crp": ({**RANKING, "curves": "worst", "bar": "amount"}, {**RANKING, "curves": ["worst"], "bar": "amount"}),
    "crp-aggregate": ({"run": B}, {"run": B}),
    "crp-dcg": ({**RANKING, "gain": "DCG(base=2)"}, {**RANKING, "gain": "DCG(base=2)"}),
    "crp-topic": ({"topic": TOPIC, "order": "nDCG@10"}, {"topic": TOPIC, "order": "nDCG@10"}),
    "deciding": ({**PAIR, "depth": 10}, {"pair": (A, B), "depth": 10}),
    "differences": ({**PAIR, "test": "sign"}, {"pair": (A, B), "test": "sign"}),
    "effort-gain": ({"measure": "nDCG@10"}, {"measure": "nDCG@10"}),
    "heatmap": ({"measure": "RR", "most": 4}, {"measure": "RR", "most": 4}),
    "leaderboard": ({"measure": "RR", "most": 3, "confidence": 0.8}, {"measure": "RR", "most": 3, "confidence": 0.8}),
    "med-difference": ({**PAIR, "measure": "P@5"}, {"unit": "topics", "pair": (A, B), "measure": "P@5"}),
    "order": ({"topic": TOPIC, "depth": 10}, {"topic": TOPIC, "depth": 10}),
    "rbp-bounds": ({"measure": "RBP(p=0.5)"}, {"measures": ["RBP(p=0.5)"]}),
    "recovery": (RANKING, RANKING),
    "significance": ({"correction": "bh"}, {"correction": "bh"}),
    "topic-spread": ({"run": [A, B]}, {"mark": [A, B]}),
}
"""For each figure, the parameters of a request and the equivalent options of its module."""


def test_every_figure_is_tested() -> None:
    assert set(REQUESTS) == set(FIGURES)
    assert set(SLOW_FIGURES) <= set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_data_match_the_figure_module(client: Client, name: str) -> None:
    parameters, options = REQUESTS[name]
    module = figure(name)
    source = [assay.read(COLLECTION.qrels, COLLECTION.runs)] if module.needs else []
    expected = module.data(*source, **options).frame
    response = client.get(f"/api/figures/{name}.csv", **parameters)
    assert response.status == 200, response.text
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
    assert response.text == expected.write_csv(null_value="")


@pytest.mark.parametrize("name", FIGURES)
def test_specification_is_valid_and_has_no_theme(client: Client, name: str) -> None:
    import altair as alt

    parameters, _ = REQUESTS[name]
    spec = client.api(f"figures/{name}", **parameters, width=500)
    assert "config" not in spec
    assert spec["$schema"].endswith(".json")
    alt.Chart.from_dict(spec)
    other = client.api(f"figures/{name}", **parameters, width=500, palette="papers")
    assert other["$schema"] == spec["$schema"]


def test_width_is_applied(client: Client) -> None:
    narrow, wide = (max_width(client.api("figures/leaderboard", width=width)) for width in (400, 900))
    assert wide - narrow == 500


def max_width(value: object) -> float:
    """Return the largest width of any part of a specification."""
    if isinstance(value, list):
        return max(map(max_width, value), default=0)
    if not isinstance(value, dict):
        return 0
    width = value.get("width")
    return max([width if isinstance(width, int | float) else 0, *map(max_width, value.values())])


def test_figures_of_the_pages_exist() -> None:
    needed = {
        "leaderboard",
        "census",
        "correlation",
        "effort-gain",
        "crp-dcg",
        "crp-topic",
        "crp-aggregate",
        "differences",
        "med-difference",
        "balancing",
    }
    assert needed <= set(FIGURES)


@pytest.mark.parametrize("name", ["", "none", "leaderboards", "leaderboard.png", "leaderboard.csv.csv", "LEADERBOARD"])
def test_unknown_figures_are_not_found(client: Client, name: str) -> None:
    response = client.get(f"/api/figures/{name}")
    assert response.status == 404
    assert response.error.startswith("there is no")


def test_similar_figure_names_are_suggested(client: Client) -> None:
    assert "did you mean leaderboard?" in client.wrong("figures/leaderbord", 404)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"width": 199}, "width must be a whole number from 200 to 4000"),
        ({"width": 4001}, "width must be a whole number from 200 to 4000"),
        ({"width": "wide"}, "width must be a whole number"),
        ({"palette": "gaudy"}, "palette 'gaudy': choose one of safe, papers"),
        ({"theme": "dark"}, "there is no parameter 'theme'"),
    ],
)
def test_invalid_parameters_are_rejected_by_every_figure(
    client: Client, name: str, parameters: dict[str, object], message: str
) -> None:
    for ending in ("", ".csv"):
        assert message in client.wrong(f"figures/{name}{ending}", **REQUESTS[name][0], **parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("balancing", {"n": 501}, "n must be a whole number from 2 to 500"),
        ("balancing", {"measure": [f"P@{k}" for k in range(1, 10)]}, "the maximum is 8"),
        ("boxes", {"unit": "document"}, "choose one of run, topic"),
        ("census", {"most": 0}, "most must be a whole number from 1"),
        ("crp", {"topic": TOPIC, "run": [A] * 9}, "run is given 9 times"),
        ("crp", {"topic": TOPIC, "curves": "best"}, "choose some of full-scale, worst"),
        ("crp-dcg", {"run": A}, "topic is missing"),
        ("crp-topic", {"topic": TOPIC, "order": "ndgc"}, "did you mean nDCG?"),
        ("deciding", {**PAIR, "depth": 201}, "depth must be a whole number from 1 to 200"),
        ("order", {"most": 1}, "most must be a whole number from 2 to 40"),
        ("rbp-bounds", {"measure": ["AP", "RR", "P@5"]}, "measure is given 3 times; the maximum is 2"),
        ("significance", {"most": 61}, "most must be a whole number from 2 to 60"),
        ("significance", {"correction": "holmes"}, "did you mean holm?"),
    ],
)
def test_invalid_parameters_of_a_figure_are_rejected(
    client: Client, name: str, parameters: dict[str, object], message: str
) -> None:
    assert message in client.wrong(f"figures/{name}", **parameters)


def test_points_contain_run_and_topic(client: Client) -> None:
    """Pages identify the ranking of a clicked point by its run and topic."""
    spec = json.dumps(client.api("figures/effort-gain", run=A, topic=TOPIC))
    assert json.dumps(A) in spec
    csv = client.get("/api/figures/effort-gain.csv", run=A, topic=TOPIC).text
    assert pl.read_csv(csv.encode(), infer_schema=False).select("run", "topic").rows() == [(A, TOPIC)]


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_names_are_only_data(name: str) -> None:
    """A name that looks like code occurs in data and titles, but not where it would be executed."""
    state = hostile_state()
    client = client_of(state)
    a, b = state.campaign.runs
    values = {"run": a, "topic": HOSTILE, "a": a, "b": b}
    parameters = {key: value for key, value in values.items() if key in REQUESTS[name][0]}
    response = client.get(f"/api/figures/{name}", **parameters)
    assert response.status == 200, response.text
    assert response.headers["content-type"] == "application/json"
    for keys, text in list_strings(response.json):
        if "alert(1)" in text:
            assert not keys & {"expr", "calculate", "filter", "test", "update", "signal", "labelExpr", "format"}, keys


def list_strings(value: object, keys: frozenset[str] = frozenset()) -> list[tuple[frozenset[str], str]]:
    """Return every string of a specification, with the keys of the objects that contain it."""
    if isinstance(value, dict):
        return [entry for key, item in value.items() for entry in list_strings(item, keys | {key})]
    if isinstance(value, list):
        return [entry for item in value for entry in list_strings(item, keys)]
    return [(keys, value)] if isinstance(value, str) else []


@pytest.mark.parametrize("name", FIGURES)
def test_unusual_campaigns_give_a_figure_or_an_error(name: str) -> None:
    """Topics without relevant documents, empty rankings or a single run give a figure or an error message."""
    single_run_client = client_of(read_state({"1": {"a": 1}, "2": {"b": 0}}, {"x": {"1": {"a": 1.0}}}))
    for client, values in (
        (client_of(small_state()), {"run": "z", "topic": "2", "a": "x", "b": "z"}),
        (client_of(small_state()), {"run": "y", "topic": "3", "a": "y", "b": "z"}),
        (
            client_of(small_state(undefined="exclude", missing="exclude")),
            {"run": "y", "topic": "3", "a": "y", "b": "z"},
        ),
        (single_run_client, {"run": "x", "topic": "2", "a": "x", "b": "x"}),
    ):
        parameters = {key: value for key, value in values.items() if key in REQUESTS[name][0]}
        response = client.get(f"/api/figures/{name}", **parameters)
        assert response.status in (200, 400), response.text
        if response.status == 400:
            assert client is single_run_client, response.error


def test_prepare_computes_the_data_of_the_first_page() -> None:
    for runs in (RUNS, {"x": RUNS["x"]}):
        state = read_state({"1": {"a": 1}, "2": {"b": 0}}, runs)
        prepare(state)
        assert len(state._values) == 6
        assert {"effort", "rankings"} <= set(vars(state))


def test_runs_keep_the_requested_order() -> None:
    csv = client_of(small_state()).get("/api/figures/crp.csv", topic="1", run=list(RUNS)).text
    frame = pl.read_csv(csv.encode(), infer_schema=False)
    assert frame["run"].unique(maintain_order=True).to_list() == list(RUNS)
