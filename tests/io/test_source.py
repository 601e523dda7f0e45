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
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"f.qrels{suffix}"
    compressed = COMPRESS[suffix](TEXT)
    path.write_bytes(compressed)
    source = read(str(path))
    assert source.data == TEXT
    assert source.digest == hashlib.sha256(compressed).hexdigest()
    assert source.suffix == ".qrels"


@pytest.mark.parametrize("suffix", COMPRESS)
def test_several_members_are_concatenated(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"F.QRELS{suffix.upper()}"
    path.write_bytes(COMPRESS[suffix](TEXT) + COMPRESS[suffix](b"end\n"))
    assert read(str(path)).data == TEXT + b"end\n"


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("damage", ["cut", "cut second", "garbage after", "flipped"])
def test_damage_is_always_reported(suffix: str, damage: str, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(2000).hex().encode()
    compressed = COMPRESS[suffix](noise)
    middle = len(compressed) // 2
    data = {
        "cut": compressed[:-1],
        "cut second": compressed + COMPRESS[suffix](noise)[:-9],
        "garbage after": compressed + b"garbage, garbage",
        "flipped": compressed[:middle]
        + bytes(byte ^ 0xFF for byte in compressed[middle : middle + 40])
        + compressed[middle + 40 :],
    }[damage]
    if suffix == ".zst" and damage == "flipped":  # this frame has no checksum, so its first block is damaged
        data = compressed[:12] + bytes(40) + compressed[52:]
    path = tmp_path / f"f{suffix}"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read(str(path))
    assert str(error.value).startswith(f"{path}: the {suffix[1:]} data is damaged or cut off (")


def test_empty_file_with_compressed_suffix(tmp_path: Path) -> None:
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
def test_stem_and_suffix(path: str, name: str, suffix: str) -> None:
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


def test_too_long_name_is_rejected() -> None:
    name = "x" * 5000
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)$"):
        read(expand(name)[0])  # Python 3.14 finds out only when it opens the file.


def test_databases_are_rejected_by_their_full_signature(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_bytes(b"SQLite 0 d1 1\n")
    assert read(str(path)).data == b"SQLite 0 d1 1\n"
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(InputError, match="is a database, not text"):
        read(str(path))


def test_empty_name_is_rejected() -> None:
    for function in (read, expand):
        with pytest.raises(InputError, match=r"^an empty file name; is a variable unset"):
            function("")


@pytest.mark.posix
def test_two_spellings_of_one_file_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").touch()
    with pytest.raises(InputError, match="named more than once"):
        expand(["a", "./a"])


@pytest.mark.posix
def test_ignored_directory_entries_are_noted(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "a").touch()
    (tmp_path / ".hidden").mkdir()
    assert note_ignored_entries([str(tmp_path), "no/such", 3]) == [
        f"{tmp_path}: ignored entries that are not files: link, sub"
    ]
    assert note_ignored_entries([str(tmp_path / "a")]) == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bm5.run", "; did you mean bm25.run.gz?"),
        ("bm25.run", "; did you mean bm25.run.gz?"),
        ("BM25.txt", "; did you mean bm25.run.gz?"),
        ("other.run.gz", ""),  # the same suffixes, but a different name
    ],
)
def test_similar_file_name_is_suggested(name: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "bm25.run.gz").touch()
    with pytest.raises(InputError) as error:
        read(str(tmp_path / name))
    assert str(error.value) == f"{tmp_path / name}: no such file{hint}"


@pytest.mark.posix
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
def test_devices_are_rejected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "link.run").symlink_to("/dev/zero")
    for path in ("/dev/zero", "/dev/urandom", "link.run"):
        for options in ({}, {"memory": "400M"}):
            with pytest.raises(InputError, match=f"{path}: is a device, .*name a file"):
                assay.evaluate("qrels.txt", path, "AP", **options)
        with pytest.raises(InputError, match=f"{path}: is a device"):
            assay.model.read_qrels(path)
    with open("/dev/zero") as zero:
        monkeypatch.setattr("sys.stdin", zero)
        for options in ({}, {"memory": "400M"}):
            with pytest.raises(InputError, match="standard input: is a device"):
                assay.evaluate("qrels.txt", "-", "AP", **options)


def test_null_device_is_empty():
    with pytest.raises(InputError, match="empty"):
        assay.model.read_qrels(os.devnull)


def test_pipe_larger_than_memory_is_rejected(monkeypatch):
    monkeypatch.setattr("assay.memory.available_memory", lambda: 16 << 20)
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb", buffering=0) as target, os.fdopen(read_end) as pipe:
        thread = Thread(target=write_forever, args=(target,))
        thread.start()
        monkeypatch.setattr("sys.stdin", pipe)
        with pytest.raises(InputError, match=r"standard input: holds more than 4M, .*in chunks"):
            assay.model.read_qrels("-")
        pipe.close()
        thread.join()


def write_forever(target):
    with suppress(BrokenPipeError):
        while True:
            target.write(b"1 0 a 1\n" * 1000)


def test_standard_input_is_limited_by_disk_space(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    monkeypatch.setattr("assay.io.stream._IN_MEMORY", 100)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"1 Q0 a 1 2 x\n" * 100))))
    with pytest.raises(InputError, match=r"standard input: takes more than half of the free space of .*--temporary"):
        assay.evaluate({"1": {"a": 1}}, "-", "AP", memory="400M")
