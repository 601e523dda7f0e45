"""The whole application: every address, parameters, names, odd campaigns, many readers at once."""

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

NEEDED: dict[str, dict[str, str]] = {
    "curve": {"run": "x", "topic": "1"},
    "deciding": {"a": "x", "b": "y"},
    "med": {"a": "x", "b": "y"},
    "pair": {"a": "x", "b": "y"},
    "system": {"run": "x"},
    "topic": {"topic": "1"},
}


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


@pytest.mark.parametrize("name", API)
def test_every_answer_is_plain_json(client: Client, name: str) -> None:
    response = client.get(f"/api/{name}", **NEEDED.get(name, {}))
    assert response.status == 200
    assert response.json
    assert response.headers["cache-control"] == "no-cache"
    assert int(response.headers["content-length"]) == len(response.body)
    again = client.get(f"/api/{name}", {"accept-encoding": "br, gzip"}, **NEEDED.get(name, {}))
    assert again.text == response.text
    assert again.headers["etag"] == response.headers["etag"]
    assert (again.headers.get("content-encoding") == "gzip") is (len(response.body) > 1000)


@pytest.mark.parametrize("name", API)
def test_unknown_parameters_are_refused_everywhere(client: Client, name: str) -> None:
    needed = NEEDED.get(name, {})
    assert "there is no parameter 'bogus'" in client.wrong(name, **needed, bogus="1")
    response = client.raw(f"/api/{name}", b"bogus=%ff", [(b"host", HOST.encode())])
    assert response.status == 400
    assert response.error == "the query is not UTF-8"


@pytest.mark.parametrize("name", API)
@pytest.mark.parametrize("parameter", ["run", "topic", "measure", "a", "b"])
@pytest.mark.parametrize("value", ["\x00", HOSTILE, "é\u202e\ud7ff", "a" * 2001, "'; drop table", "../../etc/passwd"])
def test_odd_values_of_parameters(client: Client, name: str, parameter: str, value: str) -> None:
    given: dict[str, Any] = {**NEEDED.get(name, {}), parameter: value}
    response = client.get(f"/api/{name}", **given)
    assert response.status == 400
    assert len(response.error) < 700


@pytest.mark.parametrize("query", [b"&&&", b"=", b"measure", b"=AP", b"?measure=AP", b"measure=AP&", b"measure=AP#x"])
def test_odd_queries(client: Client, query: bytes) -> None:
    response = client.raw("/api/leaderboard", query, [(b"host", HOST.encode())])
    assert response.status in (200, 400)
    if response.status == 400:
        assert response.error


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/campaign/", "/Api/campaign", "/api//campaign", "/topic/", "/x"]
)
def test_addresses_that_are_none(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status == 404
    assert response.error == "there is no page at this address"


def test_answers_do_not_depend_on_who_asked_before() -> None:
    asked = [("leaderboard", {"measure": m}) for m in ("AP", "RR", "nDCG@5", "RBP(p=0.3)")]
    asked += [("curve", {"run": run, "topic": topic}) for run in RUNS for topic in QRELS]
    first = client_of(small_state())
    second = client_of(small_state())
    there = {str(one): first.api(one[0], **one[1]) for one in asked}
    back = {str(one): second.api(one[0], **one[1]) for one in asked[::-1]}
    assert there == back


def test_many_readers_at_once_get_the_same_answers() -> None:
    state = simulated_state()
    run, topic = state.campaign.runs[0], state.campaign.topics[0]
    a, b = state.campaign.runs[:2]
    asked: list[tuple[str, dict[str, Any]]] = [
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
    alone = client_of(simulated_state())
    expected = [alone.api(name, **given) for name, given in asked]
    client = client_of(state)
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda one: client.api(one[0], **one[1]), asked * 3))
    assert found == expected * 3


def test_a_path_with_a_question_mark_is_no_query(client: Client) -> None:
    """What stands behind an escaped question mark belongs to the name of a figure that does not exist."""
    first = client.api("figures/leaderboard", measure="RR")
    response = client.get("/api/figures/leaderboard?measure=RR")
    assert response.status == 404
    assert client.api("figures/leaderboard", measure="RR") == first


