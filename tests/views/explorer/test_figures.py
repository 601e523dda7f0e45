"""Figures: those of ``assay plot``, drawn from what is there already."""

from __future__ import annotations

import json

import polars as pl
import pytest

import assay
from assay.simulation import simulate
from assay.views.explorer.figures import FIGURES, SLOW, prepare
from assay.views.plots._figures import figure
from explorer_cases import HOSTILE, RUNS, Client, client_of, hostile_state, read_state, small_state

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
A, B = (run.name for run in COLLECTION.runs[:2])
TOPIC = COLLECTION.qrels.topics[1]
PAIR = {"a": A, "b": B}
ONE = {"run": A, "topic": TOPIC}
ASKED: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "archetypes": ({}, {}),
    "balancing": ({"measure": ["AP", "RR"], "n": 30}, {"measures": ["AP", "RR"], "sizes": range(1, 31)}),
    "boxes": ({"measure": ["AP", "RR"], "unit": "topic"}, {"measures": ["AP", "RR"], "unit": "topic"}),
    "census": ({"most": 3}, {"most": 3}),
    "correlation": ({"measure": ["AP", "RR", "P@5"]}, {"measures": ["AP", "RR", "P@5"]}),
    "crp": ({**ONE, "curves": "worst", "bar": "amount"}, {**ONE, "curves": ["worst"], "bar": "amount"}),
    "crp-aggregate": ({"run": B}, {"run": B}),
    "crp-dcg": ({**ONE, "gain": "DCG(base=2)"}, {**ONE, "gain": "DCG(base=2)"}),
    "crp-topic": ({"topic": TOPIC, "order": "nDCG@10"}, {"topic": TOPIC, "order": "nDCG@10"}),
    "deciding": ({**PAIR, "depth": 10}, {"pair": (A, B), "depth": 10}),
    "differences": ({**PAIR, "test": "sign"}, {"pair": (A, B), "test": "sign"}),
    "effort-gain": ({"measure": "nDCG@10"}, {"measure": "nDCG@10"}),
    "heatmap": ({"measure": "RR", "most": 4}, {"measure": "RR", "most": 4}),
    "leaderboard": ({"measure": "RR", "most": 3, "confidence": 0.8}, {"measure": "RR", "most": 3, "confidence": 0.8}),
    "med-difference": ({**PAIR, "measure": "P@5"}, {"unit": "topics", "pair": (A, B), "measure": "P@5"}),
    "order": ({"topic": TOPIC, "depth": 10}, {"topic": TOPIC, "depth": 10}),
    "rbp-bounds": ({"measure": "RBP(p=0.5)"}, {"measures": ["RBP(p=0.5)"]}),
    "recovery": (ONE, ONE),
    "significance": ({"correction": "bh"}, {"correction": "bh"}),
    "topic-spread": ({"run": [A, B]}, {"mark": [A, B]}),
}
"""For each figure what is asked for here, and the options of its module that mean the same."""


def test_every_figure_is_tested() -> None:
    assert set(ASKED) == set(FIGURES)
    assert set(SLOW) <= set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_the_data_are_those_of_the_module(client: Client, name: str) -> None:
    asked, options = ASKED[name]
    module = figure(name)
    source = [assay.read(COLLECTION.qrels, COLLECTION.runs)] if module.needs else []
    expected = module.data(*source, **options).frame
    response = client.get(f"/api/figures/{name}.csv", **asked)
    assert response.status == 200, response.text
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
    assert response.text == expected.write_csv(null_value="")


@pytest.mark.parametrize("name", FIGURES)
def test_the_specification_has_no_theme_and_is_valid(client: Client, name: str) -> None:
    import altair as alt

    asked, _ = ASKED[name]
    spec = client.api(f"figures/{name}", **asked, width=500)
    assert "config" not in spec
    assert spec["$schema"].endswith(".json")
    alt.Chart.from_dict(spec)
    other = client.api(f"figures/{name}", **asked, width=500, palette="papers")
    assert other["$schema"] == spec["$schema"]


def test_wider_is_wider(client: Client) -> None:
    narrow, wide = (widest(client.api("figures/leaderboard", width=width)) for width in (400, 900))
    assert wide - narrow == 500


