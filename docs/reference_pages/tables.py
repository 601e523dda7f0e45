"""What commands print for programs: the shape of JSON, and the columns of each table."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.cli import main
from assay.views.tables import FORMATS
from reference_pages._markdown import block, code, listed, table
from reference_pages._parsers import commands
from reference_pages._sample import sample
from reference_pages._schema import sketch

TITLE = "Tables and JSON"
ABOUT = "the JSON that `--format json` writes, and the columns of the table of every command"
_FORMS = {
    "table": "columns for a terminal, rounded to four digits",
    "tsv": "tabs between columns, all digits",
    "csv": "commas between columns, all digits",
    "json": "what is told below, all digits",
    "markdown": "a table of Markdown, rounded",
    "latex": "a table of LaTeX (booktabs), rounded, the best value bold",
    "parquet": "one value per row, all digits; the provenance is the metadata `assay`",
    "html": "a page of its own that loads nothing, rounded",
}

_HEAD = """\
Commands that print a table take `--format`, or tell the format by the ending of `-o FILE`:
"""
_ROWS = """\
The formats for programs (tsv, csv, json, parquet) have one value per row, with the columns below. What is missing is
empty in tsv and csv, and null in JSON (where infinity is the text `inf`) and Parquet.

JSON is one object: where the numbers come from, what was ignored or assumed (the same lines as on standard error), and
the rows. Of `assay eval`:
"""
_COLUMNS = """\
*provenance* has the version, the inputs with their SHA-256 and the policies; commands add what they were asked for.

## Columns

A row with an option tells the columns that there are with it; `RUN` and `MEASURE` stand for a column for each.
"""
_FEW = {("axioms", ""): ("-m", "AP"), ("balance", "--simulate"): ("--trials", "20")}
"""What keeps a command, or one of its flags, from taking long."""


def page() -> str:
    """The page."""
    with _campaign() as runs:
        found = {name: dict(_tables(name, of, runs)) for name, of in commands().items() if _has_format(name, of)}
        example = _answer(["eval", "qrels.txt", runs[0], "-m", "AP"])
    rows = [
        (f"[{name}](commands.md#{name})", code(flag) if flag else "", listed(columns))
        for name, each in found.items()
        for flag, columns in each.items()
    ]
    formats = table(("format", "what is written"), ((code(form), _FORMS[form]) for form in FORMATS))
    shape = block(sketch(example, {}))
    return "\n".join([_HEAD, formats, _ROWS, shape, _COLUMNS, table(("command", "with", "columns"), rows)])


def _has_format(name: str, of: argparse.ArgumentParser) -> bool:
    return name != "plot" and any(action.dest == "format" for action in of._actions)


@contextmanager
def _campaign() -> Iterator[list[str]]:
    """A directory with files of a small campaign, to be in; the runs."""
    before = Path.cwd()
    with TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            sample().qrels.write("qrels.txt")
            for run in sample().runs:
                run.write(f"{run.name}.run")
            yield [f"{run.name}.run" for run in sample().runs]
        finally:
            os.chdir(before)


def _tables(name: str, of: argparse.ArgumentParser, runs: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The columns of a command, and those with each of its flags that changes them."""
    words = [name, *_words(of, runs), *_FEW.get((name, ""), ())]
    plain = _columns(words)
    yield "", plain
    for action in of._actions:
        flag = action.option_strings[-1] if action.option_strings else ""
        if isinstance(action, argparse._StoreTrueAction) and flag != "--lenient":
            columns = _columns([*words, flag, *_FEW.get((name, flag), ())])
            if columns and columns != plain:
                yield flag, columns


def _words(of: argparse.ArgumentParser, runs: list[str]) -> list[str]:
    """The arguments that a command needs, by what they are called."""
    words = []
    for action in of._actions:
        if action.metavar == "QRELS" and not action.option_strings:
            words.append("qrels.txt")
        elif action.metavar == "RUN" and not action.option_strings:
            words += runs[:1] if action.nargs is None else runs
        elif action.metavar == "TOPIC" and action.required:
            words += [action.option_strings[-1], "402"]
    return words


def _columns(words: list[str]) -> list[str]:
    """The columns of the rows; if they are named as what is in the first, one stands for all."""
    rows = _answer(words).get("rows", [])
    if not rows:
        return []
    first = next(iter(rows[0]))
    named = {row[first] for row in rows}
    return list(dict.fromkeys(first.upper() if name in named else name for name in rows[0]))


def _answer(words: list[str]) -> dict[str, Any]:
    """What a command writes as JSON; nothing if it refuses."""
    try:
        with redirect_stderr(StringIO()):
            status = main([*words, "--format", "json", "-o", "answer"])
    except SystemExit as refused:
        status = int(refused.code or 0)
    found: dict[str, Any] = json.loads(Path("answer").read_text()) if status == 0 else {}
    return found
