"""Output of commands: reports go to the terminal or a file; notes and progress go to standard error."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, check_choice, escape_control_characters, escape_surrogates
from assay.results.formats import ENDINGS, FORMATS, TableLayout, render, render_partitions

if TYPE_CHECKING:
    from assay.cli._parse import Parser
    from assay.model.provenance import Provenance
    from assay.results.report import Report

_PARTITIONS = ("run", "topic", "measure")
_TEXT_ENDINGS = (".txt", "")


def add_output(
    parser: Parser, tables: dict[str, str], slice_tables: dict[str, str] | None = None, *, partition: bool = False
) -> None:
    """Add the output options: --show, --format, -o, --digits and others; *slice_tables* need the option --by."""
    group = parser.group("output")
    if len(tables) > 1:
        about = _describe_tables(tables)
        with_by = f". With --by: {_describe_tables(slice_tables)}" if slice_tables and slice_tables != tables else ""
        parser.add(group, ["--show"], metavar="TABLE", help=about + with_by)
        for name, flag in (("topics", "--per-topic"), ("matrix", "--matrix"), ("tau", "--matrix")):
            if name in tables and flag not in parser.flags:
                parser.add(group, [flag], dest="show", action="store_const", const=name, help=f"same as --show {name}")
    formats = f"{', '.join(FORMATS)} (default: from the file name of -o, otherwise table)"
    parser.add(group, ["--format"], metavar="FORMAT", help=formats)
    parser.add(group, ["-o", "--output"], metavar="FILE", help="write to a file instead of standard output")
    parser.add(
        group, ["--wide"], action="store_true", help="print all columns, even if the table is wider than the terminal"
    )
    parser.add(
        group,
        ["--digits"],
        metavar="N",
        help="number of decimal places (default: table 4, latex 3; tsv, csv and json: all)",
    )
    parser.add(group, ["--caption"], metavar="TEXT", help="latex: caption (default: a description of marks and test)")
    parser.add(group, ["--label"], metavar="NAME", help="latex: label, such as tab:runs")
    parser.add(
        group,
        ["--spreadsheet"],
        action="store_true",
        help="csv, tsv: escape texts that a spreadsheet would execute as formulas",
    )
    if partition:
        parser.add(
            group,
            ["--partition"],
            metavar="COLUMN",
            help="write a Parquet dataset to the directory of -o, partitioned by run, topic or measure",
        )


def _describe_tables(tables: dict[str, str]) -> str:
    """List the tables for the help; the first is the default."""
    first, *_ = tables
    about = "; ".join(f"{name}: {title}" for name, title in tables.items()).replace("%", "%%")
    return f"{about} (default: {first})"


def check_output(args: argparse.Namespace, tables: dict[str, str]) -> None:
    """Check the output options before anything is read or computed."""
    from assay.cli._parameters import read_integer

    show = getattr(args, "show", None)
    if show is not None:
        check_choice(f"--show {show}", show, tables)
    args.digits = None if args.digits is None else read_integer("--digits", [args.digits])
    if args.digits is not None and not 0 <= args.digits <= 17:
        raise InputError(f"--digits must be from 0 to 17, got {args.digits}")
    if args.format is not None:
        check_choice(f"--format {args.format}", args.format, FORMATS)
    if args.output == "-":
        args.output = None
    if getattr(args, "partition", None) is not None:
        _check_partition(args)
    elif args.output is not None:
        check_target(args.output, "name a file to write")
        ending = Path(args.output).suffix.lower()
        if args.format is None and ending not in (*ENDINGS, *_TEXT_ENDINGS):
            raise InputError(f"-o {args.output}: unknown file type {ending}; add --format")


def check_target(output: str, remedy: str, option: str = "-o") -> None:
    """Check that a file can be written."""
    target = Path(output)
    if not output or output == "-" or target.is_dir():
        raise InputError(f"{option} {output!r}: {remedy}")
    if not target.parent.is_dir():
        raise InputError(f"{option} {output}: directory {target.parent} does not exist")


def _check_partition(args: argparse.Namespace) -> None:
    """Check --partition and the options that it needs."""
    if args.partition not in _PARTITIONS:
        raise InputError(f"--partition {args.partition!r}: choose one of {', '.join(_PARTITIONS)}")
    if args.format not in (None, "parquet"):
        raise InputError(f"--partition writes Parquet and cannot be combined with --format {args.format}")
    if args.output is None:
        raise InputError("--partition writes a directory; add -o DIR")
    if Path(args.output).exists():
        raise InputError(f"{args.output}: already exists; choose a new directory")


def emit(report: Report, args: argparse.Namespace) -> None:
    """Print or write a report, and print its notes on standard error."""
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
        from assay.io.parquet_dataset import directory_name
        from assay.io.writing import write_files

        print_notes(report.notes, options=vars(args))
        files = render_partitions(report, show, args.partition, layout)
        write_files(
            args.output, ((f"{directory_name(args.partition, value)}/part-0.parquet", data) for value, data in files)
        )
        return
    form = args.format or ENDINGS.get(Path(args.output or "").suffix.lower(), "table")
    if form == "parquet" and args.output is None and sys.stdout.isatty():
        raise InputError("--format parquet cannot be shown in a terminal; add -o FILE")
    if args.output is not None:
        refuse_overwriting(args.output, report.provenance)
    data = render(report, form, show, layout)
    print_notes(report.notes, options=vars(args))
    write_output(data, args.output)


def write_output(data: bytes, output: str | None) -> None:
    """Write data to a file, atomically, or to standard output.

    If standard output accepts only text, as in a notebook, the data are decoded first.
    """
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
        raise InputError("standard output accepts only text here; add -o FILE") from None
    sys.stdout.write(text)


def refuse_overwriting(output: str, provenance: Provenance, option: str = "-o") -> None:
    """Raise an error if the output would overwrite an input."""
    target = escape_surrogates(os.path.realpath(output))  # Provenance escapes names that are not UTF-8.
    for entry in provenance.inputs:
        if escape_surrogates(os.path.realpath(entry.source)) == target:
            raise InputError(f"{option} {output}: would overwrite an input; choose another file")


def print_notes(
    notes: Iterable[str],
    limit: int = 20,
    where: str = " (--format json shows all)",
    options: Mapping[str, Any] | None = None,
) -> None:
    """Print notes on standard error, grouped by kind, at most *limit* lines.

    Paths below the current directory are written relative to it. Arguments that are *options* of the command are
    written as options. Write errors are ignored, so that the result of the command is not lost.
    """
    from assay.cli._option_names import write_options
    from assay.model.notes import group_notes

    here = f"{os.getcwd()}{os.sep}"
    grouped = [write_options(note.replace(here, ""), options or {}) for note in group_notes(notes)]
    lines = [f"assay: note: {escape_control_characters(note)}" for note in grouped[:limit]]
    if len(grouped) > limit:
        lines.append(f"assay: note: and {len(grouped) - limit} more notes{where}")
    with suppress(OSError):
        print("".join(f"{line}\n" for line in lines), end="", file=sys.stderr, flush=True)


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar on standard error if it is a terminal; yield the function that updates it, or None."""
    with show_steps(title) as (progress, _):
        yield progress


@contextmanager
def show_steps(
    title: str,
) -> Iterator[tuple[Callable[[int, int], None] | None, Callable[[str, int, int], None] | None]]:
    """Show a progress bar for reading and then for the named steps of an analysis.

    Yield two functions that update the bar. The first takes the finished and the total amount; the second also takes
    the name of the step. Both are None if standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task: Any = bar.add_task(title, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda name, done, total: bar.update(task, description=name, completed=done, total=total),
        )
