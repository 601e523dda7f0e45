from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from assay.errors import InputError
from assay.io import dicts


@pytest.mark.parametrize("value", [1, 1.0, np.int64(1), np.float32(1), np.uint8(1), Fraction(1, 1)])
def test_numeric_types(value: Any) -> None:
    assert dicts.read_mapping({"q1": {"d1": value, "d2": 0}}, "qrels").frame.rows() == [
        ("q1", "d1", 1.0),
        ("q1", "d2", 0.0),
    ]


def test_read_run() -> None:
    table = dicts.read_mapping({"q2": {"d1": 0.1}, "q1": {}, "001": {"b": -1, "a": 10**300}}, "run", "bm25")
    assert table.frame.rows() == [("q2", "d1", 0.1), ("001", "b", -1.0), ("001", "a", 1e300)]
    assert (table.source, table.tag, table.digest, table.notes) == ("bm25", "bm25", None, ())
    assert table.locate(1) == "run 'bm25', topic '001', document 'b'"


def test_other_mapping_and_string_types() -> None:
    mapping = MappingProxyType({np.str_("q1"): OrderedDict([(np.str_("d1"), 1)])})
    table = dicts.read_mapping(mapping, "qrels")
    assert table.frame.rows() == [("q1", "d1", 1.0)]
    assert (table.source, table.tag) == ("qrels", None)


def test_integer_ids_become_decimal_text() -> None:
    table = dicts.read_mapping({301: {7: 1, np.int64(-8): 0}, "302": {"7": 1}}, "qrels")
    assert table.frame.rows() == [("301", "7", 1.0), ("301", "-8", 0.0), ("302", "7", 1.0)]
    assert dicts.read_tuples([(1, 2**70, 1)], "qrels").frame.rows() == [("1", str(2**70), 1.0)]


def test_read_tuples() -> None:
    table = dicts.read_tuples([("q1", "d1", 1), ["q1", "d2", 0.5]], "qrels")
    assert table.frame.rows() == [("q1", "d1", 1.0), ("q1", "d2", 0.5)]
    assert table.locate(1) == "qrels, tuple 2"
    table = dicts.read_tuples((row for row in [("q1", "d1", 1)]), "run", "bm25")
    assert (table.tag, table.source, table.locate(0)) == ("bm25", "bm25", "run 'bm25', tuple 1")


TEXT = "ids must be text or integers, got"
BAD_MAPPINGS = [
    ([("q1", "d1", 1)], "qrels: expected {topic: {document: grade}}, got [('q1', 'd1', 1)] (list)"),
    (None, "qrels: expected {topic: {document: grade}}, got None (NoneType)"),
    ({"q1": ["d1"]}, "qrels, topic 'q1': expected {document: grade}, got ['d1'] (list)"),
    ({"q1": 1}, "qrels, topic 'q1': expected {document: grade}, got 1 (int)"),
    ({301.0: {"d1": 1}}, f"qrels: topic {TEXT} 301.0 (float); write 301, or read the ids as text"),
    ({True: {}, "q": {"d": 1}}, f"qrels: topic {TEXT} True (bool)"),
    ({b"q1": {"d1": 1}}, f"qrels: topic {TEXT} b'q1' (bytes)"),
    ({"q1": {0.5: 1}}, f"qrels, topic 'q1': document {TEXT} 0.5 (float)"),
    ({"q1": {("a", 1): 1}}, f"qrels, topic 'q1': document {TEXT} ('a', 1) (tuple)"),
    ({"q1": {"d\ud800": 1}}, "qrels, topic 'q1': the document id 'd\\ud800' is not valid Unicode"),
    ({"q\udfff": {"d1": 1}}, "qrels: the topic id 'q\\udfff' is not valid Unicode"),
    ({}, "qrels: contains no judgments"),
    ({"q1": {}}, "qrels: contains no judgments"),
]


@pytest.mark.parametrize(("judgments", "message"), BAD_MAPPINGS)
@pytest.mark.parametrize("lenient", [False, True])
def test_invalid_mappings_are_rejected(judgments: Any, message: str, lenient: bool) -> None:
    with pytest.raises(InputError) as error:
        dicts.read_mapping(judgments, "qrels", lenient=lenient)
    assert str(error.value) == message