def widest(value: object) -> float:
    """The largest width of any part of a specification."""
    if isinstance(value, list):
        return max(map(widest, value), default=0)
    if not isinstance(value, dict):
        return 0
    own = value.get("width")
    return max([own if isinstance(own, int | float) else 0, *map(widest, value.values())])


def test_every_figure_that_a_page_needs_is_there() -> None:
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
def test_no_such_figure(client: Client, name: str) -> None:
    response = client.get(f"/api/figures/{name}")
    assert response.status == 404
    assert response.error.startswith("there is no")


def test_nearly_a_figure(client: Client) -> None:
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
def test_what_no_figure_takes(client: Client, name: str, parameters: dict[str, object], message: str) -> None:
    for ending in ("", ".csv"):
        assert message in client.wrong(f"figures/{name}{ending}", **ASKED[name][0], **parameters)


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
def test_what_a_figure_refuses(client: Client, name: str, parameters: dict[str, object], message: str) -> None:
    assert message in client.wrong(f"figures/{name}", **parameters)


def test_points_can_be_found_by_run_and_topic(client: Client) -> None:
    """Pages find the ranking of a point that is clicked by its run and topic."""
    spec = json.dumps(client.api("figures/effort-gain", run=A, topic=TOPIC))
    assert json.dumps(A) in spec
    csv = client.get("/api/figures/effort-gain.csv", run=A, topic=TOPIC).text
    assert pl.read_csv(csv.encode(), infer_schema=False).select("run", "topic").rows() == [(A, TOPIC)]


@pytest.mark.parametrize("name", FIGURES)
def test_names_are_data(name: str) -> None:
    """A name that looks like code stands in data and titles, and nowhere where it would be run."""
    state = hostile_state()
    client = client_of(state)
    a, b = state.campaign.runs
    given = {"run": a, "topic": HOSTILE, "a": a, "b": b}
    taken = {key: value for key, value in given.items() if key in ASKED[name][0]}
    response = client.get(f"/api/figures/{name}", **taken)
    assert response.status == 200, response.text
    assert response.headers["content-type"] == "application/json"
    for place, text in strings(response.json):
        if "alert(1)" in text:
            assert not place & {"expr", "calculate", "filter", "test", "update", "signal", "labelExpr", "format"}, place


def strings(value: object, place: frozenset[str] = frozenset()) -> list[tuple[frozenset[str], str]]:
    """Every text of a specification, with the names of what it stands in."""
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in strings(each, place | {key})]
    if isinstance(value, list):
        return [found for each in value for found in strings(each, place)]
    return [(place, value)] if isinstance(value, str) else []


@pytest.mark.parametrize("name", FIGURES)
def test_odd_campaigns(name: str) -> None:
    """Topics without relevant documents, empty rankings, one run: a figure, or one clear line."""
    one = client_of(read_state({"1": {"a": 1}, "2": {"b": 0}}, {"x": {"1": {"a": 1.0}}}))
    for client, given in (
        (client_of(small_state()), {"run": "z", "topic": "2", "a": "x", "b": "z"}),
        (client_of(small_state()), {"run": "y", "topic": "3", "a": "y", "b": "z"}),
        (
            client_of(small_state(undefined="exclude", missing="exclude")),
            {"run": "y", "topic": "3", "a": "y", "b": "z"},
        ),
        (one, {"run": "x", "topic": "2", "a": "x", "b": "x"}),
    ):
        taken = {key: value for key, value in given.items() if key in ASKED[name][0]}
        response = client.get(f"/api/figures/{name}", **taken)
        assert response.status in (200, 400), response.text
        if response.status == 400:
            assert client is one, response.error


def test_what_the_first_page_needs_is_made_before() -> None:
    for runs in (RUNS, {"x": RUNS["x"]}):
        state = read_state({"1": {"a": 1}, "2": {"b": 0}}, runs)
        prepare(state)
        assert len(state._values) == 6
        assert {"effort", "rankings"} <= set(vars(state))


def test_the_runs_are_those_by_hand() -> None:
    csv = client_of(small_state()).get("/api/figures/crp.csv", topic="1", run=list(RUNS)).text
    found = pl.read_csv(csv.encode(), infer_schema=False)
    assert found["run"].unique(maintain_order=True).to_list() == list(RUNS)
