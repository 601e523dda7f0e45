from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.io.problems import EmptySourceError, Place, Problems, format_value


def test_strict_mode_stops_at_the_first_problem() -> None:
    with pytest.raises(InputError, match=r"^f:3: wrong$"):
        Problems("f").report("f:3", "wrong", "skipped")


def test_lenient_mode_counts_problems_by_kind() -> None:
    problems = Problems("f", lenient=True)
    assert problems.notes() == ()
    problems.report("f:3", "wrong", "skipped lines")
    problems.report("f:4", "odd", "skipped odd lines", 5)
    problems.report("f:9", "very wrong", "skipped lines")
    assert problems.notes() == ("f: skipped lines: 2 (first: f:3: wrong)", "f: skipped odd lines: 5 (first: f:4: odd)")


@pytest.mark.parametrize(
    ("value", "text"),
    [("a b", "'a b'"), ("a\nb", "'a\\nb'"), (1.5, "1.5"), (None, "None"), ("x" * 100, "'" + "x" * 58 + "…")],
)
def test_format_value(value: object, text: str) -> None:
    assert format_value(value) == text


def test_formatted_value_is_one_line() -> None:
    class MultilineRepr:
        def __repr__(self) -> str:
            return "a\n  b\n  c"

    assert format_value(MultilineRepr()) == "a b c"


def test_problems_keep_the_first_places_of_each_kind() -> None:
    first, second = Problems("f", lenient=True), Problems("f", lenient=True)
    for problems, lines in ((second, (7, 8)), (first, (2, 3))):
        for line in lines:
            problems.report(Place.at(f"f:{line}", line), "wrong", "skipped lines")
    second.report("f:9", "twice", "skipped duplicate documents, keeping the first", 5, ["f:10"])
    first.merge(second)
    lines, documents = first.kinds
    assert (lines.noun, lines.occurrences, lines.places) == ("lines", 4, ("f:2", "f:3", "f:7"))
    assert (documents.noun, documents.occurrences, documents.places) == ("duplicate documents", 5, ("f:9", "f:10"))


def test_a_source_without_rows_names_its_problems() -> None:
    problems = Problems("f", lenient=True)
    problems.report("f:1", "wrong", "skipped lines")
    with pytest.raises(EmptySourceError, match="f: contains no results; the first problem is f:1: wrong") as error:
        problems.refuse_empty("results")
    assert [kind.noun for kind in error.value.problems] == ["lines"]
