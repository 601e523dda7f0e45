from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG

import pytest

from assay.errors import InputError
from assay.io.writing import write_file, write_files


def test_file_is_replaced_atomically(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_file(path, b"first")
    write_file(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "out", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("write", [write_file, lambda path, data: write_files(path, [("inside", data)])])
def test_contents_are_synced_before_the_rename(
    write: Callable[[Path, bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: events.append("file" if S_ISREG(os.fstat(handle).st_mode) else "dir")
    )
    for name in ("replace", "rename"):
        move = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *paths, move=move: events.append("name") or move(*paths))
    write(tmp_path / "out", b"data")
    assert events == ["file", "name", "dir"]


def test_unwritable_paths_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent/out: cannot be written \(No such file or directory\)$"):
        write_file(tmp_path / "absent" / "out", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder: cannot be written \(Is a directory\)$"):
        write_file(tmp_path / "folder", b"")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_interrupted_writing_leaves_the_old_file(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"before")

    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises((KeyboardInterrupt, InputError)):
        write_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.posix
def test_devices_are_not_replaced(tmp_path: Path) -> None:
    write_file("/dev/null", b"gone")
    assert not Path("/dev/null").is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)


@pytest.mark.posix
def test_standard_output_is_appended_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "from assay.io.writing import write_file; print('before', flush=True); write_file('/dev/stdout', b'after')"
    with open(log, "wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert log.read_bytes() == b"before\nafter"


def test_empty_name_is_rejected() -> None:
    with pytest.raises(InputError, match="an empty file name"):
        write_file("", b"")


@pytest.mark.posix
def test_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.tsv").write_bytes(b"old")
    (tmp_path / "link.tsv").symlink_to("real.tsv")
    write_file(tmp_path / "link.tsv", b"new")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_bytes() == b"new"
