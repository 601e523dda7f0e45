import os
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.io.writing import stage_directory
from assay.simulation.directory import check_directory
from assay.simulation.readme import TITLE


def fill(root, text="new"):
    (root / "README.md").write_text(f"{TITLE}\n{text}\n")
    (root / "qrels.txt").write_text(text)
    (root / "runs").mkdir()
    (root / "runs" / f"{text}.run").write_text(text)


def write(path, text="new", force=False, problem=None):
    check_directory(path, force)
    with stage_directory(path) as root:
        fill(root, text)
        if problem is not None:
            raise problem


def tree(path):
    return sorted(str(one.relative_to(path)) for one in path.rglob("*"))


def collection(text="new"):
    return ["README.md", "qrels.txt", "runs", f"runs/{text}.run"]


@pytest.mark.parametrize("where", ["out", "a/b/out"])
def test_a_new_directory_is_made_with_those_above_it(tmp_path, where):
    write(tmp_path / where)
    assert tree(tmp_path / where) == collection()
    assert len(os.listdir(tmp_path)) == 1


def test_an_empty_directory_is_filled(tmp_path):
    write(tmp_path)
    assert tree(tmp_path) == collection()


def test_a_directory_with_anything_in_it_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=r"is not empty; choose another directory, or add --force to replace"):
        write(tmp_path)
    assert tree(tmp_path) == ["notes.txt"]


def test_force_replaces_a_collection_and_leaves_other_files(tmp_path):
    write(tmp_path, "old")
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, "new", force=True)
    assert tree(tmp_path) == sorted([*collection(), "notes.txt"])
    assert (tmp_path / "qrels.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["README.md", "qrels.txt"])
def test_force_does_not_replace_files_of_others(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"contains {name}, which assay simulate did not write"):
        write(tmp_path, force=True)
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; choose a directory"):
        write(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "file" / "below")


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("where", ["out", "a/b/out"])
def test_an_interrupt_leaves_nothing_behind(tmp_path, where, problem):
    with pytest.raises(problem):
        write(tmp_path / where, problem=problem)
    assert tree(tmp_path) == []


def test_an_interrupt_leaves_the_old_collection(tmp_path):
    write(tmp_path, "old")
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, "new", force=True, problem=KeyboardInterrupt)
    assert tree(tmp_path) == collection("old")


@pytest.mark.parametrize("failing", range(1, 7))
def test_when_a_file_cannot_be_moved_the_old_collection_is_put_back(tmp_path, monkeypatch, failing):
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
    assert tree(tmp_path) == collection("old")
    assert (tmp_path / "qrels.txt").read_text() == "old"


def test_a_directory_that_cannot_be_listed_is_refused_in_one_line(tmp_path, monkeypatch):
    def iterdir(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        check_directory(tmp_path, force=False)
