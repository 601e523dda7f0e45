"""Tables: the text of every cell, and the elements that hold it."""

from __future__ import annotations

from html.parser import HTMLParser

import polars as pl
import pytest

from assay.views.report.display_table import DisplayTable, display
from assay.views.report.names import Name
from assay.views.report.phrasing import format_cell
from assay.views.report.section import templates
from report_cases import HOSTILE

CAPTION = "Means <of> runs"


class Reader(HTMLParser):
    """The elements, their attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += [data.strip()] if data.strip() else []

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def read(table: DisplayTable) -> Reader:
    source = "{% call table(data) %}{{ caption }}{% endcall %}"
    reader = Reader()
    reader.feed(templates().from_string(source).render(data=table, caption=CAPTION))
    return reader


def test_a_table_names_its_rows_and_columns() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], "AP": [0.12345, None], "topics": [1500, 2]})
    reader = read(display(frame, heads={"AP": "mean"}))
    heads = [(attributes["scope"], attributes.get("class")) for attributes in reader.all("th")]
    assert heads == [("col", None), ("col", "n"), ("col", "n"), ("row", None), ("row", None)]
    assert reader.text == [CAPTION, "run", "mean", "topics", "a", "0.123", "1,500", "b", "–", "2"]
    [box] = [attributes for attributes in reader.all("div") if attributes.get("role") == "region"]
    assert box["tabindex"] == "0", "what scrolls can be reached by keys"
    assert box["aria-label"] == CAPTION


def test_numbers_that_stand_for_names_are_shown_as_names() -> None:
    table = display(pl.DataFrame({"run": [0], "value": [1.0]}), show={"run": lambda run: Name(f"run{run}", link="#r")})
    assert table.classes == [None, "n"]
    reader = read(table)
    assert reader.text[-2:] == ["run0", "1.000"]
    assert reader.all("a") == [{"href": "#r", "class": "cut"}]


def test_a_hostile_text_is_a_text() -> None:
    frame = pl.DataFrame({HOSTILE: [HOSTILE], "name": [HOSTILE]})
    reader = read(display(frame, show={"name": lambda name: Name(name, name)}))
    assert reader.text[1:] == [HOSTILE, "name", HOSTILE, HOSTILE]
    assert reader.all("script") == []
    assert reader.all("span") == [{"title": HOSTILE, "class": "cut"}]


@pytest.mark.parametrize(
    ("value", "shown"), [(float("nan"), "–"), (-0.00001, "0.000"), (-0.5, "-0.500"), ("x", "x"), (1234.5, "1,234.500")]
)
def test_values_of_cells(value: object, shown: str) -> None:
    assert format_cell(value) == shown
