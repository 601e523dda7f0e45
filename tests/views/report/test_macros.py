"""Tests of the macros that render names and paragraphs, and of the names themselves."""

from __future__ import annotations

import pytest

from assay.measures import measure
from assay.views.report.phrasing import MAX_LENGTH, Name, to_name
from assay.views.report.section import templates
from report_cases import HOSTILE, strip_markup


def render(source: str, **values: object) -> str:
    return templates().from_string(source).render(values)


def test_names_are_marked_up_and_linked() -> None:
    html = render("{{ name(run) }} leads {{ others }}.", run=Name("a", link="#system-0"), others="b & c")
    assert html == '<b class="name"><a href="#system-0">a</a></b> leads b &amp; c.'
    assert render("{{ name(it) }}", it=measure("P@10")) == '<b class="name">P@10</b>'


@pytest.mark.parametrize("name", [HOSTILE, Name(HOSTILE, HOSTILE, HOSTILE)])
def test_hostile_names_are_escaped(name: object) -> None:
    html = render("{{ name(it) }}{{ cell(it) }}{{ it }}", it=name)
    assert "<script" not in html
    assert strip_markup(html) == 3 * HOSTILE


def test_empty_paragraph_is_omitted() -> None:
    source = "{% call paragraph() %} {{ it }} {% endcall %}"
    assert render(source, it="") == ""
    assert render(source, it="A < B.") == "<p>A &lt; B.</p>"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a and b"),
        ("abc", "a, b and c"),
        ("abcd", "a, b and 2 others"),
        ("abcdef", "a, b and 4 others"),
    ],
)
def test_lists_of_names_are_shortened(names: str, expected: str) -> None:
    assert strip_markup(render("{{ names(them, 3) }}", them=list(names))) == expected


def test_long_name_is_shortened_with_a_title() -> None:
    long = "x" * 100 + "<y>"
    assert len(str(to_name(long))) == MAX_LENGTH
    assert f'title="{"x" * 100}&lt;y&gt;"' in render("{{ name(it) }}", it=long)
    assert "title" not in render("{{ name(it) }}", it="short")
