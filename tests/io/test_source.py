from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
import zstandard

import assay
from assay.errors import InputError
from assay.io.source import Source, expand, note_ignored_entries, read, stem

TEXT = b"q1 0 d1 1\n" * 100
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("ending", PACK)
def test_compressed_files(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"f.qrels{ending}"
    packed = PACK[ending](TEXT)
    path.write_bytes(packed)
    source = read(str(path))
    assert source.data == TEXT
    assert source.digest == hashlib.sha256(packed).hexdigest()
    assert source.suffix == ".qrels"


@pytest.mark.parametrize("ending", PACK)
def test_several_members(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"F.QRELS{ending.upper()}"
    path.write_bytes(PACK[ending](TEXT) + PACK[ending](b"end\n"))
    assert read(str(path)).data == TEXT + b"end\n"


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("damage", ["cut", "cut second", "garbage after", "flipped"])
def test_damage_is_never_passed_over(ending: str, damage: str, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(2000).hex().encode()
    packed = PACK[ending](noise)
    middle = len(packed) // 2
    data = {
        "cut": packed[:-1],
        "cut second": packed + PACK[ending](noise)[:-9],
        "garbage after": packed + b"garbage, garbage",
        "flipped": packed[:middle]
        + bytes(byte ^ 0xFF for byte in packed[middle : middle + 40])
        + packed[middle + 40 :],
    }[damage]
    if ending == ".zst" and damage == "flipped":  # a frame without a checksum; broken where its blocks begin
        data = packed[:12] + bytes(40) + packed[52:]
    path = tmp_path / f"f{ending}"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read(str(path))
    assert str(error.value).startswith(f"{path}: the {ending[1:]} data is damaged or cut off (")


def test_an_empty_compressed_name_is_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "f.gz").write_bytes(b"")
    assert read(str(tmp_path / "f.gz")).data == b""


@pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT), zstandard.compress(TEXT)], ids=["text", "gz", "zst"])
def test_standard_input(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = read("-")
    assert (source.path, source.data, source.suffix) == ("standard input", TEXT, "")


@pytest.mark.parametrize(
    ("path", "name", "suffix"),
    [
        ("a/bm25.run", "bm25.run", ".run"),
        ("a/bm25.run.gz", "bm25.run", ".run"),
        ("bm25.JSON.zst", "bm25.JSON", ".json"),
        ("bm25", "bm25", ""),
        ("a.b/.gz", ".gz", ""),
        ("-", "stdin", ""),
    ],
)
def test_names(path: str, name: str, suffix: str) -> None:
    assert stem(path) == name
    assert Source(path, b"", "").suffix == suffix


def test_expand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.run", "a.run", "note.txt", ".hidden", "deep/c.run", "odd[1].run"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    assert expand("a.run") == ["a.run"]
    assert expand(Path("a.run")) == ["a.run"]
    assert expand(["b.run", "-", "a.run"]) == ["b.run", "-", "a.run"]
    assert expand(".") == ["a.run", "b.run", "note.txt", "odd[1].run"]
    assert expand("[ab].run") == ["a.run", "b.run"]
    assert expand("**/*.run") == ["a.run", "b.run", "deep/c.run", "odd[1].run"]
    assert expand("odd[1].run") == ["odd[1].run"]
    assert expand("absent.run") == ["absent.run"]
    assert expand([]) == []


def test_a_name_that_the_system_refuses() -> None:
    name = "x" * 5000
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)$"):
        expand(name)
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)$"):
        read(name)


def test_text_that_begins_like_a_database(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_bytes(b"SQLite 0 d1 1\n")
    assert read(str(path)).data == b"SQLite 0 d1 1\n"
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(InputError, match="is a database, not text"):
        read(str(path))


def test_an_empty_name_is_not_the_current_directory() -> None:
    for reading in (read, expand):
        with pytest.raises(InputError, match=r"^an empty file name; is a variable unset"):
            reading("")


def test_one_file_under_two_spellings_is_named_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").touch()
    with pytest.raises(InputError, match="named more than once"):
        expand(["a", "./a"])


def test_what_a_directory_holds_beside_files_is_said(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "a").touch()
    (tmp_path / ".hidden").mkdir()
    assert note_ignored_entries([str(tmp_path), "no/such", 3]) == [
        f"{tmp_path}: not read because they are not files: link, sub"
    ]
    assert note_ignored_entries([str(tmp_path / "a")]) == []


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("bm5.run", "; did you mean bm25.run.gz?"),
        ("bm25.run", "; did you mean bm25.run.gz?"),
        ("BM25.txt", "; did you mean bm25.run.gz?"),
        ("other.run.gz", ""),  # the endings are the same, the names are not
    ],
)
def test_a_file_of_a_like_name_is_pointed_out(asked: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "bm25.run.gz").touch()
    with pytest.raises(InputError) as error:
        read(str(tmp_path / asked))
    assert str(error.value) == f"{tmp_path / asked}: no such file{hint}"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
def test_devices_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "link.run").symlink_to("/dev/zero")
    for path in ("/dev/zero", "/dev/urandom", "link.run"):
        for how in ({}, {"memory": "400M"}):
            with pytest.raises(InputError, match=f"{path}: is a device, .*name a file"):
                assay.evaluate("qrels.txt", path, "AP", **how)
        with pytest.raises(InputError, match=f"{path}: is a device"):
            assay.model.read_qrels(path)
    with open("/dev/zero") as zero:
        monkeypatch.setattr("sys.stdin", zero)
        for how in ({}, {"memory": "400M"}):
            with pytest.raises(InputError, match="standard input: is a device"):
                assay.evaluate("qrels.txt", "-", "AP", **how)


def test_the_null_device_is_empty():
    with pytest.raises(InputError, match="empty"):
        assay.model.read_qrels(os.devnull)


def test_a_pipe_is_read_until_memory_is_short(monkeypatch):
    monkeypatch.setattr("assay.memory.available_memory", lambda: 16 << 20)
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as target, os.fdopen(reading) as pipe:
        thread = Thread(target=_write_on, args=(target,))
        thread.start()
        monkeypatch.setattr("sys.stdin", pipe)
        with pytest.raises(InputError, match=r"standard input: holds more than 4M, .*in chunks"):
            assay.model.read_qrels("-")
        pipe.close()
        thread.join()


def _write_on(target):
    with suppress(BrokenPipeError):
        while True:
            target.write(b"1 0 a 1\n" * 1000)


def test_standard_input_may_not_fill_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    monkeypatch.setattr("assay.io.stream._IN_MEMORY", 100)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"1 Q0 a 1 2 x\n" * 100))))
    with pytest.raises(InputError, match=r"standard input: takes more than half of the free space of .*--temporary"):
        assay.evaluate({"1": {"a": 1}}, "-", "AP", memory="400M")
