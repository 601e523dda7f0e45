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


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_file(path, b"first")
    write_file(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "out", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("write", [write_file, lambda path, data: write_files(path, [("inside", data)])])
def test_what_is_written_is_on_the_disk_before_it_has_its_name(
    write: Callable[[Path, bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append("file" if S_ISREG(os.fstat(handle).st_mode) else "dir")
    )
    for name in ("replace", "rename"):
        move = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *paths, move=move: synced.append("name") or move(*paths))
    write(tmp_path / "out", b"data")
    assert synced == ["file", "name", "dir"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent/out: cannot be written \(No such file or directory\)$"):
        write_file(tmp_path / "absent" / "out", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"folder: cannot be written \(Is a directory\)$"):
        write_file(tmp_path / "folder", b"")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_nothing_is_left_when_writing_stops(
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


def test_devices_are_written_to_not_replaced(tmp_path: Path) -> None:
    write_file("/dev/null", b"gone")
    assert not Path("/dev/null").is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)


def test_earlier_output_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "from assay.io.writing import write_file; print('before', flush=True); write_file('/dev/stdout', b'after')"
    with open(log, "wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert log.read_bytes() == b"before\nafter"


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(InputError, match="an empty file name"):
        write_file("", b"")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.tsv").write_bytes(b"old")
    (tmp_path / "link.tsv").symlink_to("real.tsv")
    write_file(tmp_path / "link.tsv", b"new")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_bytes() == b"new"