def test_answers_are_kept_and_not_made_again(monkeypatch) -> None:
    state = small_state()
    client = client_of(state)
    first = client.get("/api/leaderboard")
    monkeypatch.setattr(type(state), "values", lambda self, measures: 1 / 0)
    assert client.get("/api/leaderboard").body == first.body
    assert client.get("/api/leaderboard", measure="RR").status == 500


# Names ------------------------------------------------------------------------------------------------------


def test_names_that_look_like_code_are_told_as_they_are() -> None:
    state = hostile_state()
    client = client_of(state)
    a, b = state.campaign.runs
    assert a == HOSTILE
    for name, needed in NEEDED.items():
        own = {"run": a, "topic": HOSTILE, "a": a, "b": b}
        response = client.get(f"/api/{name}", **{key: own[key] for key in needed})
        assert response.status == 200, response.text
        assert response.headers["content-type"] == "application/json"
    assert [row["run"] for row in client.api("leaderboard", sort="run")["rows"]] == sorted(state.campaign.runs)
    assert client.api("curve", run=a, topic=HOSTILE)["curve"]["document"][:2] == ["d", HOSTILE]
    assert client.api("system", run=b)["unjudged"][0]["first"] == [{"rank": 1, "document": "e"}]
    assert client.api("census", run=b)["rows"][0]["run"] == b
    assert client.api("leaderboard", filter="<SCRIPT>")["rows"][0]["run"] == HOSTILE


# Odd campaigns ------------------------------------------------------------------------------------------------


def ask_everything(state: ExplorerState) -> dict[str, tuple[int, Any]]:
    client = client_of(state)
    run, topic = state.campaign.runs[0], state.campaign.topics[0]
    own = {"run": run, "topic": topic, "a": run, "b": state.campaign.runs[-1]}
    found = {}
    for name in API:
        response = client.get(f"/api/{name}", **{key: own[key] for key in NEEDED.get(name, {})})
        assert response.status in (200, 400), response.text
        found[name] = response.status, response.json if response.status == 200 else response.error
    return found


def test_one_run() -> None:
    found = ask_everything(read_state(QRELS, {"x": RUNS["x"]}))
    refused = {name: told for name, (status, told) in found.items() if status == 400}
    assert set(refused) == {"correlation", "deciding", "med", "pair", "separation"}
    assert refused["correlation"] == "need at least two runs to compare; the campaign has only one"
    assert "choose two different runs" in refused["pair"]
    assert found["lab"][1]["tau"] == [[None]]
    assert found["system"][1]["place"] == 1
    assert {row["gain"] for row in found["system"][1]["topics"]} == {0}


def test_two_runs() -> None:
    found = ask_everything(read_state(QRELS, {name: RUNS[name] for name in "xy"}))
    assert {status for status, _ in found.values()} == {200}


def test_one_topic_and_one_document() -> None:
    found = ask_everything(read_state({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}))
    assert {status for status, _ in found.values()} == {200}
    assert found["pair"][1]["p"] is None, "one topic is too few for a test"


def test_nothing_is_relevant() -> None:
    for undefined in ("zero", "exclude"):
        state = read_state({"1": {"a": 0}, "2": {"b": 0}}, {name: RUNS[name] for name in "xy"}, undefined=undefined)
        found = ask_everything(state)
        assert {name for name, (status, _) in found.items() if status != 200} == set()
        assert found["census"][1]["curves"] == 0
        assert found["effort-gain"][1]["shown"] == (4 if undefined == "zero" else 0)


def test_a_run_with_nothing_for_most_topics() -> None:
    state = read_state(QRELS, {"x": RUNS["x"], "few": {"1": {}, "3": {"a": 1.0}}})
    found = ask_everything(state)
    assert {name for name, (status, _) in found.items() if status != 200} == set()
    assert client_of(state).api("system", run="few")["unjudged"][0]["first"] == []


def test_negative_and_broken_grades() -> None:
    qrels = {"1": {"a": 2.5, "b": -1, "c": 0.5}, "2": {"a": 1}}
    found = ask_everything(read_state(qrels, {name: RUNS[name] for name in "xy"}))
    assert {name for name, (status, _) in found.items() if status != 200} == set()


def test_every_answer_reads_its_parameters_before_it_works() -> None:
    """``query.end()`` stands in each, so that nothing is computed for a request that is refused."""
    for name, make in API.items():
        assert "query.end()" in inspect.getsource(make), name
    assert module.SLOW == ("med", "pair", "separation")
