"""Runs read as documents in rank order, side by side, with or without qrels."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.inputs import at_once, list_all
from assay.model.rankings import Rankings
from assay.model.run import Run

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"b": 1}}
RUNS = {"x": {"q1": {"a": 1.0, "b": 2.0}}, "y": {"q2": {"a": 1.0}, "q9": {"b": 1.0, "c": 2.0}}}


def test_with_qrels() -> None:
    qrels, found = list_all(QRELS, RUNS, "trec_eval-10")
    assert qrels is not None
    assert qrels.topics == ("q1", "q2", "q3")
    assert [run.name for run in found] == ["x", "y"]
    assert [run.length.tolist() for run in found] == [[2, 0, 0], [0, 1, 0]]
    assert found[0].doc.to_list() == ["b", "a"]
    assert found[0].code.tolist() == [0, 2]
    assert found[0].notes == (f"{found[0].source}: lacks 2 of the 3 topics of the qrels; counted as empty rankings",)
    [ignored, missing] = found[1].notes
    assert ignored.endswith("1 topic without judgments ignored (2 documents): q9")
    assert "lacks 2 of the 3 topics" in missing


def test_without_qrels() -> None:
    qrels, found = list_all(None, RUNS, "trec_eval-10")
    assert qrels is None
    assert [run.topics for run in found] == [("q1",), ("q2", "q9")]
    assert [run.notes for run in found] == [(), ()]
    assert Rankings.of(found, ["x", "y"], None).topics == ("q1", "q2", "q9")


def test_a_run_without_a_topic_in_common_is_refused() -> None:
    message = r"shares no topic with the qrels \(the run has q7, q8; the qrels have q1, q2, q3\)"
    for lenient in (False, True):
        with pytest.raises(InputError, match=message):
            list_all(QRELS, {**RUNS, "z": {"q8": {"a": 1.0}, "q7": {"a": 1.0}}}, "trec_eval-10", lenient=lenient)


def test_depth() -> None:
    for qrels in (QRELS, None):
        _, found = list_all(qrels, RUNS, "trec_eval-10", depth=1)
        assert found[0].doc.to_list() == ["b"]


def test_files_directories_and_ranks(tmp_path: Path) -> None:
    (tmp_path / "one.run").write_text("q1 Q0 a 2 9 one\nq2 Q0 c 1 1 one\nq1 Q0 b 1 8 one\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 1 two\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    for qrels in (None, str(tmp_path / "qrels")):
        _, found = list_all(qrels, [str(tmp_path / "*.run")], "rank")
        assert [run.name for run in found] == ["one", "two"]
        assert found[0].doc.to_list()[:2] == ["b", "a"]
        assert found[0].digest is not None
        _, found = list_all(qrels, str(tmp_path / "one.run"), "trec_eval-10")
        assert found[0].doc.to_list()[:2] == ["a", "b"]


@pytest.mark.parametrize("qrels", [None, QRELS])
def test_names_of_the_user(qrels: object) -> None:
    run = Run.from_dict(RUNS["x"], "own")
    _, found = list_all(qrels, {"mine": run}, "file")
    assert found[0].name == "mine"
    with pytest.raises(InputError, match="'mine' names 2 runs; give each a name of its own"):
        list_all(qrels, {"mine": [run, run]}, "file")


def test_progress() -> None:
    for qrels in (None, QRELS):
        told: list[tuple[int, int]] = []
        list_all(qrels, RUNS, "file", progress=lambda done, total: told.append((done, total)))  # noqa: B023
        assert told == [(1, 2), (2, 2)]


def test_standard_input_is_read_once() -> None:
    with pytest.raises(InputError, match="-: standard input can be read once"):
        list_all("-", ["-"], "file")


def test_an_error_in_the_qrels_comes_first() -> None:
    with pytest.raises(InputError, match=r"^nowhere\.qrels: no such file"):
        list_all("nowhere.qrels", ["nowhere.run"], "file")
    with pytest.raises(InputError, match=r"^nowhere\.run: no such file"):
        list_all(None, ["nowhere.run"], "file")


def test_at_once_keeps_the_order() -> None:
    """Whichever is done first."""

    def task(number: int) -> int:
        time.sleep(0.02 * (3 - number))
        return number

    told: list[tuple[int, int]] = []
    found = at_once([lambda i=i: task(i) for i in range(4)], lambda done, total: told.append((done, total)))
    assert found == [0, 1, 2, 3]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_at_once_has_several_at_work() -> None:
    meet = threading.Barrier(2, timeout=20)
    assert len(set(at_once([meet.wait, meet.wait], None))) == 2


def test_at_once_stops_at_an_error() -> None:
    done: list[int] = []

    def fails() -> int:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        at_once([fails, *(lambda i=i: (time.sleep(0.05), done.append(i)) for i in range(50))], None)
    assert len(done) < 50
