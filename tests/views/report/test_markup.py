"""Whatever is put into a page is escaped, unless it is markup."""

from __future__ import annotations

from html.parser import HTMLParser

import polars as pl
import pytest

from assay.views.report.markup import Html, escaped, fold, joined, paragraph, plain, said, table, tag, written

HOSTILE = "<script>alert('1')</script>\"&"


class Reader(HTMLParser):
    """The elements and the texts of some markup."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    return reader


@pytest.mark.parametrize(
    "made",
    [
        tag("p", HOSTILE),
        tag("p", "x", title=HOSTILE),
        joined([HOSTILE, Html("<b>y</b>")], HOSTILE),
        said("{a} leads", a=HOSTILE),
        fold(HOSTILE, HOSTILE),
        paragraph(said("{a}", a=HOSTILE)),
        table(pl.DataFrame({HOSTILE: [HOSTILE]}), HOSTILE),
        table(pl.DataFrame({"a": [HOSTILE]}), "x", heads={"a": HOSTILE}, show={"a": lambda value: value}),
    ],
)
def test_a_hostile_text_is_a_text(made: Html) -> None:
    assert "<script" not in made
    reader = read(made)
    values = [value for _, attributes in reader.tags for value in attributes.values()]
    assert HOSTILE in reader.text or HOSTILE in values


def test_markup_is_put_in_as_it_is() -> None:
    assert tag("p", tag("b", "x")) == "<p><b>x</b></p>"
    assert escaped(escaped("<")) == "&lt;"
    assert isinstance(said("{x}", x="y"), Html)


def test_mixing_markup_into_a_text_makes_it_a_text() -> None:
    mixed = "see " + tag("b", "x")
    assert tag("p", mixed) == "<p>see &lt;b&gt;x&lt;/b&gt;</p>"


def test_attributes() -> None:
    assert tag("a", "x", href="#y", class_="z", data_keep="png") == '<a href="#y" class="z" data-keep="png">x</a>'
    assert tag("details", open=True, hidden=None, inert=False) == "<details open></details>"


def test_a_paragraph_of_nothing_is_nothing() -> None:
    assert paragraph(None, None) == ""
    assert paragraph(None, said("A."), said("B.")) == "<p>A. B.</p>"


def test_a_table_names_its_rows_and_columns() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], "AP": [0.12345, None], "topics": [1500, 2]})
    reader = read(table(frame, "Means", heads={"AP": "mean"}))
    heads = [attributes.get("scope") for name, attributes in reader.tags if name == "th"]
    assert heads == ["col", "col", "col", "row", "row"]
    assert "figcaption" in [name for name, _ in reader.tags]
    for shown in ("Means", "mean", "0.123", "–", "1,500"):
        assert shown in reader.text
    [box] = [attributes for name, attributes in reader.tags if attributes.get("role") == "region"]
    assert box["tabindex"] == "0", "what scrolls can be reached by keys"
    assert box["aria-label"] == "Means"


def test_numbers_that_stand_for_names_are_written_so() -> None:
    made = table(pl.DataFrame({"run": [0], "value": [1.0]}), "x", show={"run": lambda run: f"run{run}"})
    assert '<th scope="row">run0</th><td class="n">1.000</td>' in made


@pytest.mark.parametrize(
    ("value", "shown"), [(float("nan"), "–"), (-0.00001, "0.000"), (-0.5, "-0.500"), ("x", "x"), (1234.5, "1,234.500")]
)
def test_values_of_cells(value: object, shown: str) -> None:
    assert written(value) == shown


def test_what_a_reader_sees() -> None:
    assert plain(tag("p", HOSTILE, tag("b", "x", title="<"))) == f"{HOSTILE}x"
