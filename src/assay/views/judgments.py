"""Tables of the contents of judgments."""

from __future__ import annotations

import polars as pl

from assay.meta.judgments import JudgmentReport
from assay.model.arrays import ROUNDING
from assay.views.tables import Table

SHOWN = {
    "summary": "relevant documents of all topics, by grade",
    "topics": "each topic",
    "sorted": "relevant documents, each grade sorted separately",
    "ideal": "the ideal DCG of topics, sorted, beside two reference lines",
}


def judgments(report: JudgmentReport, shown: str = "summary") -> Table:
    """One of the tables; for people a column for each grade, such as ``2+`` for grades of at least 2."""
    made = {
        "summary": lambda: (report.summary(), _from_grade(report.summary())),
        "topics": lambda: (report.frame(), _beside(report, report.frame())),
        "sorted": lambda: (report.sequences(), _beside(report, report.sequences())),
        "ideal": lambda: (report.ideals(), report.ideals().drop("all_top", "one_top")),
    }
    tidy, wide = made[shown]()
    notes = (*report.notes, *(_lines(report) if shown in ("ideal", "summary") else ()))
    return Table(tidy, wide, provenance=report.provenance, notes=notes)


def _name(grade: float) -> str:
    return f"{grade:g}+"


def _from_grade(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(grade=pl.Series([_name(grade) for grade in frame["grade"].to_list()], dtype=pl.String))


def _beside(report: JudgmentReport, frame: pl.DataFrame) -> pl.DataFrame:
    """The grades beside each other; the ideal DCG comes last."""
    step = len(report.thresholds)
    columns = {
        _name(grade): frame["relevant"].gather_every(step, offset=number)
        for number, grade in enumerate(report.thresholds)
    }
    rest = frame.drop("grade", "relevant").gather_every(step).with_columns(**columns)
    return rest.select(pl.exclude("ideal_dcg"), *(["ideal_dcg"] if "ideal_dcg" in rest.columns else []))


def _lines(report: JudgmentReport) -> list[str]:
    """Describe the reference lines, and count the topics that reach them."""
    cut, top = report.measure.cutoff, report.top
    lines = {
        f"{cut} documents of grade {top:g}": report.all_top,
        f"one of grade {top:g} and {(cut or 1) - 1} of the next lower grade": report.one_top,
    }
    reached = [int((report.ideal >= line * (1 - ROUNDING)).sum()) for line in lines.values()]
    return [
        f"{report.measure}: {about} would reach {line:.3f}; {many} of {len(report.topics)} topics have as much"
        for (about, line), many in zip(lines.items(), reached, strict=True)
    ]
