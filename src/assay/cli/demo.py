"""Simulate a campaign, evaluate it and show a leaderboard; with a directory, keep the files and write a report."""

from __future__ import annotations

import argparse

from assay.cli import _options

TASK = "to begin"
EXAMPLES = """\
  assay demo
  assay demo mycampaign      (keeps the files, so that you can go on with them)
"""
REPORT = "report.html"
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "bpref", "RBP(p=0.8)", "Judged@10")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument(
        "directory", metavar="DIR", nargs="?", help="keep the simulated files, and a report on them, in this directory"
    )
    parser.add_argument("--systems", type=int, default=40, metavar="N", help="number of systems (default: 40)")
    parser.add_argument("--topics", type=int, default=50, metavar="N", help="number of topics (default: 50)")
    _options.seed(parser, default=1)


def run(args: argparse.Namespace) -> None:
    """Simulate, evaluate, print."""
    import sys
    from time import perf_counter

    from assay.results._evaluate import evaluate
    from assay.simulation import simulate
    from assay.views.leaderboard import leaderboard

    if args.directory is not None:
        _refuse_others(args.directory)
    with _options.progress("simulating") as progress:
        collection = simulate(systems=args.systems, topics=args.topics, seed=args.seed, progress=progress)
    if args.directory is not None:
        collection.write(args.directory, force=True)
    start = perf_counter()
    results = evaluate(collection.qrels, collection.runs, MEASURES)
    seconds = perf_counter() - start
    documents = sum(map(len, collection.runs))
    print(f"A simulated campaign: {len(results.runs)} systems, {len(results.topics)} topics,")
    print(f"{documents:,} documents retrieved, {len(collection.qrels):,} judged from a pool.")
    print(f"Evaluated with {len(MEASURES)} measures in {seconds:.2f} s.\n")
    print(leaderboard(results, colour=sys.stdout.isatty()))
    if args.directory is None:
        print("Go on with:\n  assay demo mycampaign\n  assay measures\n  assay eval --help")
        return
    files = f"{args.directory}/qrels.txt {args.directory}/runs"
    print(f"The files are in {args.directory}/. {_report(args.directory)}\nGo on with:")
    print(f"  assay explore {files} --open")
    print(f"  assay eval {files} -m AP nDCG@10 --per-topic --format tsv")
    print("  assay measures\n  assay eval --help")


def _refuse_others(directory: str) -> None:
    """Refuse a directory that holds anything but an earlier demonstration, before any work is done."""
    from pathlib import Path

    from assay.errors import InputError
    from assay.simulation.directory import NAMES, refuse_taken

    refuse_taken(directory, force=True)
    target = Path(directory)
    own = (*NAMES, REPORT) if (target / NAMES[0]).exists() else ()
    others = sorted(path.name for path in target.iterdir() if path.name not in own) if target.is_dir() else []
    if others:
        raise InputError(f"{directory}: holds other files, such as {others[0]}; name a new directory")


def _report(directory: str) -> str:
    """Write a report beside the files, and say so; without the packages that draw, say what it takes."""
    from assay.engine.campaign import read
    from assay.errors import DependencyError
    from assay.io.writing import write_file
    from assay.views.report.build import report

    try:
        with _options.steps("reading runs") as (progress, watch):
            campaign = read(f"{directory}/qrels.txt", f"{directory}/runs", keep="judgments", progress=progress)
            page = report(campaign, watch=watch).page
    except DependencyError as error:
        return f"There is no report: {error}."
    write_file(f"{directory}/{REPORT}", page)
    return f"A report to share is {directory}/{REPORT} ({len(page) / 1e6:.1f} MB)."
