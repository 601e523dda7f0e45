"""Output of commands: a report to the terminal or to a file; notes and progress to standard error."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, encodable, printable, suggestion
from assay.results.formats import ENDINGS, FORMATS, TableLayout, partition, render

if TYPE_CHECKING:
    from assay.cli._parse import Parser
    from assay.model.provenance import Provenance
    from assay.results.report import Report

_PARTITIONS = ("run", "topic", "measure")
_TEXT_ENDINGS = (".txt", "")


def add_output(parser: Parser, tables: dict[str, str], *, partition: bool = False) -> None:
    """Add --show, --format, -o, --digits and their like."""
    group = parser.group("output")
    if len(tables) > 1:
        first, *_ = tables
        listed = "; ".join(f"{name}: {about}" for name, about in tables.items()).replace("%", "%%")
        parser.add(group, ["--show"], metavar="TABLE", help=f"{listed} (default: {first})")
        for name, flag in (("topics", "--per-topic"), ("matrix", "--matrix"), ("tau", "--matrix")):
            if name in tables and flag not in parser.flags:
                parser.add(group, [flag], dest="show", action="store_const", const=name, help=f"--show {name}")
    formats = f"{', '.join(FORMATS)} (default: table, or by the ending of -o)"
    parser.add(group, ["--format"], metavar="FORMAT", help=formats)
    parser.add(group, ["-o", "--output"], metavar="FILE", help="write to a file instead of standard output")
    parser.add(group, ["--wide"], action="store_true", help="print all columns, as wide as they are")
    parser.add(group, ["--digits"], metavar="N", help="decimal places (default: 4; latex 3; tsv, csv, json all)")
    parser.add(group, ["--caption"], metavar="TEXT", help="latex: caption (default: explains marks and test)")
    parser.add(group, ["--label"], metavar="NAME", help="latex: label, such as tab:runs")
    parser.add(
        group, ["--spreadsheet"], action="store_true", help="csv, tsv: disarm names that a spreadsheet would execute"
    )
    if partition:
        parser.add(
            group, ["--partition"], metavar="COLUMN", help="write a Parquet dataset, -o DIR, by run, topic or measure"
        )


def check_output(args: argparse.Namespace, tables: dict[str, str]) -> None:
    """Refuse impossible output options before any work is done."""
    from assay.cli._parameters import read_whole

    show = getattr(args, "show", None)
    if show is not None and show not in tables:
        raise InputError(f"--show {show}: choose one of {', '.join(tables)}{suggestion(show, tables)}")
    args.digits = None if args.digits is None else read_whole("--digits", [args.digits])
    if args.digits is not None and not 0 <= args.digits <= 17:
        raise InputError(f"--digits must be from 0 to 17, got {args.digits}")
    if args.format is not None and args.format not in FORMATS:
        hint = suggestion(args.format, FORMATS)
        raise InputError(f"--format {args.format}: choose one of {', '.join(FORMATS)}{hint}")
    if args.output == "-":
        args.output = None
    if getattr(args, "partition", None) is not None:
        _check_partition(args)
    elif args.output is not None:
        check_target(args.output, "name a file to write")
        ending = Path(args.output).suffix.lower()
        if args.format is None and ending not in (*ENDINGS, *_TEXT_ENDINGS):
            raise InputError(f"{args.output}: the ending {ending} tells no format; add --format")


def check_target(output: str, remedy: str) -> None:
    """Refuse a file that cannot be written."""
    target = Path(output)
    if not output or output == "-" or target.is_dir():
        raise InputError(f"-o {output!r}: {remedy}")
    if not target.parent.is_dir():
        raise InputError(f"{output}: cannot be written (there is no directory {target.parent})")


def _check_partition(args: argparse.Namespace) -> None:
    if args.partition not in _PARTITIONS:
        raise InputError(f"--partition {args.partition!r}: choose one of {', '.join(_PARTITIONS)}")
    if args.format not in (None, "parquet"):
        raise InputError(f"--partition writes Parquet and cannot be combined with --format {args.format}")
    if args.output is None:
        raise InputError("--partition writes a directory; add -o DIR")
    if Path(args.output).exists():
        raise InputError(f"{args.output}: already exists; choose a new directory")


def emit(report: Report, args: argparse.Namespace) -> None:
    """Print or write a report, and report notes on standard error."""
    show = getattr(args, "show", None)
    layout = TableLayout(
        digits=args.digits,
        width=None if args.output is not None else shutil.get_terminal_size().columns,
        wide=args.wide,
        bold=args.output is None and sys.stdout.isatty(),
        caption=args.caption,
        label=args.label or "",
        spreadsheet=args.spreadsheet,
    )
    if getattr(args, "partition", None) is not None:
        from assay.io.dataset import directory
        from assay.io.writing import write_files

        print_notes(report.notes)
        files = partition(report, show, args.partition, layout)
        write_files(
            args.output, ((f"{directory(args.partition, value)}/part-0.parquet", data) for value, data in files)
        )
        return
    form = args.format or ENDINGS.get(Path(args.output or "").suffix.lower(), "table")
    if form == "parquet" and args.output is None and sys.stdout.isatty():
        raise InputError("parquet is not for a terminal; add -o FILE")
    if args.output is not None:
        refuse_overwriting(args.output, report.provenance)
    data = render(report, form, show, layout)
    print_notes(report.notes)
    write_output(data, args.output)


def write_output(data: bytes, output: str | None) -> None:
    """Write to a file, whole or not at all, or to standard output: as text where it takes no bytes (a notebook)."""
    from assay.io.writing import write_file

    if output is not None:
        write_file(output, data)
        return
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("standard output takes only text here; add -o FILE") from None
    sys.stdout.write(text)


def refuse_overwriting(output: str, provenance: Provenance) -> None:
    """Refuse to write over an input."""
    target = encodable(os.path.realpath(output))  # as provenance has names that are not UTF-8
    for one in provenance.inputs:
        if encodable(os.path.realpath(one.source)) == target:
            raise InputError(f"{output}: was read as an input and is not overwritten; name another file")


def print_notes(notes: Iterable[str], most: int = 20, where: str = " (all are in --format json)") -> None:
    """Print notes on standard error, grouped by kind; if that cannot be written, the result is not lost.

    Files below the current directory are named relative to it.
    """
    from assay.model.notes import group_notes

    here = f"{os.getcwd()}{os.sep}"
    grouped = [note.replace(here, "") for note in group_notes(notes)]
    lines = [f"assay: note: {printable(note)}" for note in grouped[:most]]
    if len(grouped) > most:
        lines.append(f"assay: note: and {len(grouped) - most} more notes{where}")
    with suppress(OSError):
        print("".join(f"{line}\n" for line in lines), end="", file=sys.stderr, flush=True)


@contextmanager
def show_progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar on standard error if it is a terminal."""
    with show_steps(what) as (reading, _):
        yield reading


@contextmanager
def show_steps(what: str) -> Iterator[tuple[Callable[[int, int], None] | None, Callable[[str, int, int], None] | None]]:
    """Show the progress of reading, and then of steps by their names; nothing without a terminal."""
    if not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task: Any = bar.add_task(what, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda name, done, total: bar.update(task, description=name, completed=done, total=total),
        )
