"""Tables in every format."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from assay.errors import InputError
from assay.views.tables import FORMATS, Table, render

WIDE = pl.DataFrame({"run": ["a|b", "c_d"], "AP": [0.123456, 0.1], "n": [3, 12]})
TIDY = pl.DataFrame({"run": ["a|b", "c_d"], "measure": ["AP", "AP"], "topic": ["all", "all"], "value": [1 / 3, None]})
TABLE = Table(TIDY, WIDE, best=("AP",), provenance={"assay": "x"}, notes=("a note",))


def test_text_is_aligned_and_rounded() -> None:
    assert render(TABLE, "table").decode() == (
        "run      AP   n\n"
        "───  ──────  ──\n"
        "a|b  0.1235   3\n"
        "c_d  0.1000  12\n"
    )  # fmt: skip


def test_text_marks_the_best_on_a_terminal() -> None:
    assert "\033[1m0.1235\033[0m" in render(TABLE, "table", bold=True).decode()


def test_what_prints_the_same_is_marked_the_same() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "AP": [0.12341, 0.12342]})
    assert render(Table(wide, wide, best=("AP",)), "markdown").decode().count("**0.1234**") == 2


def test_separated_values_have_all_digits_and_say_nan() -> None:
    assert render(TABLE, "tsv") == b"run\tmeasure\ttopic\tvalue\na|b\tAP\tall\t0.3333333333333333\nc_d\tAP\tall\tnan\n"
    assert render(TABLE, "csv", 2) == b"run,measure,topic,value\na|b,AP,all,0.33\nc_d,AP,all,nan\n"


def test_csv_quotes_what_needs_it() -> None:
    tidy = pl.DataFrame({"measure": ["RBP(p1=0.9, p2=0.5)"], "value": [0.5]})
    assert render(Table(tidy, tidy), "csv") == b'measure,value\n"RBP(p1=0.9, p2=0.5)",0.5\n'


def test_ids_with_tabs_are_quoted() -> None:
    tidy = pl.DataFrame({"topic": ["a\tb"], "value": [0.5]})
    assert render(Table(tidy, tidy), "tsv") == b'topic\tvalue\n"a\tb"\t0.5\n'


def test_json_carries_provenance_and_notes() -> None:
    content = json.loads(render(TABLE, "json"))
    assert content["provenance"] == {"assay": "x"}
    assert content["notes"] == ["a note"]
    assert content["rows"][0] == {"run": "a|b", "measure": "AP", "topic": "all", "value": 1 / 3}
    assert content["rows"][1]["value"] is None


def test_markdown_escapes_and_marks() -> None:
    assert render(TABLE, "markdown").decode() == (
        "| run | AP | n |\n| --- | ---: | ---: |\n| a\\|b | **0.1235** | 3 |\n| c_d | 0.1000 | 12 |\n"
    )


def test_latex_escapes_and_marks() -> None:
    text = render(TABLE, "latex", 2).decode()
    assert r"c\_d & 0.10 & 12 \\" in text
    assert r"a|b & \textbf{0.12} & 3 \\" in text
    assert text.startswith("\\begin{tabular}{lrr}\n\\toprule")


def test_parquet_reads_back() -> None:
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet"))).equals(TIDY)
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet", 1)))["value"].to_list() == [0.3, None]


def test_missing_values_are_a_dash() -> None:
    wide = pl.DataFrame({"run": ["a"], "AP": [None]}, schema={"run": pl.String, "AP": pl.Float64})
    assert render(Table(wide, wide, best=("AP",)), "table").decode().endswith("a     -\n")


def test_an_empty_table_is_a_header() -> None:
    empty = WIDE.clear()
    for form in FORMATS:
        assert render(Table(empty, empty, best=("AP",)), form)


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(InputError, match=r"format 'jsn': choose one of table, tsv, .*did you mean json"):
        render(TABLE, "jsn")


def test_json_tells_infinite_from_missing() -> None:
    frame = pl.DataFrame({"value": [float("inf"), -float("inf"), None, 1.5]})
    rows = json.loads(render(Table(frame, frame), "json"))["rows"]
    assert [row["value"] for row in rows] == ["inf", "-inf", None, 1.5]
