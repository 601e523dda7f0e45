"""Any invalid path gives an AssayError, never an OSError."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import main
from assay.errors import AssayError, escape_surrogates
from assay.io.writing import write_files

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}
BAD_PATHS: list[Any] = [
    "a\0b",
    "\ud800.run",
    "x" * 300,
    "file/inside",
    "loop",
    "",
    Path("a\0b"),
    5,
    None,
    b"a.run",
    object(),
]
READ: dict[str, Callable[[Any], object]] = {
    "read_qrels": assay.model.read_qrels,
    "read_run": assay.model.read_run,
    "read_runs": assay.model.read_runs,
    "evaluate qrels": lambda path: assay.evaluate(path, {"x": RUN}, "AP"),
    "evaluate run": lambda path: assay.evaluate(QRELS, path, "AP"),
    "evaluate runs": lambda path: assay.evaluate(QRELS, ["good.run", path], "AP"),
    "evaluate in chunks": lambda path: assay.evaluate(QRELS, path, "AP", memory="1G"),
    "evaluate temporary": lambda path: assay.evaluate(QRELS, "good.run", "AP", memory="1G", temporary=path or "a\0"),
    "overlap": assay.distance.rbo,
    "judgment_report": assay.meta.judgments,
    "pool_depth groups": lambda path: assay.meta.pool_depth(QRELS, {"x": RUN}, "AP", groups=path or "a\0"),
    "plot": lambda path: assay.plot("boxes", assay.read(QRELS, path), measures="AP"),
}
WRITE: dict[str, Callable[[Any], object]] = {
    "Run.write": lambda path: assay.model.Run.from_dict(RUN).write(path),
    "Qrels.write": lambda path: assay.model.Qrels.from_dict(QRELS).write(path),
    "write_files": lambda path: write_files(path, [("a", b"")]),
    "study": lambda path: assay.meta.study(assay.read(QRELS, {"x": RUN, "y": RUN}), path, {"measures": ("AP",)}),
    "Collection.write": lambda path: assay.simulate(2, 2, 10, 2, 5).write(path),
}


@pytest.fixture(autouse=True)
def prepare_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    with suppress(OSError):  # Windows allows links in developer mode only
        Path("loop").symlink_to("loop")
    assay.model.Run.from_dict(RUN).write("good.run")


@pytest.mark.parametrize("call", READ.values(), ids=READ)
@pytest.mark.parametrize("path", BAD_PATHS, ids=lambda path: ascii(path)[:20])
def test_unreadable_paths_are_rejected(call: Callable[[Any], object], path: Any) -> None:
    with pytest.raises(AssayError) as error:
        call(path)
    str(error.value).encode()


@pytest.mark.parametrize("call", WRITE.values(), ids=WRITE)
@pytest.mark.parametrize("path", [path for path in BAD_PATHS if path != "loop"], ids=lambda path: ascii(path)[:20])
def test_unwritable_paths_are_rejected(call: Callable[[Any], object], path: Any) -> None:
    with pytest.raises(AssayError) as error:
        call(path)
    str(error.value).encode()


@pytest.mark.parametrize("call", READ.values(), ids=READ)
def test_missing_permissions_are_reported(call: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Directories and files without permission; simulated, because root can read everything."""
    Path("locked").mkdir()
    Path("data.parquet").mkdir()

    def deny(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", deny)
    monkeypatch.setattr(Path, "read_bytes", deny)
    monkeypatch.setattr(Path, "is_file", deny)
    monkeypatch.setattr("tempfile.TemporaryFile", deny)
    for path in ("locked", "locked/a.run", "data.parquet"):
        with pytest.raises(AssayError):
            call(path)


@pytest.mark.posix  # file names are bytes
def test_file_names_that_are_not_utf_8() -> None:
    names = [os.fsdecode(name) for name in (b"q\xe9.txt", b"a\xff.run", b"b\xff.run")]
    assay.model.Qrels.from_dict(QRELS).write(names[0])
    for name in names[1:]:
        assay.model.Run.from_dict(RUN, "same").write(name)
    results = assay.evaluate(names[0], names[1:], "AP")
    assert results.runs == ("a\\udcff", "b\\udcff")
    assert results.provenance.sources == list(map(escape_surrogates, names[1:]))
    json.dumps([results.provenance.as_dict(), results.notes], ensure_ascii=False).encode()
    for form in ("json", "csv", "html", "parquet"):
        assert main(["eval", *names, "--format", form, "-o", os.fsdecode(b"out\xff")]) == 0
    assert main(["eval", *names, "--memory", "1G", "--format", "json", "-o", "values.json"]) == 0
    assert main(["distance", "rbo", *names[1:], "--format", "json", "-o", "values.json"]) == 0
    assert main(["plot", "boxes", *names, "-o", "boxes.html"]) == 0
    assert main(["report", *names, "-o", "report.html", "--title", os.fsdecode(b"\xff")]) == 0
    assert main(["meta", "study", *names, "-o", "study"]) == 0
    assert main(["eval", *names, "--format", "json", "-o", names[1]]) == 2, "input files are not overwritten"
    assert main(["uncertainty", "judge-next", *names, "--as-qrels", "-o", names[0]]) == 2
