"""Properties of every report and of the command that prints it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.cli import list_commands, load_module, main
from assay.errors import InputError
from assay.model.provenance import Provenance
from assay.results.formats import FORMATS, TableLayout, render
from assay.results.report import Report
from reference_pages import _json_schemas
from reference_pages._reports import REPORTS, build_report
from reference_pages._sample import simulate_sample

PUBLISHED = Path(__file__).parents[1] / "docs" / "reference" / "schemas"
each_report = pytest.mark.parametrize("name", REPORTS)
TABLES = [(name, table) for name in REPORTS for table in build_report(name).tables]
each_table = pytest.mark.parametrize(("name", "table"), TABLES)


def report_classes(base: type[Report] = Report) -> set[type[Report]]:
    """Return every report class that the package defines."""
    return {
        one
        for sub in base.__subclasses__()
        for one in ({sub} | report_classes(sub))
        if one.__module__.startswith("assay.")
    }


def test_every_report_class_is_tested() -> None:
    assert {assay.meta.Study, assay.theory.Chain} <= report_classes()
    checked = {type(build_report(name)).__name__ for name in REPORTS}
    assert {one.__name__ for one in report_classes()} == checked


@each_report
def test_reports_implement_the_protocol(name: str) -> None:
    report = build_report(name)
    assert report.name == name
    assert isinstance(report.frame(), pl.DataFrame)
    assert isinstance(report.provenance, Provenance)
    assert json.dumps(report.provenance.as_dict(), allow_nan=False)
    assert all(isinstance(note, str) for note in report.notes)
    assert "\n" not in repr(report)
    assert len(repr(report)) < 120
    with pytest.raises(InputError, match="choose one of"):
        report.table("no such table")


@each_report
def test_the_summary_is_a_few_sentences(name: str) -> None:
    text = build_report(name).summary()
    assert text.endswith((".", ")", "?")), text
    assert 10 < len(text) < 900
    assert "nan" not in text.lower().split()


@each_report
def test_reports_convert_to_pandas_and_html(name: str) -> None:
    report = build_report(name)
    frame = report.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == report.frame().columns
    page = report._repr_html_()
    assert "<table" in page
    assert "<p>" in page


@each_table
def test_columns_are_tidy(name: str, table: str) -> None:
    frame = build_report(name).table(table).frame
    runs = {run.name for run in simulate_sample().runs}
    for column, dtype in frame.schema.items():
        plain = column in runs or "@" in column or column.isupper() or "(" in column or column[0].isupper()
        assert plain or (column == column.lower() and " " not in column), column
        assert not dtype.is_nested(), column


@each_table
@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(name: str, table: str, width: int) -> None:
    text = render(build_report(name), "table", table, TableLayout(width=width)).decode()
    assert max(map(len, text.splitlines())) <= width, text


@each_table
def test_tables_render_in_every_format(name: str, table: str) -> None:
    for form in FORMATS:
        assert render(build_report(name), form, table)
    latex = build_report(name).to_latex(table, caption="A % caption", label="tab:x")
    assert r"\caption{A \% caption}" in latex
    assert r"\label{tab:x}" in latex
    assert latex.count("{") == latex.count("}")


@cache
def published_schema(name: str) -> jsonschema.protocols.Validator:
    schema = json.loads((PUBLISHED / f"{name}.json").read_text())
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)


@each_table
def test_json_follows_the_published_schema(name: str, table: str) -> None:
    content = json.loads(render(build_report(name), "json", table))
    published_schema(name).validate(content)
    assert content["schema"]["table"] == table
    broken = {**content, "rows": [{"no such column": "x"}]}
    assert not published_schema(name).is_valid(broken)


def test_the_published_schemas_match_the_code() -> None:
    assert sorted(path.name for path in PUBLISHED.glob("*.json")) == sorted(_json_schemas.list_schemas())
    for name in _json_schemas.list_schemas():
        assert (PUBLISHED / name).read_text() == _json_schemas.render_schema(name), f"{name}: run make docs"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small collection to disk; one run has a long name."""
    folder = tmp_path_factory.mktemp("reports")
    qrels = simulate_sample().qrels
    qrels.write(folder / "qrels.txt")
    qrels.with_grades({0: 1}).write(folder / "lenient.txt")
    more = assay.simulate(systems=2, topics=8, depth=30, pool=20)
    more.write(folder / "more")
    more.qrels.select(np.arange(6)).write(folder / "more" / "some.txt")
    (folder / "runs").mkdir()
    for number, run in enumerate(simulate_sample().runs):
        renamed = run if number else run.with_name("a-retrieval-system-with-a-long-name-and-a-seed-of-42")
        renamed.write(folder / "runs" / f"r{number}.run")
    return folder


# Required arguments, and limits that keep commands fast.
EXTRA_ARGUMENTS = {
    ("gate",): "--baseline alpha2 --margin AP=50% --on-undecided pass",
    ("effort", "curve"): "--run alpha2 --topic 401",
    ("theory", "axioms"): "-m AP RR --length 4",
    ("theory", "balance"): "-m AP RR -n 5,10",
    ("theory", "trials"): "-n 30 --trials 5",
    ("meta", "robustness"): "-m AP --seeds 2",
    ("meta", "power"): "-m AP P@10 --resamples 20",
    ("distance", "med"): "-m nDCG@5",
    ("judges", "agree"): "model=lenient.txt",
    ("judges", "effect"): "model=lenient.txt --runs runs --resamples 20",
    ("judges", "combine"): "model=more/qrels.txt --runs more/runs",
}
EXIT_CODES = {("check",): 1}  # the collection has findings
PRINTING = [
    words
    for words in list_commands()
    if words[0] not in ("completion", "demo", "explore", "plot", "report", "simulate", "trec_eval")
    and words[-1] not in ("study", "judge")
]


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
@pytest.mark.parametrize("width", [80, 120])
def test_a_command_fits_the_terminal_and_ends_with_its_summary(
    words: tuple[str, ...], width: int, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setenv("COLUMNS", str(width))
    inputs = {"qrels": "qrels.txt", "runs": "runs", "collections": "first:qrels.txt:runs", "judges": "human=qrels.txt"}
    if words == ("judges", "combine"):
        inputs["judges"] = "human=more/some.txt"
    arguments = [inputs[name] for name in getattr(load_module(*words).COMMAND, "inputs", ())]
    assert main([*words, *arguments, *EXTRA_ARGUMENTS.get(words, "").split()]) == EXIT_CODES.get(words, 0)
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert max(map(len, lines)) <= width, captured.out
    assert "" in lines
    assert lines[-1]
    assert "/" not in captured.err.replace("and/or", "") or "runs/" in captured.err
