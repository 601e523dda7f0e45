"""Show a first example: the leaderboard of a simulated campaign."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from time import perf_counter

from assay.cli._command import Command
from assay.cli._output import show_progress, show_steps, write_output
from assay.cli._parameters import Option, read_integer
from assay.cli._parse import Parser
from assay.errors import DependencyError, InputError

REPORT = "report.html"
MEASURES = ("AP", "nDCG@10", "P@10")


def _add_output(parser: Parser) -> None:
    parser.add_input("directory", "DIR", "?", "keep the simulated files and an HTML report in this directory")


COMMAND = Command(
    "assay.simulate",
    """\
  assay demo
  assay demo mycampaign      (keeps the files for further commands)
""",
    inputs=(),
    options={
        "systems": Option("N", "number of systems", read_integer),
        "topics": Option("N", "number of topics", read_integer),
    },
    python_only=("depth", "grades", "pool"),
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Simulate and evaluate a campaign, and print its leaderboard."""
    from assay.results._evaluate import evaluate
    from assay.results.formats import TableLayout, render
    from assay.significance._leaderboard import leaderboard

    if args.directory is not None:
        _refuse_others(args.directory)
    with show_progress("simulating") as progress:
        collection = COMMAND.callable(**COMMAND.read_options(args, COMMAND.parameters), progress=progress)
    if args.directory is not None:
        collection.write(args.directory, force=True)
    start = perf_counter()
    results = evaluate(collection.qrels, collection.runs, MEASURES)
    seconds = perf_counter() - start
    documents = sum(map(len, collection.runs))
    print(f"A simulated campaign with {len(results.runs)} systems, {len(results.topics)} topics,")
    print(f"{documents:,} retrieved documents and {len(collection.qrels):,} judgments from a pool.")
    print(f"Evaluated with {len(MEASURES)} measures in {seconds:.2f} s.\n")
    layout = TableLayout(width=shutil.get_terminal_size().columns, bold=sys.stdout.isatty())
    write_output(render(leaderboard(results, top=15), layout=layout), None)
    print()
    if args.directory is None:
        print("Try next:\n  assay demo mycampaign\n  assay measures\n  assay eval --help")
        return
    files = f"{args.directory}/qrels.txt {args.directory}/runs"
    print(f"The files are in {args.directory}/. {_write_report(args.directory)}\nTry next:")
    print(f"  assay explore {files} --open")
    print(f"  assay compare {files} -m AP nDCG@10")
    print("  assay measures\n  assay eval --help")


def _refuse_others(directory: str) -> None:
    """Raise an error if a directory contains files that are not from an earlier demo."""
    from assay.simulation.directory import NAMES, check_directory

    check_directory(directory, force=True)
    target = Path(directory)
    expected = (*NAMES, REPORT) if (target / NAMES[0]).exists() else ()
    others = sorted(path.name for path in target.iterdir() if path.name not in expected) if target.is_dir() else []
    if others:
        raise InputError(f"{directory}: contains other files, such as {others[0]}; choose a new directory")


def _write_report(directory: str) -> str:
    """Write a report next to the files; return a sentence on the report, or on the missing packages."""
    import assay

    try:
        with show_steps("reading runs") as (progress, watch):
            campaign = assay.read(f"{directory}/qrels.txt", f"{directory}/runs", keep="judgments", progress=progress)
            page = assay.report(campaign, watch=watch)
    except DependencyError as error:
        return f"No report was written: {error}."
    page.write(f"{directory}/{REPORT}")
    return f"The report is {directory}/{REPORT} ({len(page.html) / 1e6:.1f} MB)."
