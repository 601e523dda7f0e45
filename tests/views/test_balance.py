"""The tables of the balancing index."""

from __future__ import annotations

from assay.theory.balancing import balance_report
from assay.theory.trials import trial_report
from assay.views.balance import balance, trials
from assay.views.tables import FORMATS, render


def test_numbers_where_all_have_an_index() -> None:
    report = balance_report(["AP", "ERR"], [5, 200])
    table = balance(report)
    assert table.tidy.equals(report.frame())
    assert table.wide.equals(table.tidy)
    assert (table.provenance, table.notes) == (report.provenance, report.notes)


def test_none_for_people_and_nothing_for_programs() -> None:
    table = balance(balance_report(["ERR", "CG"], [5, 200], qmax=3))
    lines = render(table, "table").decode().splitlines()
    assert lines[2:] == [
        "ERR        5     none",
        "ERR      200     none",
        "CG         5        3",
        "CG       200      198",
    ]
    assert render(table, "csv").decode().splitlines()[1:] == ["ERR,5,", "ERR,200,", "CG,5,3", "CG,200,198"]
    assert '"balance": null' in render(table, "json").decode()


def test_trials_and_every_format() -> None:
    report = trial_report("RBP(p=0.8)", trials=3, n=30)
    table = trials(report)
    assert table.tidy.equals(report.frame())
    assert table.notes == ("RBP(p=0.8): balancing index 8 for n = 30",)
    for one in (table, balance(balance_report("ERR", [5], qmax=3))):
        assert all(render(one, form) for form in FORMATS)
