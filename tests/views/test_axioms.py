"""The table of the axioms."""

from __future__ import annotations

from assay._version import VERSION
from assay.theory.axioms import check_several, frame
from assay.views.axioms import axioms
from assay.views.tables import FORMATS, render


def test_the_table_is_the_frame_with_its_range() -> None:
    reports = check_several(["AP*", "AP"], length=4)
    table = axioms(reports)
    assert table.tidy.equals(frame(reports))
    assert table.wide.equals(table.tidy)
    assert table.provenance == {
        "assay": VERSION,
        "checked": {
            "grades": (0.0, 1.0, 2.0),
            "length": 4,
            "relevant": 4,
            "counts": None,
            "exhaustive": 4,
            "samples": 20_000,
            "seed": 0,
        },
    }
    assert table.notes == (
        "checked: all rankings of 1 to 4 documents with the grades 0, 1, 2, topics with at most 4 relevant documents",
    )


def test_every_format_takes_it_and_people_get_lines_that_fit() -> None:
    table = axioms(check_several(["AP*", "Q", "RBP(p=0.8)"]))
    assert all(render(table, form) for form in FORMATS)
    assert max(map(len, render(table, "table").decode().splitlines())) <= 110


def test_nothing_was_checked() -> None:
    assert axioms([]).notes == ()
    assert len(axioms([]).wide) == 0
