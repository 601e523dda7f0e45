"""The tables of documents to judge next, and of the benefit of an order of judging."""

from __future__ import annotations

import polars as pl

from assay.uncertainty.judge_next import JudgeNext
from assay.uncertainty.judging_order import JudgingCurve
from assay.views.tables import Table, drop_fractions


def judge_next(report: JudgeNext) -> Table:
    """Tabulate the documents to judge; the wide table has no grades if there are none."""
    frame = report.frame()
    grade = frame["grade"]
    wide = frame.drop("grade") if grade.null_count() == len(grade) else drop_fractions(frame, "grade")
    return Table(frame, wide, provenance=report.provenance, notes=report.notes)


def judging_curve(report: JudgingCurve) -> Table:
    """Tabulate the uncertainty by number of judgments; the wide table has the orders side by side."""
    frame = report.frame()
    first = report.orders[0]
    wide = frame.filter(pl.col("order") == first).select("pool", "judgments")
    for order in report.orders:
        wide = wide.hstack([frame.filter(pl.col("order") == order)["uncertainty"].alias(order)])
    if {"residual", "depth"} <= set(report.orders):
        wide = wide.hstack([frame.filter(pl.col("order") == "residual")["needed"]])
    areas = ", ".join(f"{order} {area:.4f}" for order, area in report.areas().iter_rows())
    mean = f"{report.measure}: mean uncertainty over all numbers of judgments: {areas}"
    return Table(frame, wide, provenance=report.provenance, notes=(*report.notes, mean))
