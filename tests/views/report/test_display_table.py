"""Tests of tables: the text of every cell and the markup around it."""

from __future__ import annotations

from html.parser import HTMLParser

import polars as pl
import pytest

from assay.views.report.display_table import DisplayTable, display
from assay.views.report.phrasing import Name, format_cell
from assay.views.report.section import templates
from report_cases import HOSTILE

CAPTION = "Means <of> runs"


class TableParser(HTMLParser):
    """Parser that collects elements, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += [data.strip()] if data.strip() else []

    def find(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def parse_table(table: DisplayTable) -> TableParser:
    source = "{% call table(data) %}{{ caption }}{% endcall %}"
    parser = TableParser()
    parser.feed(templates().from_string(source).render(data=table, caption=CAPTION))
    return parser


def test_table_has_row_and_column_headers() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], "AP": [0.12345, None], "topics": [1500, 2]})
    parser = parse_table(display(frame, heads={"AP": "mean"}))
    headers = [(attributes["scope"], attributes.get("class")) for attributes in parser.find("th")]
    assert headers == [("col", None), ("col", "n"), ("col", "n"), ("row", None), ("row", None)]
    assert parser.text == [CAPTION, "run", "mean", "topics", "a", "0.123", "1,500", "b", "–", "2"]
    [region] = [attributes for attributes in parser.find("div") if attributes.get("role") == "region"]
    assert region["tabindex"] == "0", "scrollable regions are reachable by keyboard"
    assert region["aria-label"] == CAPTION


def test_indices_are_replaced_by_names() -> None:
    table = display(pl.DataFrame({"run": [0], "value": [1.0]}), show={"run": lambda run: Name(f"run{run}", link="#r")})
    assert table.classes == [None, "n"]
    parser = parse_table(table)
    assert parser.text[-2:] == ["run0", "1.000"]
    assert parser.find("a") == [{"href": "#r", "class": "cut"}]


def test_hostile_text_is_escaped() -> None:
    frame = pl.DataFrame({HOSTILE: [HOSTILE], "name": [HOSTILE]})
    parser = parse_table(display(frame, show={"name": lambda name: Name(name, name)}))
    assert parser.text[1:] == [HOSTILE, "name", HOSTILE, HOSTILE]
    assert parser.find("script") == []
    assert parser.find("span") == [{"title": HOSTILE, "class": "cut"}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(float("nan"), "–"), (-0.00001, "0.000"), (-0.5, "-0.500"), ("x", "x"), (1234.5, "1,234.500")],
)
def test_formatting_of_cells(value: object, expected: str) -> None:
    assert format_cell(value) == expected
