"""Preferences and judgments of several judges."""

import gzip

import pytest

from assay.errors import InputError
from assay.io import source as sources
from assay.io.groups import read

REMEDY = "; remove one"


@pytest.mark.parametrize(
    ("layout", "text", "columns", "rows"),
    [
        (
            "prefs",
            "# topic group subgroup document level\nq2 g s d1 1.5\n\nq1\tg\t s  d#1 0\r\n",
            ["topic", "group", "subgroup", "doc", "value"],
            [("q2", "g", "s", "d1", 1.5), ("q1", "g", "s", "d#1", 0.0)],
        ),
        ("qrels_prefs", "q g d -1\n", ["topic", "group", "doc", "value"], [("q", "g", "d", -1.0)]),
        ("qrels_jg", "q 1 d 3\n  # no\n", ["topic", "judge", "doc", "value"], [("q", "1", "d", 3.0)]),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_layouts(layout, text, columns, rows, suffix, tmp_path):
    path = tmp_path / f"f{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix else text.encode())
    groups = read(sources.read(str(path)), layout)
    assert groups.frame.columns == columns
    assert groups.frame.rows() == rows
    assert groups.source == str(path)
    assert len(groups.digest) == 64
    assert groups.locate(len(rows) - 1) == f"{path}:{4 if layout == 'prefs' else 1}"


@pytest.mark.parametrize(
    ("layout", "text", "message"),
    [
        ("prefs", "q g s d 1\nq g d 1\n", ":2: expected 5 columns (topic group subgroup doc level), found 4"),
        ("qrels_prefs", "q g s d 1\n", ":1: expected 4 columns (topic group doc level), found 5"),
        ("qrels_jg", "q j d\n", ":1: expected 4 columns (topic judge doc grade), found 3"),
        ("prefs", "q g s d high\n", ":1: the level must be a finite number, found 'high'"),
        ("qrels_jg", "q j d inf\n", ":1: the grade must be a finite number, found 'inf'"),
        ("qrels_jg", "q j d\xff 1\n", ":1: invalid UTF-8 (byte 0xff); save the file as UTF-8"),
        ("qrels_jg", "", ": the file is empty"),
        ("qrels_jg", "# nothing\n", ": contains no judgments"),
        (
            "prefs",
            "q G S d 1\n#\nq G t d 1\nq G S d 2\n",
            ":4: document d is listed twice for subgroup S of group G of topic q (first at PATH:1, level 1, here 2)"
            + REMEDY,
        ),
        (
            "qrels_prefs",
            "q g d 1\nq h d 1\nq g d 1\n",
            ":3: document d is listed twice for group g of topic q (first at PATH:1, the same level)" + REMEDY,
        ),
    ],
)
def test_invalid_files_are_rejected(layout, text, message, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        read(sources.read(str(path)), layout)
    assert str(error.value) == f"{path}{message}".replace("PATH", str(path))
