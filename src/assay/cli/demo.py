"""Simulate a campaign and show its leaderboard; DIR keeps the files."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from time import perf_counter

from assay.cli._command import Command
from assay.cli._output import show_progress, show_steps, write_output
from assay.cli._parameters import Option, read_whole
from assay.cli._parse import Parser
from assay.errors import DependencyError, InputError

REPORT = "report.html"
MEASURES = ("AP", "nDCG@10", "P@10")


def _add_output(parser: Parser) -> None:
    parser.add_input("directory", "DIR", "?", "keep the simulated files, and a report on them, in this directory")


COMMAND = Command(
    "assay.simulate",
    """\
  assay demo
  assay demo mycampaign      (keeps the files, so that you can go on with them)
""",
    inputs=(),
    options={
        "systems": Option("N", "number of systems", read_whole),
        "topics": Option("N", "number of topics", read_whole),
    },
    python_only=("depth", "grades", "pool"),
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Simulate, evaluate, print."""
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
    print(f"A simulated campaign: {len(results.runs)} systems, {len(results.topics)} topics,")
    print(f"{documents:,} documents retrieved, {len(collection.qrels):,} judged from a pool.")
    print(f"Evaluated with {len(MEASURES)} measures in {seconds:.2f} s.\n")
    layout = TableLayout(width=shutil.get_terminal_size().columns, bold=sys.stdout.isatty())
    write_output(render(leaderboard(results, top=15), layout=layout), None)
    print()
    if args.directory is None:
        print("Go on with:\n  assay demo mycampaign\n  assay measures\n  assay eval --help")
        return
    files = f"{args.directory}/qrels.txt {args.directory}/runs"
    print(f"The files are in {args.directory}/. {_report(args.directory)}\nGo on with:")
    print(f"  assay explore {files} --open")
    print(f"  assay compare {files} -m AP nDCG@10")
    print("  assay measures\n  assay eval --help")


def _refuse_others(directory: str) -> None:
    """Refuse a directory that holds anything but an earlier demonstration, before any work is done."""
    from assay.simulation.directory import NAMES, refuse_taken

    refuse_taken(directory, force=True)
    target = Path(directory)
    own = (*NAMES, REPORT) if (target / NAMES[0]).exists() else ()
    others = sorted(path.name for path in target.iterdir() if path.name not in own) if target.is_dir() else []
    if others:
        raise InputError(f"{directory}: holds other files, such as {others[0]}; choose a new directory")


def _report(directory: str) -> str:
    """Write a report beside the files, and say so; without the packages that draw, say which are missing."""
    import assay

    try:
        with show_steps("reading runs") as (progress, watch):
            campaign = assay.read(f"{directory}/qrels.txt", f"{directory}/runs", keep="judgments", progress=progress)
            page = assay.report(campaign, watch=watch)
    except DependencyError as error:
        return f"There is no report: {error}."
    page.write(f"{directory}/{REPORT}")
    return f"A report to share is {directory}/{REPORT} ({len(page.html) / 1e6:.1f} MB)."
