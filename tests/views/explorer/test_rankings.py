"""Tests of the answers on the first documents of runs, and on one document."""

from __future__ import annotations

import pytest

from explorer_cases import QRELS, RUNS, Client, client_of, read_state
from views.explorer.browser import HOSTILE_TEXT

QUERIES = {"1": "first query"}
DOCS = [{"id": "a", "title": "Title", "text": "Text of a."}, {"id": "u", "text": HOSTILE_TEXT}]


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(read_state(QRELS, RUNS, queries=QUERIES, docs=DOCS))


def test_first_documents_have_grades_and_texts(client: Client) -> None:
    data = client.api("rankings", topic="1", run=["x", "y"], top=2)
    assert data["query"] == "first query"
    x, y = data["runs"]
    assert [(row["rank"], row["document"], row["grade"], row["relevant"]) for row in x["documents"]] == [
        (1, "a", 2.0, True),
        (2, "c", 0.0, False),
    ]
    assert (x["documents"][0]["title"], x["documents"][0]["text"]) == ("Title", "Text of a.")
    assert x["documents"][1]["title"] is None
    assert (x["relevant_in_top"], x["unjudged_in_top"], x["relevant_retrieved"], x["first_relevant"]) == (1, 0, 2, 1)
    assert (y["relevant_in_top"], y["unjudged_in_top"], y["first_relevant"]) == (0, 1, 3)
    assert y["documents"][1]["text"].startswith("<iframe")


def test_movements_in_words(client: Client) -> None:
    data = client.api("rankings", topic="1", run=["x", "y"], top=2)
    words = {row["document"]: row["words"] for row in data["moves"][0]["rows"]}
    assert words == {
        "a": "left the top 2 from rank 1 (now: 3), relevant (grade 2)",
        "c": "rose from rank 2 to 1, not relevant",
        "u": "entered at rank 2 (before: 4), unjudged in the top 2",
    }
    assert client.api("rankings", topic="1", run=["x", "z"], top=2)["moves"][0]["rows"][0]["words"]


def test_runs_without_documents_and_single_runs(client: Client) -> None:
    data = client.api("rankings", topic="2", run=["z", "x"])
    assert data["runs"][0]["documents"] == []
    assert data["runs"][0]["first_relevant"] is None
    assert {row["words"] for row in data["moves"][0]["rows"]} == {
        "entered at rank 1 (before: not retrieved), not relevant",
        "entered at rank 2 (before: not retrieved), relevant (grade 1)",
    }
    assert client.api("rankings", topic="2", run="x")["moves"] == []
    assert len(client.api("rankings", topic="2")["runs"]) == 2
    assert client.api("rankings", topic="1", run=["x", "y"], measure="NumRet")["moves"][0]["rows"]


@pytest.mark.parametrize(("runs", "measure"), [(["x", "y"], "AP"), (["x", "y", "z"], "P@10"), (["x"], "AP")])
def test_topics_are_ordered_by_difference(client: Client, runs: list[str], measure: str) -> None:
    rows = {
        run: {row["topic"]: row["value"] for row in client.api("system", run=run, measure=measure)["topics"]}
        for run in runs
    }
    values = {topic: [rows[run][topic] for run in runs] for topic in "123"}
    spread = {topic: max(v) - min(v) if len(v) > 1 else 1 - v[0] for topic, v in values.items()}
    order = sorted(spread, key=lambda topic: (-round(spread[topic], 12), topic))
    for place, topic in enumerate(order):
        data = client.api("rankings", topic=topic, run=runs, measure=measure)
        assert data["place"] == place + 1
        assert data["previous"] == (order[place - 1] if place else None)
        assert data["next"] == (order[place + 1] if place < 2 else None)
        assert data["difference"] == (pytest.approx(spread[topic]) if len(runs) > 1 else None)


def test_one_document(client: Client) -> None:
    data = client.api("document", topic="1", doc="a")
    assert (data["title"], data["text"], data["grade"], data["retrieved"]) == ("Title", "Text of a.", 2.0, True)
    assert data["ranks"] == [{"run": "x", "rank": 1}, {"run": "z", "rank": 2}, {"run": "y", "rank": 3}]
    assert client.api("document", topic="1", doc="u")["grade"] is None
    unknown = client.api("document", topic="1", doc="<nothing>")
    assert (unknown["retrieved"], unknown["text"], unknown["ranks"]) == (False, None, [])
    assert client.api("document", topic="1")["retrieved"] is False


def test_titles_and_queries_in_other_answers(client: Client, small_client: Client) -> None:
    assert [row["query"] for row in client.api("campaign")["topics"]] == ["first query", None, None]
    titles = {row["document"]: row["title"] for row in client.api("topic", topic="1")["misplaced"]}
    assert titles["a"] == "Title"
    assert titles["c"] is None
    assert {row["title"] for row in client.api("deciding", a="x", b="y", topic="1")["rows"]} == {"Title", None}
    assert {row["title"] for row in small_client.api("topic", topic="1")["misplaced"]} == {None}


def test_wrong_parameters(client: Client) -> None:
    assert "maximum is 5" in client.wrong("rankings", topic="1", run=["x"] * 6)
    assert "from 1 to 50" in client.wrong("rankings", topic="1", top=51)
    assert "topic is missing" in client.wrong("rankings")
    assert "there is no parameter" in client.wrong("document", topic="1", document="a")
