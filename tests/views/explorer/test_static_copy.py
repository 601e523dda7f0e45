"""Tests of the copy of the explorer as files: its contents, and its pages on a plain web server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from assay.cli import main
from assay.errors import InputError
from assay.io.writing import write_files
from assay.views.explorer import export_campaign
from assay.views.explorer.files import vega_runtime
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.static_copy import build_files, bundle, key_of
from explorer_cases import client_of, read_state
from views.explorer.browser import (
    HOSTILE_DOCUMENT,
    HOSTILE_QUERY,
    HOSTILE_RUN,
    HOSTILE_TEXT,
    HOSTILE_TOPIC,
    Reader,
    find_chromium,
    hostile_campaign,
)

in_browser = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")


class QuietHandler(SimpleHTTPRequestHandler):
    """The handler of ``python -m http.server``, without messages on standard error."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[ExplorerState, Path]:
    """Return a campaign with hostile names and texts, and the directory of its copy."""
    directory = tmp_path_factory.mktemp("site") / "results"
    state = hostile_campaign(systems=4, topics=3)
    state.prepare()
    write_files(directory, build_files(state, vega_runtime()))
    return state, directory


@pytest.fixture(scope="module")
def copy_address(copied: tuple[ExplorerState, Path]) -> Iterator[str]:
    """Serve the copy in a subdirectory, as on a site with other pages."""
    root = copied[1].parent
    (root / "favicon.ico").touch()  # Browsers request it if they show a file without a page.
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=root))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/results/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def copy_reader(tab: Any, copy_address: str) -> Iterator[Reader]:
    page_reader = Reader(tab, copy_address)
    yield page_reader
    assert page_reader.problems == []
    assert [url for url in page_reader.requests if not url.startswith((copy_address, "data:", "blob:"))] == []
    page_reader.reset()


@in_browser
def test_pages_are_complete_without_the_explorer(copy_reader: Reader) -> None:
    page = copy_reader.page
    copy_reader.open("index.html")
    assert len(copy_reader.read_column("#leaderboard", 1)) == 4
    assert copy_reader.count_colours("census") > 3
    page.locator("#heatmap-fold summary").click()
    copy_reader.wait_until(lambda: page.locator("#heatmap canvas").count(), "the heat map")
    copy_reader.perform(page.locator("#leaderboard th button", has_text="P@10").click)
    assert "by P@10" in copy_reader.read_text("#lede")
    copy_reader.perform(page.locator("#leaderboard").get_by_role("link", name="alpha1", exact=True).click)
    assert page.url.endswith("system.html?run=alpha1")
    assert copy_reader.count_colours("topic-spread") > 3
    copy_reader.perform(page.locator("nav").get_by_role("link", name="Effort and gain").click)
    assert copy_reader.count_colours("effort-gain") > 3
    assert page.locator("nav a").all_inner_texts() == ["Overview", "Effort and gain", "Topic", "System"]
    assert page.locator(".status[data-kind=error]").count() == 0


@in_browser
def test_topics_and_documents_of_the_copy(copy_reader: Reader) -> None:
    page = copy_reader.page
    copy_reader.open("topic.html", topic=HOSTILE_TOPIC)
    assert copy_reader.read_text("#query") == HOSTILE_QUERY
    assert copy_reader.count_colours("crp-topic") > 3
    assert page.get_by_role("link", name="what if …").count() == 0
    copy_reader.open("topic.html", topic=HOSTILE_TOPIC, doc=HOSTILE_DOCUMENT)
    assert copy_reader.read_text(".document-text") == HOSTILE_TEXT
    copy_reader.perform(page.get_by_role("button", name="Next topic").click)
    assert page.locator(".card").count() == 20
    copy_reader.open("system.html", run=HOSTILE_RUN)
    assert copy_reader.read_text("#lede").startswith(HOSTILE_RUN)
    assert page.locator("img, iframe, main script, main svg[onload], b[onmouseover]").count() == 0


@in_browser
def test_values_that_the_copy_does_not_contain_are_reported(copy_reader: Reader) -> None:
    copy_reader.open("topic.html", topic="402", measure="P@7")
    assert "start assay explore to compute them" in copy_reader.read_text("#problem")


def test_answers_are_those_of_the_server(copied: tuple[ExplorerState, Path]) -> None:
    state, directory = copied
    client = client_of(state)
    topic = json.loads((directory / "data/topic-0.json").read_text())
    params = {"topic": state.campaign.topics[0], "measure": "AP"}
    assert topic[key_of("topic", params)] == client.api("topic", **params)
    index = json.loads((directory / "data/index.json").read_text())
    assert index[key_of("campaign", {})] == client.api("campaign")
    pages = [path.read_text() for path in directory.glob("*.html")]
    assert len(pages) == 4
    for text in pages:
        assert HOSTILE_RUN not in text
        assert not re.search(r"(src|href)=\"/", text), "absolute address"
        for name in re.findall(r"(?:src|href)=\"((?:static|data)/[^\"?]+)", text):
            assert (directory / name).is_file()


def test_errors_are_answers() -> None:
    state = read_state({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}})
    params = {"measure": ["AP", "P@1"]}
    answers = json.loads(bundle(state, [("correlation", params), ("census", {})]))
    assert "need at least two runs" in answers[key_of("correlation", params)]["error"]["message"]
    assert answers[key_of("census", {})]["curves"] == 1


def test_existing_directory_is_reported_before_reading(tmp_path: Path) -> None:
    def read() -> Any:
        raise AssertionError("the directory is checked first")

    with pytest.raises(InputError, match="already exists; choose a new directory"):
        export_campaign(read, str(tmp_path))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.views.explorer.files._PRINT_RUNTIME", "print('vega')")
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    Path("a.run").write_text("1 Q0 a 1 2 a\n2 Q0 c 1 2 a\n")
    Path("q.tsv").write_text("1\tfirst query\n")
    assert main(["explore", "qrels.txt", "a.run", "--queries", "q.tsv", "--export", "copy"]) == 0
    assert "wrote copy" in capsys.readouterr().err
    assert "first query" in Path("copy/data/index.json").read_text()
    assert main(["explore", "qrels.txt", "a.run", "--export", "copy"]) == 2
    assert "copy: already exists; choose a new directory" in capsys.readouterr().err
    assert main(["explore", "qrels.txt", "a.run", "--export", "other", "--open"]) == 2
    assert "--export cannot be combined with --open" in capsys.readouterr().err
