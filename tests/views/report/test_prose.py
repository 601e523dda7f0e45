"""Sentences with names in them, as data and as markup."""

from __future__ import annotations

import pytest

from assay.measures import measure
from assay.views.report.prose import LONGEST, Name, Phrase, enumerate_names, join, sentence
from assay.views.report.section import templates
from report_cases import HOSTILE


def markup(macro: str, value: object) -> str:
    return templates().from_string(f'{{% from "macros.html" import {macro} %}}{{{{ {macro}(it) }}}}').render(it=value)


def test_values_in_a_sentence() -> None:
    made = sentence("{run} has {measure} {value} on {n}.", run=Name("a"), measure=measure("AP"), value=0.25, n=1500)
    assert str(made) == "a has AP 0.250 on 1500."
    assert [part for part in made.parts if isinstance(part, Name)] == [Name("a"), Name("AP")]
    assert str(sentence("{all}: {x}", all=made, x="{y}")) == "a has AP 0.250 on 1500.: {y}"


def test_names_are_set_apart_and_linked() -> None:
    made = sentence("{run} leads {others}.", run=Name("a", link="#system-0"), others="b & c")
    assert markup("say", made) == '<b class="name"><a href="#system-0">a</a></b> leads b &amp; c.'


@pytest.mark.parametrize(
    "phrase", [HOSTILE, sentence("{a}", a=HOSTILE), sentence("{a}", a=Name(HOSTILE, HOSTILE, HOSTILE))]
)
def test_a_hostile_text_is_a_text(phrase: Phrase) -> None:
    assert str(phrase) == HOSTILE
    assert "<script" not in markup("say", phrase)
    assert "&lt;script&gt;" in markup("say", phrase)


def test_a_paragraph_of_nothing_is_nothing() -> None:
    assert markup("paragraph", [None, None]) == ""
    assert markup("paragraph", [None, "A.", sentence("B.")]) == "<p>A. B.</p>"


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b and 2 others")],
)
def test_lists_of_names(names: list[str], text: str) -> None:
    assert str(enumerate_names(names, 3)) == text


def test_names_stay_names_in_lists() -> None:
    assert join([Name("a"), "b"]).parts == (Name("a"), ", ", "b")
    assert enumerate_names([Name("a"), Name("b")]).parts == (Name("a"), " and ", Name("b"))


def test_a_long_name_is_cut_and_kept_as_a_title() -> None:
    long = "x" * 100 + "<y>"
    made = Name.of(long)
    assert len(str(made)) == LONGEST
    assert f'title="{"x" * 100}&lt;y&gt;"' in markup("name", made)
    assert "title" not in markup("name", Name.of("short"))
