"""Files to which judgments are appended: restart, incomplete lines, undo, locks, and changes by other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.io.judgment_file import JudgmentFile


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    return str(tmp_path / "judged.qrels")


def test_judgments_are_on_the_disk_and_read_again(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    with closing(JudgmentFile(path)) as file:
        synced.clear()
        file.append("1", "dø", "2")
        assert synced == [len("1 0 dø 2\n".encode())]
        file.append("1", "e", "0")
        with pytest.raises(InputError, match="e of topic 1 is already judged"):
            file.append("1", "e", "1")
    with closing(JudgmentFile(path)) as file:
        assert file.grades == {("1", "dø"): "2", ("1", "e"): "0"}
        assert file.lines[("1", "e")] == 2
        assert file.notes == []
        file.append("2", "e", "1")
        file.append("2", "f", "1")
        assert file.remove_last() == ("2", "f")
    assert Path(path).read_text() == "1 0 dø 2\n1 0 e 0\n2 0 e 1\n"


@pytest.mark.parametrize("end", ["1 0 d", "1 0 d ", "1", "1 0 d \0\0", "1 0 d -1", "1 0 \xff 1"])
def test_an_incomplete_line_is_removed(path: str, end: str) -> None:
    Path(path).write_bytes(b"1 0 c 1\n" + end.encode("latin-1"))
    with closing(JudgmentFile(path)) as file:
        assert ":2: removed the incomplete last line" in file.notes[0]
        assert list(file.grades) == [("1", "c")]
        file.append("1", "d", "3")
    assert Path(path).read_text() == "1 0 c 1\n1 0 d 3\n"


@pytest.mark.parametrize("start", ["", "1 0 c 1\n"])
def test_a_judgment_without_line_break_is_completed(path: str, start: str) -> None:
    Path(path).write_text(f"{start}1 0 d 2")
    with closing(JudgmentFile(path)) as file:
        assert f":{1 + bool(start)}: completed the last line" in file.notes[0]
        file.append("1", "e", "3")
        file.remove_last()
    assert Path(path).read_text() == f"{start}1 0 d 2\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 c\n1 0 d 1\n", ":1: expected a judgment"),
        ("1 0 c 1\n\n1 0 d -1\n", ":3: expected a judgment"),
        ("1 0 c 1\n1 0 c 1\n", ":2: document c of topic 1 was already judged in line 1"),
        ("1 0 c 1\n1 0 c 1", ":2: document c of topic 1 was already judged in line 1"),
    ],
)
def test_invalid_files_are_not_changed(path: str, text: str, message: str) -> None:
    Path(path).write_text(text)
    with pytest.raises(InputError, match=message):
        JudgmentFile(path)
    assert Path(path).read_text() == text


def test_ids_with_whitespace_and_other_targets_are_rejected(path: str, tmp_path: Path) -> None:
    with closing(JudgmentFile(path)) as file, pytest.raises(InputError, match=r"doc 'a b': contains whitespace"):
        file.append("1", "a b", "1")
    with pytest.raises(InputError, match="cannot be written"):
        JudgmentFile(str(tmp_path))
    with pytest.raises(InputError, match="is not a file"):
        JudgmentFile("/dev/null")


def test_a_second_program_cannot_write(path: str) -> None:
    with closing(JudgmentFile(path)), pytest.raises(InputError, match="another program appends"):
        JudgmentFile(path)
    JudgmentFile(path).close()


@pytest.mark.parametrize("replaced", [False, True])
def test_changes_by_others_are_detected(path: str, replaced: bool) -> None:
    with closing(JudgmentFile(path)) as file:
        file.append("1", "a", "1")
        other = Path(path).with_name("other") if replaced else Path(path)
        other.write_text("1 0 a 1\n" if replaced else "1 0 a 1\n1 0 b 1\n")
        os.replace(other, path)
        for change in (lambda: file.append("1", "c", "1"), file.remove_last):
            with pytest.raises(InputError, match="was changed by another program"):
                change()
    assert "c" not in Path(path).read_text()


def test_a_failed_write_leaves_no_partial_line(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(JudgmentFile(path)) as file:
        file.append("1", "a", "1")
        write = os.write
        monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:4]))
        with pytest.raises(InputError, match=r"cannot be written \(the disk is full\)"):
            file.append("1", "b", "1")
        monkeypatch.undo()
        assert list(file.grades) == [("1", "a")]
        file.append("1", "b", "2")
    assert Path(path).read_text() == "1 0 a 1\n1 0 b 2\n"
