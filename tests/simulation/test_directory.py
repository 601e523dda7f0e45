"""Writing a simulated collection to a directory, with and without ``force``."""

import os
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.io.writing import stage_directory
from assay.simulation.directory import check_directory
from assay.simulation.readme import TITLE


def write_files(root, text="new"):
    (root / "README.md").write_text(f"{TITLE}\n{text}\n")
    (root / "qrels.txt").write_text(text)
    (root / "runs").mkdir()
    (root / "runs" / f"{text}.run").write_text(text)


def write(path, text="new", force=False, problem=None):
    check_directory(path, force)
    with stage_directory(path) as root:
        write_files(root, text)
        if problem is not None:
            raise problem


def list_files(path):
    return sorted(str(one.relative_to(path)) for one in path.rglob("*"))


def expected_files(text="new"):
    return ["README.md", "qrels.txt", "runs", f"runs/{text}.run"]


@pytest.mark.parametrize("subfolder", ["out", "a/b/out"])
def test_a_new_directory_is_created_with_its_parents(tmp_path, subfolder):
    write(tmp_path / subfolder)
    assert list_files(tmp_path / subfolder) == expected_files()
    assert len(os.listdir(tmp_path)) == 1


def test_an_empty_directory_is_filled(tmp_path):
    write(tmp_path)
    assert list_files(tmp_path) == expected_files()


def test_a_directory_that_is_not_empty_raises_an_error(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"is not empty; choose another directory, or add --force to replace"):
        write(tmp_path)
    assert list_files(tmp_path) == ["notes.txt"]


def test_force_replaces_a_collection_and_keeps_other_files(tmp_path):
    write(tmp_path, "old")
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, "new", force=True)
    assert list_files(tmp_path) == sorted([*expected_files(), "notes.txt"])
    assert (tmp_path / "qrels.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["README.md", "qrels.txt"])
def test_force_does_not_replace_foreign_files(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"contains {name}, which assay simulate did not write"):
        write(tmp_path, force=True)
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_raises_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; choose a directory"):
        write(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "file" / "below")


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("subfolder", ["out", "a/b/out"])
def test_an_interrupt_leaves_no_files(tmp_path, subfolder, problem):
    with pytest.raises(problem):
        write(tmp_path / subfolder, problem=problem)
    assert list_files(tmp_path) == []


def test_an_interrupt_keeps_the_old_collection(tmp_path):
    write(tmp_path, "old")
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, "new", force=True, problem=KeyboardInterrupt)
    assert list_files(tmp_path) == expected_files("old")


@pytest.mark.parametrize("failing", range(1, 7))
def test_a_failed_move_restores_the_old_collection(tmp_path, monkeypatch, failing):
    write(tmp_path, "old")
    calls = []

    def replace(source, target, real=os.replace):
        calls.append(source)
        if len(calls) == failing:
            raise PermissionError(13, "Permission denied")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)"):
        write(tmp_path, "new", force=True)
    assert list_files(tmp_path) == expected_files("old")
    assert (tmp_path / "qrels.txt").read_text() == "old"


def test_an_unreadable_directory_raises_an_error(tmp_path, monkeypatch):
    def iterdir(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        check_directory(tmp_path, force=False)
