"""Tests of static files: a fixed list, compressed, sent again only if changed."""

from __future__ import annotations

import gzip

import pytest

from assay.views.explorer import files
from assay.views.explorer.files import MEDIA_TYPES, STATIC, VegaProcess, load_static_files
from explorer_cases import Client, client_of, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state())


NAMES = sorted(path.name for path in STATIC.iterdir() if path.suffix in MEDIA_TYPES)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_served(client: Client, name: str) -> None:
    response = client.get(f"/static/{name}", {"accept-encoding": "gzip"})
    assert response.status == 200
    assert response.text.encode() == (STATIC / name).read_bytes()
    assert response.headers["content-type"] == MEDIA_TYPES[(STATIC / name).suffix]
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["vary"] == "accept-encoding"
    plain = client.get(f"/static/{name}")
    assert "content-encoding" not in plain.headers
    assert plain.body == (STATIC / name).read_bytes()
    assert client.get(f"/static/{name}", {"if-none-match": f'"x", W/{response.headers["etag"]}'}).status == 304
    assert client.get(f"/static/{name}", {"if-none-match": '"x"'}).status == 200


def test_styles_and_scripts_exist() -> None:
    assert any(name.endswith(".css") for name in NAMES)
    assert any(name.endswith(".js") for name in NAMES)


def test_vega_is_immutable_under_its_version(client: Client) -> None:
    response = client.get("/static/vega.js")
    assert response.body == b"vega"
    assert response.headers["cache-control"] == "no-cache"
    tag = response.headers["etag"].strip('"')
    assert "immutable" in client.get("/static/vega.js", v=tag).headers["cache-control"]
    assert client.get("/static/vega.js", v="other").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/....//app.py",
        "/static//etc/passwd",
        "/static/..\\app.py",
        "/static/style.css/../../app.py",
        "/static/",
        "/static",
        "/static/app.py",
        "/static/.hidden",
        "/static/vega.js\x00",
        "/static/VEGA.JS",
        "/static/templates/base.html",
        "/templates/base.html",
        "/../../etc/passwd",
    ],
)
def test_other_paths_are_not_found(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status == 404
    assert response.error in ("there is no such file", "there is no page at this address")


def test_files_added_later_are_not_served(client: Client, tmp_path, monkeypatch) -> None:
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("no")
    (tmp_path / "folder.js").mkdir()
    monkeypatch.setattr(files, "STATIC", tmp_path)
    static_files = load_static_files(b"vega")
    assert sorted(static_files) == ["a.js", "vega.js"]
    (tmp_path / "b.js").write_text("2")
    assert "b.js" not in static_files


def test_icon_is_served(client: Client) -> None:
    response = client.get("/favicon.ico")
    assert response.status in (200, 204)
    if response.status == 200:
        assert response.headers["content-type"] == "image/svg+xml"


def test_vega_is_built_in_another_process() -> None:
    with VegaProcess() as vega:
        text = vega.result()
    assert b"vegaEmbed" in text
    assert len(gzip.compress(text, 1)) < 600_000


def test_vega_is_built_here_if_the_other_process_fails(monkeypatch) -> None:
    monkeypatch.setattr(files, "_PRINT_RUNTIME", "raise SystemExit(1)")
    monkeypatch.setattr(files, "vega_runtime", lambda: b"here")
    with VegaProcess() as vega:
        assert vega.result() == b"here"


def test_vega_process_is_stopped_on_exit(monkeypatch) -> None:
    monkeypatch.setattr(files, "_PRINT_RUNTIME", "import time; time.sleep(600)")
    with VegaProcess() as vega:
        process = vega._process
    assert process.returncode is not None
