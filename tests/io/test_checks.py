from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.io.checks import check_rows, select_rows
from assay.io.document_hash import hash_documents
from assay.io.problems import Problems
from assay.io.table import RowTable


def make_rows(*triples: tuple[str | None, str | None, float | None]) -> pl.DataFrame:
    return pl.DataFrame(list(triples), schema={"topic": pl.String, "doc": pl.String, "value": pl.Float64}, orient="row")


def locate(row: int) -> str:
    return f"f:{row + 1}"


def check(frame: pl.DataFrame, kind: str = "run", lenient: bool = True) -> RowTable:
    return check_rows(frame, kind, locate, Problems("f", lenient))  # type: ignore[arg-type]


def test_valid_rows_are_returned_unchanged() -> None:
    frame = make_rows(("q1", "d1", 1.0), ("q2", "d1", 1.0), ("q1", "d2", -1.0))
    table = check_rows(frame, "run", locate, Problems("f"), tag="t", digest="x", notes=["a note"])
    assert table.frame is frame
    assert np.array_equal(table.key, hash_documents(frame["topic"], frame["doc"]))
    assert (table.source, table.tag, table.digest, table.notes) == ("f", "t", "x", ("a note",))
    assert table.locate(2) == "f:3"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((None, "d", 1.0), "the topic id is missing"),
        (("", "d", 1.0), "the topic id is missing"),
        (("q", None, 1.0), "the document id is missing"),
        (("q", "", 1.0), "the document id is missing"),
        (("q", "d", None), "the score must be a finite number, found missing"),
        (("q", "d", float("nan")), "the score must be a finite number, found nan"),
        (("q", "d", float("-inf")), "the score must be a finite number, found -inf"),
        (("q1", "d1", 2.0), "document d1 was already retrieved for topic q1 (first: line 1)"),
    ],
)
def test_invalid_rows_are_rejected_or_skipped(bad: tuple[str | None, str | None, float | None], message: str) -> None:
    frame = make_rows(("q1", "d1", 1.0), bad, ("q1", "d2", 1.0))
    with pytest.raises(InputError) as error:
        check(frame, lenient=False)
    assert str(error.value) == f"f:2: {message}"
    table = check(frame)
    assert table.frame.rows() == [("q1", "d1", 1.0), ("q1", "d2", 1.0)]
    assert [table.locate(0), table.locate(1)] == ["f:1", "f:3"]
    assert np.array_equal(table.key, hash_documents(table.frame["topic"], table.frame["doc"]))
    (note,) = table.notes
    assert note.endswith(f": 1 (first: f:2: {message})")


def test_locations_of_rows_survive_all_checks() -> None:
    frame = make_rows((None, "d", 1.0), ("q", "a", float("nan")), ("q", "b", 1.0), ("q", "b", 1.0), ("q", "c", 1.0))
    table = check(frame)
    assert table.frame["doc"].to_list() == ["b", "c"]
    assert [table.locate(0), table.locate(1)] == ["f:3", "f:5"]
    assert len(table.notes) == 3


@pytest.mark.parametrize(
    ("first", "second", "grades"),
    [
        (1.0, 2.0, "2 here and 1 before"),
        (-1.0, 0.5, "0.5 here and -1 before"),
        (1234567.0, 1234568.0, "1234568 here and 1234567 before"),
        (1e300, 0.1, "0.1 here and 1e+300 before"),
    ],
)
def test_message_shows_both_grades(first: float, second: float, grades: str) -> None:
    frame = make_rows(("q", "d", first), ("q", "d", second))
    with pytest.raises(InputError) as error:
        check(frame, "qrels", lenient=False)
    assert str(error.value) == f"f:2: document d of topic q has grade {grades} (first: line 1)"
    assert check(frame, "qrels").frame.rows() == [("q", "d", first)]


def test_duplicates_are_counted_without_locating_each() -> None:
    located = []

    def locate_and_record(row: int) -> str:
        located.append(row)
        return locate(row)

    frame = make_rows(*[("q", "d", 1.0)] * 1000)
    table = check_rows(frame, "qrels", locate_and_record, Problems("f", lenient=True))
    assert len(table.frame) == 1
    assert table.notes[0].startswith("f: skipped duplicate judgments, keeping the first: 999 (first: f:2: ")
    assert len(located) < 5


def test_locations_of_other_sources() -> None:
    frame = make_rows(("q", "d", 1.0), ("q", "d", 1.0))
    with pytest.raises(InputError) as error:
        check_rows(frame, "run", lambda row: f"run 'a', row {row + 1}", Problems("a"))
    assert str(error.value) == "run 'a', row 2: document d was already retrieved for topic q (first: row 1)"


def test_empty_input_is_rejected() -> None:
    with pytest.raises(InputError, match=r"^f: contains no judgments$"):
        check(make_rows(), "qrels")
    for lenient in (False, True):
        with pytest.raises(InputError, match=r"^f: contains no results$"):
            check(make_rows(), "run", lenient=lenient)


def test_select_rows() -> None:
    frame = make_rows(("q1", "d1", 1.0), ("q2", "d1", 1.0))
    same, locate_selected = select_rows(frame, locate, np.array([True, True]))
    assert same is frame
    assert locate_selected is locate
    selected, locate_selected = select_rows(frame, locate, np.array([False, True]))
    assert selected.rows() == [("q2", "d1", 1.0)]
    assert locate_selected(0) == "f:2"


def test_duplicates_in_rows_that_are_not_evaluated() -> None:
    frame = make_rows(("q", "d", 3.0), ("r", "d", 2.0), ("r", "d", 1.0))
    table = check_rows(frame, "run", locate, Problems("f"), evaluated=lambda rows: (rows["topic"] == "q").to_numpy())
    assert len(table.frame) == 3
    assert table.notes == ("f: ignored duplicate documents in rows that are not evaluated: 1",)
    with pytest.raises(InputError, match=r"f:3: document d was already retrieved for topic r \(first: line 2\)"):
        check_rows(frame, "run", locate, Problems("f"), evaluated=lambda rows: (rows["topic"] == "r").to_numpy())
