"""Tests of the whole application: addresses, parameters, names, unusual campaigns, concurrent requests."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay.views.explorer import app as module
from assay.views.explorer.app import API
from assay.views.explorer.state import ExplorerState
from explorer_cases import (
    HOST,
    HOSTILE,
    QRELS,
    RUNS,
    Client,
    client_of,
    hostile_state,
    read_state,
    simulated_state,
    small_state,
)

REQUIRED: dict[str, dict[str, str]] = {
    "curve": {"run": "x", "topic": "1"},
    "deciding": {"a": "x", "b": "y"},
    "document": {"topic": "1", "doc": "a"},
    "med": {"a": "x", "b": "y"},
    "pair": {"a": "x", "b": "y"},
    "rankings": {"topic": "1"},
    "system": {"run": "x"},
    "topic": {"topic": "1"},
    "what-if": {"run": "x", "topic": "1"},
}


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


@pytest.mark.parametrize("name", API)
def test_every_response_is_plain_json(client: Client, name: str) -> None:
    response = client.get(f"/api/{name}", **REQUIRED.get(name, {}))
    assert response.status == 200
    assert response.json
    assert response.headers["cache-control"] == "no-cache"
    assert int(response.headers["content-length"]) == len(response.body)
    compressed = client.get(f"/api/{name}", {"accept-encoding": "br, gzip"}, **REQUIRED.get(name, {}))
    assert compressed.text == response.text
    assert compressed.headers["etag"] == response.headers["etag"]
    assert (compressed.headers.get("content-encoding") == "gzip") is (len(response.body) > 1000)


@pytest.mark.parametrize("name", API)
def test_unknown_parameters_are_rejected_everywhere(client: Client, name: str) -> None:
    required = REQUIRED.get(name, {})
    assert "there is no parameter 'bogus'" in client.wrong(name, **required, bogus="1")
    response = client.raw(f"/api/{name}", b"bogus=%ff", [(b"host", HOST.encode())])
    assert response.status == 400
    assert response.error == "the query is not UTF-8"


@pytest.mark.parametrize("name", API)
@pytest.mark.parametrize("parameter", ["run", "topic", "measure", "a", "b"])
@pytest.mark.parametrize("value", ["\x00", HOSTILE, "é\u202e\ud7ff", "a" * 2001, "'; drop table", "../../etc/passwd"])
def test_hostile_parameter_values_are_rejected(client: Client, name: str, parameter: str, value: str) -> None:
    parameters: dict[str, Any] = {**REQUIRED.get(name, {}), parameter: value}
    response = client.get(f"/api/{name}", **parameters)
    assert response.status == 400
    assert len(response.error) < 700


@pytest.mark.parametrize("query", [b"&&&", b"=", b"measure", b"=AP", b"?measure=AP", b"measure=AP&", b"measure=AP#x"])
def test_malformed_queries_are_handled(client: Client, query: bytes) -> None:
    response = client.raw("/api/leaderboard", query, [(b"host", HOST.encode())])
    assert response.status in (200, 400)
    if response.status == 400:
        assert response.error


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/campaign/", "/Api/campaign", "/api//campaign", "/topic/", "/x"]
)
def test_unknown_addresses_are_not_found(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status == 404
    assert response.error == "there is no page at this address"


def test_responses_do_not_depend_on_earlier_requests() -> None:
    requests = [("leaderboard", {"measure": m}) for m in ("AP", "RR", "nDCG@5", "RBP(p=0.3)")]
    requests += [("curve", {"run": run, "topic": topic}) for run in RUNS for topic in QRELS]
    first = client_of(small_state())
    second = client_of(small_state())
    forward = {str(request): first.api(request[0], **request[1]) for request in requests}
    backward = {str(request): second.api(request[0], **request[1]) for request in requests[::-1]}
    assert forward == backward


def test_concurrent_requests_get_the_same_responses() -> None:
    state = simulated_state()
    run, topic = state.campaign.runs[0], state.campaign.topics[0]
    a, b = state.campaign.runs[:2]
    requests: list[tuple[str, dict[str, Any]]] = [
        *(("leaderboard", {"measure": f"RBP(p=0.{k})"}) for k in range(1, 10)),
        *(("curve", {"run": run, "topic": topic}) for topic in state.campaign.topics),
        *(("topic", {"topic": topic}) for topic in state.campaign.topics),
        *(("figures/crp-dcg", {"run": run, "topic": topic, "width": 400 + k}) for k in range(4)),
        *(("figures/effort-gain", {"measure": m}) for m in ("AP", "RR")),
        *(("figures/leaderboard", {"measure": m}) for m in ("AP", "RR", "P@5")),
        ("pair", {"a": a, "b": b, "test": "randomization"}),
        ("med", {"a": a, "b": b}),
        ("deciding", {"a": a, "b": b}),
        ("lab", {"measure": ["nDCG@7", "ERR@9"]}),
        ("census", {}),
        ("correlation", {}),
    ]
    sequential_client = client_of(simulated_state())
    expected = [sequential_client.api(name, **parameters) for name, parameters in requests]
    client = client_of(state)
    with ThreadPoolExecutor(16) as threads:
        contents = list(threads.map(lambda request: client.api(request[0], **request[1]), requests * 3))
    assert contents == expected * 3


def test_escaped_question_mark_is_part_of_the_path(client: Client) -> None:
    """Text after an escaped question mark belongs to the name of a figure, which does not exist."""
    first = client.api("figures/leaderboard", measure="RR")
    response = client.get("/api/figures/leaderboard?measure=RR")
    assert response.status == 404
    assert client.api("figures/leaderboard", measure="RR") == first


def test_responses_are_cached(monkeypatch) -> None:
    state = small_state()
    client = client_of(state)
    first = client.get("/api/leaderboard")
    monkeypatch.setattr(type(state), "values", lambda self, measures: 1 / 0)
    assert client.get("/api/leaderboard").body == first.body
    assert client.get("/api/leaderboard", measure="RR").status == 500


# Names ------------------------------------------------------------------------------------------------------


def test_hostile_names_are_unchanged_in_responses() -> None:
    state = hostile_state()
    client = client_of(state)
    a, b = state.campaign.runs
    assert a == HOSTILE
    for name, required in REQUIRED.items():
        values = {"run": a, "topic": HOSTILE, "doc": HOSTILE, "a": a, "b": b}
        response = client.get(f"/api/{name}", **{key: values[key] for key in required})
        assert response.status == 200, response.text
        assert response.headers["content-type"] == "application/json"
    assert [row["run"] for row in client.api("leaderboard", sort="run")["rows"]] == sorted(state.campaign.runs)
    assert client.api("curve", run=a, topic=HOSTILE)["curve"]["document"][:2] == ["d", HOSTILE]
    assert client.api("system", run=b)["unjudged"][0]["first"] == [{"rank": 1, "document": "e"}]
    assert client.api("census", run=b)["rows"][0]["run"] == b
    assert client.api("leaderboard", filter="<SCRIPT>")["rows"][0]["run"] == HOSTILE


# Unusual campaigns--------------------------------------------------------------------------------------------


def request_everything(state: ExplorerState) -> dict[str, tuple[int, Any]]:
    client = client_of(state)
    run, topic = state.campaign.runs[0], state.campaign.topics[0]
    values = {"run": run, "topic": topic, "doc": "a", "a": run, "b": state.campaign.runs[-1]}
    contents = {}
    for name in API:
        response = client.get(f"/api/{name}", **{key: values[key] for key in REQUIRED.get(name, {})})
        assert response.status in (200, 400), response.text
        contents[name] = response.status, response.json if response.status == 200 else response.error
    return contents


def test_campaign_of_one_run() -> None:
    contents = request_everything(read_state(QRELS, {"x": RUNS["x"]}))
    errors = {name: content for name, (status, content) in contents.items() if status == 400}
    assert set(errors) == {"correlation", "deciding", "med", "pair", "separation"}
    assert errors["correlation"] == "need at least two runs to compare; the campaign has only one"
    assert "choose two different runs" in errors["pair"]
    assert contents["lab"][1]["tau"] == [[None]]
    assert contents["system"][1]["place"] == 1
    assert {row["gain"] for row in contents["system"][1]["topics"]} == {0}


def test_campaign_of_two_runs() -> None:
    contents = request_everything(read_state(QRELS, {name: RUNS[name] for name in "xy"}))
    assert {status for status, _ in contents.values()} == {200}


def test_one_topic_and_one_document() -> None:
    contents = request_everything(read_state({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}))
    assert {status for status, _ in contents.values()} == {200}
    assert contents["pair"][1]["p"] is None, "one topic is too few for a test"


def test_campaign_without_relevant_documents() -> None:
    for undefined in ("zero", "exclude"):
        state = read_state({"1": {"a": 0}, "2": {"b": 0}}, {name: RUNS[name] for name in "xy"}, undefined=undefined)
        contents = request_everything(state)
        assert {name for name, (status, _) in contents.items() if status != 200} == set()
        assert contents["census"][1]["curves"] == 0
        assert contents["effort-gain"][1]["shown"] == (4 if undefined == "zero" else 0)


def test_run_without_documents_for_most_topics() -> None:
    state = read_state(QRELS, {"x": RUNS["x"], "few": {"1": {}, "3": {"a": 1.0}}})
    contents = request_everything(state)
    assert {name for name, (status, _) in contents.items() if status != 200} == set()
    assert client_of(state).api("system", run="few")["unjudged"][0]["first"] == []


def test_negative_and_fractional_grades() -> None:
    qrels = {"1": {"a": 2.5, "b": -1, "c": 0.5}, "2": {"a": 1}}
    contents = request_everything(read_state(qrels, {name: RUNS[name] for name in "xy"}))
    assert {name for name, (status, _) in contents.items() if status != 200} == set()


def test_every_endpoint_checks_its_parameters_before_computing() -> None:
    """Every endpoint calls ``query.reject_unknown_parameters()``, so nothing is computed for a rejected request."""
    for name, endpoint in API.items():
        assert "query.reject_unknown_parameters()" in inspect.getsource(endpoint), name
    assert module.SLOW_ROUTES == ("med", "pair", "separation")
