"""Check the properties of every report: tables fit a terminal, all formats work, and provenance is plain JSON."""

from __future__ import annotations

import json

from assay.results.formats import FORMATS, TableLayout, render
from assay.results.report import Report
from assay.results.tables import Table


def check_report(report: Report, *shows: str) -> Table:
    """Check some tables of a report, by default all, and return the first one of the report."""
    for show in shows or report.tables:
        text = render(report, "table", show, TableLayout(width=80)).decode()
        assert all(len(line) <= 80 for line in text.splitlines()), text
        assert all(render(report, form, show) for form in FORMATS)
        assert report.table(show).frame.columns == [name.lower() for name in report.table(show).frame.columns] or (
            show == "matrix"
        )
    assert json.dumps(report.provenance.as_dict(), allow_nan=False)
    assert "<table" in report._repr_html_()
    assert all(isinstance(note, str) for note in report.notes)
    assert "\n" not in repr(report)
    return report.table()
