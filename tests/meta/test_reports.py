"""Contract of all reports on measures: table width, summaries and provenance."""

from __future__ import annotations

import json

import pytest

import assay
from assay.errors import InputError
from assay.results.formats import FORMATS, TableLayout, render
from assay.results.report import Report
from campaign_cases import random_campaign

NAMES = ("correlate", "judgments", "pool_depth", "power", "robustness", "significance_counts", "study")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    source = assay.read(*random_campaign(1))
    groups = {run: run[-1] for run in source.runs}
    settings = {"seeds": 2, "resamples": 20, "depths": (2, 5)}
    return {
        "correlate": assay.meta.correlate(source),
        "judgments": assay.meta.judgments(source),
        "pool_depth": assay.meta.pool_depth(source),
        "pool_depth groups": assay.meta.pool_depth(source, groups=groups),
        "power": assay.meta.power(source, resamples=20),
        "robustness": assay.meta.robustness(source, seeds=2),
        "significance_counts": assay.meta.significance_counts(source),
        "study": assay.meta.study(source, tmp_path_factory.mktemp("study") / "tables", settings),
    }


@pytest.mark.parametrize("name", [*NAMES, "pool_depth groups"])
def test_contract_of_a_report(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    assert report.name == name.split(maxsplit=1)[0]
    assert next(iter(report.tables)) == report.table().name
    assert report.table().frame.equals(report.frame())
    assert repr(report).startswith(type(report).__name__)
    assert len(repr(report)) < 120
    assert report.summary().endswith(".")
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"]
    assert report._repr_html_()
    with pytest.raises(InputError, match="show nothing: choose one of"):
        report.table("nothing")


@pytest.mark.parametrize("name", [*NAMES, "pool_depth groups"])
def test_tables_fit_80_columns_and_render_in_every_format(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    for show in report.tables:
        table = report.table(show)
        assert table.name == show
        assert all(column == column.lower() for column in table.frame.columns if name != "study"), table.frame.columns
        text = render(report, "table", show, TableLayout(width=80)).decode()
        assert max(map(len, text.splitlines())) <= 80, show
        for format_name in FORMATS:
            assert render(report, format_name, show)


@pytest.mark.parametrize("name", [*NAMES, "pool_depth groups"])
def test_default_table_has_one_panel(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    first = report.table().compact.columns[0]
    lines = render(report, "table", None, TableLayout(width=80)).decode().splitlines()
    assert sum(line.startswith(f"{first} ") and "  " in line for line in lines[: len(report.table().compact) + 6]) == 1
