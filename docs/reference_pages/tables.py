"""Output for programs: the JSON object, and the columns of each table."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from assay.cli import load_module, main
from assay.cli._command import Command
from assay.results.formats import FORMATS
from assay.results.report import Report
from assay.simulation import simulate
from assay.views.catalogue import MeasureList
from reference_pages._json_shape import render_shape
from reference_pages._markdown import escape, format_code, render_block, render_table
from reference_pages._parsers import Words, group_commands
from reference_pages._sample import simulate_sample
from reference_pages.commands import join_words, make_anchor

TITLE = "Tables and JSON"
ABOUT = "the JSON object that `--format json` writes, and the columns of every table of every command"
_FORMAT_CONTENTS = {
    "table": "the most important columns, 4 digits, and the summary; `--wide` prints all columns",
    "tsv": "all columns, separated by tabs, all digits",
    "csv": "all columns, separated by commas, all digits",
    "json": "the [JSON object](#the-json-object), all digits",
    "markdown": "a Markdown table with the columns of `table`, 4 digits",
    "latex": "a LaTeX table (packages booktabs and amssymb), 3 digits; `--caption`, `--label`",
    "parquet": "all columns, all digits; the metadata key `assay` holds the provenance",
    "html": "a self-contained page, 4 digits",
}

_HEAD = """\
Which columns does the output of a command have? Commands that print a table have the option `--format`. Without this
option, the ending of the file name in `-o FILE` selects the format. In Python, the ending of the file name in
`report.write(path)` selects the format. `--digits N` changes the number of decimal places.
"""
_ROWS = """\
The formats for programs (tsv, csv, json, parquet) have one number per cell. [Columns](#columns) lists their columns. In
Python, `report.table(show).frame` has the same columns. A missing value is empty in tsv and csv, and null in JSON and
Parquet. Infinity is the text `inf` in JSON.

## The JSON object

Every command writes an object of the same form. For example, `assay eval` writes:
"""
_OBJECT = """\
- *schema* contains the name of the report, the table (`--show`) and the version of its columns. The version increases
  if a column is removed or renamed, or if its meaning changes. The section of each command links to the JSON Schema.
- *provenance* contains the version of assay, the inputs with their SHA-256 digests, and the policies. It also contains
  changes to the data such as replaced grades (*derivations*), and the arguments of the analysis (*settings*). Commands
  without files have no inputs and no policies; values of other tools (`--values`) have no policies.
- *notes* lists what was ignored, skipped or assumed. Commands print the same notes on standard error, where similar
  notes are grouped.
- *summary* contains the sentences that follow the table in the terminal.
- *rows* contains one object per row. [Columns](#columns) lists the keys.

## Columns

The first table of a command is the default. `--show` selects another table. `RUN` stands for one column for each run,
and `MEASURE` stands for the name of the measure.
"""
_EXTRA_ARGUMENTS = {
    "theory axioms": "-m AP",
    "theory trials": "--trials 20",
    "effort curve": "--topic 402",
    "meta power": "--resamples 100",
    "meta robustness": "--seeds 2",
    "gate": "--baseline alpha1.run --margins AP=0.1",
    "judges effect": "--runs more/runs --resamples 20",
    "judges combine": "--runs more/runs",
    "topics slices": "--topics-table kinds.csv --by kind",
    "compare matrix": "-m AP",
    "compare variance": "--systems systems.txt",
    "meta pool-depth reuse": "--groups systems.txt",
    "meta pool-depth groups": "--groups systems.txt",
    "meta pool-depth left-out": "--groups systems.txt",
    "distance med matrix": "-m AP@100",
    "distance med trace": "-m nDCG@10",
}
"""Arguments that a command or one of its tables requires, or that make it fast."""
_SINGLE_RUN_COMMANDS = (("effort", "curve"),)
_HAS_VERDICT = ("check", "gate")
"""Commands whose exit code is not 0 for some verdicts."""
_TYPE_NAMES = {
    pl.String: "text",
    pl.Float64: "number",
    pl.Boolean: "true or false",
    pl.Null: "missing",
    pl.List: "list",
}


def render_page() -> str:
    """Return the page."""
    with _change_to_sample_directory() as runs:
        sections = [_render_section(words, runs) for words in list_table_commands()]
        _run_command(["eval", "qrels.txt", runs[0], "-m", "AP"], "answer.json")
        example = json.loads(Path("answer.json").read_text())
    formats = render_table(("format", "content"), ((format_code(form), _FORMAT_CONTENTS[form]) for form in FORMATS))
    return "\n".join([_HEAD, formats, _ROWS, render_block(render_shape(example, {})), _OBJECT, *sections])


def list_table_commands() -> list[Words]:
    """Return the commands that print a report."""
    return [words for group in group_commands().values() for words in group if find_report_class(words) is not None]


def find_report_class(words: Words) -> type[Report] | None:
    """Return the class of the report that a command prints, or None if the command prints something else."""
    if words == ("measures",):
        return MeasureList
    command = getattr(load_module(*words), "COMMAND", None)
    if not isinstance(command, Command) or command.add_output is not None:
        return None
    function = inspect.unwrap(command.callable)
    report: type[Report] = function.__globals__[inspect.signature(function).return_annotation]
    return report


def _render_section(words: Words, runs: list[str]) -> str:
    report = find_report_class(words)
    assert report is not None
    command = getattr(load_module(*words), "COMMAND", None)
    inputs = command.inputs if isinstance(command, Command) else ()
    arguments = [*words, *(["qrels.txt"] if "qrels" in inputs else [])]
    arguments += ["first:more/qrels.txt:more/runs", "second:more/some.txt:more/runs"] if "collections" in inputs else []
    if "judges" in inputs:
        arguments += ["human=more/some.txt", "model=more/qrels.txt"]
    arguments += (runs[:1] if words in _SINGLE_RUN_COMMANDS else runs) if "runs" in inputs else []
    arguments += _EXTRA_ARGUMENTS.get(join_words(words), "").split()
    rows = []
    for name, about in report.tables.items():
        show = ["--show", name] if len(report.tables) > 1 else []
        extra = _EXTRA_ARGUMENTS.get(f"{join_words(words)} {name}", "").split()
        rows.append((format_code(name), escape(about), _list_columns([*arguments, *extra, *show])))
    if words == ("theory", "order"):
        steps = "with `--chain TOPIC`: the steps from one run to the other"
        chain = [*words, "qrels.txt", *runs[:2], "--chain", "401", "--unequal", "pad"]
        rows.append((format_code("chain"), steps, _list_columns(chain)))
    schema = f"schema [`{report.name}`](schemas/{report.name}.json), version {report.version}"
    head = f"### {join_words(words)}\n\n[Command](commands.md#{make_anchor(words)}); {schema}.\n"
    return f"{head}\n{render_table(('table', 'content', 'columns'), rows)}"


@contextmanager
def _change_to_sample_directory() -> Iterator[list[str]]:
    """Change to a temporary directory with a small campaign, and yield the file names of the runs."""
    before = Path.cwd()
    with TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            simulate_sample().qrels.write("qrels.txt")
            names = [run.name for run in simulate_sample().runs]
            for run in simulate_sample().runs:
                run.write(f"{run.name}.run")
            more = simulate(systems=2, topics=8, depth=30, pool=20)
            more.write("more")
            more.qrels.select(np.arange(6)).write("more/some.txt")
            kinds = [f"{topic},{'ab'[number % 2]}\n" for number, topic in enumerate(simulate_sample().qrels.topics)]
            Path("kinds.csv").write_text("topic,kind\n" + "".join(kinds))
            Path("systems.txt").write_text("".join(f"{name} {name[:-1]}\n" for name in names))
            yield [f"{name}.run" for name in names]
        finally:
            os.chdir(before)


def _list_columns(words: list[str]) -> str:
    """Return the columns of a table and their types, with one placeholder for all columns named after runs."""
    _run_command(words, "answer.parquet")
    frame = pl.read_parquet("answer.parquet")
    first = frame.columns[0]
    run_names = set(frame[first].cast(pl.String).to_list())
    columns: dict[str, Any] = {}
    for index, (name, dtype) in enumerate(frame.schema.items()):
        is_matrix = bool(run_names & set(frame.columns[1:]))
        first_name = "MEASURE" if is_matrix and first != "run" else first
        columns.setdefault("RUN" if name in run_names else name if index else first_name, dtype)
    return ", ".join(f"{format_code(name)} ({_type_name(dtype)})" for name, dtype in columns.items())


def _run_command(words: list[str], path: str) -> None:
    errors = StringIO()
    with redirect_stderr(errors):
        status = main([*words, "-o", path])
    if status and words[0] not in _HAS_VERDICT:
        raise ValueError(f"{' '.join(words)}: {errors.getvalue()}")


def _type_name(dtype: pl.DataType) -> str:
    return "whole number" if dtype.is_integer() else _TYPE_NAMES[dtype.base_type()]
