"""Tests of the application of the judging page without a browser: requests of other sites, invalid requests, files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import InputError
from assay.uncertainty import JudgingQueue
from assay.views.judging.app import ACTIONS, FOLDER, application
from assay.views.judging.session import JudgingSession
from explorer_cases import HOST, Client

RUNS = {"one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 1.0}}}
HEADERS = {"host": HOST, "origin": f"http://{HOST}", "content-type": "application/json"}


def start_session(output: Path, qrels: Any = None, **options: Any) -> JudgingSession:
    campaign = assay.read(qrels, RUNS, keep="documents")
    return JudgingSession(campaign, JudgingQueue(campaign), str(output), **options)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "judged.qrels"


@pytest.fixture
def client(output: Path) -> Iterator[Client]:
    session = start_session(output)
    yield Client(application(session, 8765))
    session.close()


def post(client: Client, path: str, content: Any, **headers: str | None) -> tuple[int, Any]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    all_headers = {"content-length": str(len(body)), **HEADERS, **names}
    encoded = [(name.encode(), value.encode()) for name, value in all_headers.items() if value is not None]
    answer = client.raw(path, b"", encoded, "POST", body)
    return answer.status, answer.json


def test_judgments_are_written(client: Client, output: Path) -> None:
    task = client.api("task")
    assert (task["topic"], task["doc"], task["maxGrade"], task["last"]) == ("1", "a", 9, None)
    status, task = post(client, "/api/judge", {"topic": "1", "doc": "a", "grade": 2})
    assert (status, task["doc"], task["progress"]["total"]) == (200, "d", 1)
    assert output.read_text() == "1 0 a 2\n"
    status, answer = post(client, "/api/judge", {"topic": "1", "doc": "a", "grade": 2})
    assert (status, "already has grade 2" in answer["error"]["message"]) == (409, True)
    assert post(client, "/api/undo", {"topic": "2", "doc": "d"})[0] == 409
    assert post(client, "/api/undo", {"topic": "1", "doc": "a"})[1]["doc"] == "a"
    assert output.read_text() == ""
    assert post(client, "/api/undo", {"topic": "1", "doc": "a"})[0] == 409


@pytest.mark.parametrize("path", ACTIONS)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": None}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"host": "evil.example:8765", "origin": "http://evil.example:8765"}, 421),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"sec_fetch_site": "cross-site"}, 403),
    ],
)
def test_requests_of_other_sites_write_nothing(
    client: Client, output: Path, path: str, headers: dict[str, str | None], status: int
) -> None:
    content = {"topic": "1", "doc": "a", **({"grade": 1} if path == "/api/judge" else {})}
    assert post(client, path, content, **headers)[0] == status
    assert output.read_text() == ""
    assert client.get(path).status == 405


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not JSON"),
        (b"[" * 10_000, "not JSON"),
        (b'{"topic": "1", "doc": "a", "grade": NaN}', "grade must be a whole number"),
        ([], "needs exactly doc, grade, topic"),
        ({"topic": "1", "doc": "a"}, "needs exactly doc, grade, topic"),
        ({"topic": 1, "doc": "a", "grade": 1}, "must be text"),
        ({"topic": "1", "doc": "a", "grade": True}, "grade must be a whole number"),
        ({"topic": "1", "doc": "a", "grade": 10}, "grades are 0 to 9"),
        ({"topic": "1", "doc": "a", "grade": -1}, "grades are 0 to 9"),
        ({"topic": "1", "doc": "nowhere", "grade": 1}, "not among the documents"),
        ({"topic": "1", "doc": "a\n1 0 b 1", "grade": 1}, "not among the documents"),
    ],
)
def test_invalid_requests_write_nothing(client: Client, output: Path, content: Any, message: str) -> None:
    status, answer = post(client, "/api/judge", content)
    assert (status, message in answer["error"]["message"]) == (400, True), answer
    assert output.read_text() == ""


def test_long_requests_and_other_addresses_are_rejected(client: Client) -> None:
    assert post(client, "/api/judge", b"x" * 20_000)[0] == 413
    assert post(client, "/api/judge", b"x" * 20_000, content_length="10")[0] == 413
    assert post(client, "/api/judge", {}, content_length=None)[0] == 411
    assert post(client, "/", {})[0] == 405
    assert client.get("/none").status == 404
    assert client.get("/static/table.js").status == 404
    for path in ("/", "/static/judge.js", "/static/style.css", "/favicon.ico", "/api/task"):
        response = client.get(path)
        assert response.status == 200, path
        assert "default-src 'none'" in response.headers["content-security-policy"]


def test_judgments_of_the_qrels_and_of_earlier_sessions_are_merged(output: Path) -> None:
    output.write_text("1 0 a 1\n1 0 b 2\n7 0 z 1\n")
    session = start_session(output, {"1": {"a": 1, "c": -1}, "2": {"x": 1}})
    assert [note.partition(": ")[2] for note in session.notes] == [
        "continues after 3 judgments",
        "1 judgment also in the qrels, with equal grades",
    ]
    assert session.max_grade == 2
    assert session.task()["doc"] == "d"
    session.mark_unsure("2", "d")
    assert session.task()["doc"] == "c"
    session.skip("1", "c")
    assert session.task()["doc"] == "c"
    session.close()
    session = start_session(output, {"1": {"a": 1, "c": -1}, "2": {"x": 1}})
    assert any("1 document not asked again" in note for note in session.notes)
    session.judge("1", "c", 0)
    assert session.task()["done"]
    session.undo("1", "c")
    session.close()


def test_different_grades_are_an_error_and_release_the_file(output: Path) -> None:
    output.write_text("1 0 b 0\n1 0 a 1\n")
    with pytest.raises(
        InputError, match=r"judged.qrels:2: document a of topic 1 has grade 1, but grade 2 in the qrels"
    ):
        start_session(output, {"1": {"a": 2}, "2": {"x": 1}})
    output.write_text("")
    start_session(output, {"1": {"a": 2}, "2": {"x": 1}}).close()
    assert not output.with_name("judged.qrels.unsure").exists()


def test_documents_with_whitespace_are_rejected(output: Path) -> None:
    campaign = assay.read(None, {"one": {"1": {"a b": 1.0}}}, keep="documents")
    with pytest.raises(InputError, match="'a b': contains whitespace"):
        JudgingSession(campaign, JudgingQueue(campaign), str(output))


def test_sources_build_no_markup_from_text() -> None:
    script = (FOLDER / "static" / "judge.js").read_text()
    assert not any(
        word in script for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "http:", "https:")
    )
    page = (FOLDER / "templates" / "judge.html").read_text()
    assert "<style" not in page
    assert "<script>" not in page
    assert "http:" not in page
    assert "url(" not in (FOLDER / "static" / "judge.css").read_text()