NUMBER, FINITE = "the grade must be a number, found", "the grade must be a finite number, found"
BAD_VALUES = [
    (None, f"{NUMBER} None (NoneType)"),
    ("1", f"{NUMBER} '1' (str)"),
    (True, f"{NUMBER} True (bool)"),
    (np.True_, f"{NUMBER} {np.True_!r} (bool)"),
    (1j, f"{NUMBER} 1j (complex)"),
    (Decimal(1), f"{NUMBER} Decimal('1') (Decimal)"),
    ([1], f"{NUMBER} [1] (list)"),
    (float("nan"), f"{FINITE} nan"),
    (float("inf"), f"{FINITE} inf"),
    (10**400, f"{FINITE} inf"),
    (-(10**400), f"{FINITE} -inf"),
]


@pytest.mark.parametrize(("value", "message"), BAD_VALUES)
def test_invalid_values_are_rejected_or_skipped(value: Any, message: str) -> None:
    judgments = {"q1": {"d1": 1, "d3": value}, "q2": {"d2": 2, "d4": value}}
    with pytest.raises(InputError) as error:
        dicts.read_mapping(judgments, "qrels")
    assert str(error.value) == f"qrels, topic 'q1', document 'd3': {message}"
    table = dicts.read_mapping(judgments, "qrels", lenient=True)
    assert table.frame.rows() == [("q1", "d1", 1.0), ("q2", "d2", 2.0)]
    assert table.locate(1) == "qrels, topic 'q2', document 'd2'"
    kind = "a finite number" if "finite" in message else "a number"
    (note,) = table.notes
    assert note == f"qrels: skipped rows whose grade is not {kind}: 2 (first: {error.value})"


BAD_TUPLES = [
    (5, "run 'a': expected (topic, document, score) tuples, got 5 (int)"),
    (["abc"], "run 'a', tuple 1: expected (topic, document, score), got 'abc' (str)"),
    ([("q", "d", 1), ("q", "e")], "run 'a', tuple 2: expected (topic, document, score), got ('q', 'e') (tuple)"),
    ([("q", "d", 1), 7], "run 'a', tuple 2: expected (topic, document, score), got 7 (int)"),
    ([("q", "d", 1), {"q", "e", 1}], "run 'a', tuple 2: expected (topic, document, score), got "),
    ([("q", "d", 1), (5.0, "e", 1)], f"run 'a', tuple 2: topic {TEXT} 5.0 (float); write 5, or read the ids as text"),
    ([("q", "d", 1), ("q", b"d", 1)], f"run 'a', tuple 2: document {TEXT} b'd' (bytes)"),
    ([("q", "d", 1), (None, "e", 1)], "run 'a', tuple 2: the topic id is missing"),
    ([("q", "d", 1), ("q", "e", "1")], "run 'a', tuple 2: the score must be a number, found '1' (str)"),
    (
        [("q", "d", 1), ("q", "d", 2)],
        "run 'a', tuple 2: document d was already retrieved for topic q (first: tuple 1)",
    ),
    ([], "a: contains no results"),
]


@pytest.mark.parametrize(("tuples", "message"), BAD_TUPLES)
def test_invalid_tuples_are_rejected(tuples: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        dicts.read_tuples(tuples, "run", "a")
    assert str(error.value).startswith(message)
    assert len(str(error.value).splitlines()) == 1


def test_lenient_reader_skips_invalid_tuples() -> None:
    table = dicts.read_tuples(
        [("q", "d", 1), ("q", "d", 2), (None, "e", 1), ("q", "f", None)], "run", "a", lenient=True
    )
    assert table.frame.rows() == [("q", "d", 1.0)]
    assert [note.partition(" (")[0] for note in table.notes] == [
        "a: skipped rows whose score is not a number: 1",
        "a: skipped rows without a topic: 1",
        "a: skipped duplicate documents, keeping the first: 1",
    ]


@pytest.mark.parametrize("results", [{}, {"q1": {}}])
@pytest.mark.parametrize("lenient", [False, True])
def test_empty_run_is_rejected(results: dict[str, dict[str, float]], lenient: bool) -> None:
    with pytest.raises(InputError, match=r"^a: contains no results$"):
        dicts.read_mapping(results, "run", "a", lenient=lenient)
