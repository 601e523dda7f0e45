"""Simulate a test collection: judgments and runs.

The files resemble those of a TREC campaign: there are families of similar systems, ties in some runs, a few missing
topics, and unjudged documents outside the pool. README.md describes the systems. The same options give identical files.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from assay.cli._command import Command
from assay.cli._output import show_progress
from assay.cli._parameters import Option, read_integer
from assay.cli._parse import Parser


def _add_output(parser: Parser) -> None:
    parser.add_input("directory", "DIR", None, "directory for qrels.txt, runs/ and README.md")
    parser.add(parser.group("output"), ["--force"], action="store_true", help="replace an existing collection in DIR")


COMMAND = Command(
    "assay.simulate",
    """\
  assay simulate demo
  assay simulate small --systems 5 --topics 10 --depth 100 --pool 20
  assay simulate binary --grades 2 --seed 7
  assay simulate demo --systems 80 --force
""",
    inputs=(),
    options={
        "systems": Option("N", "number of systems, each with one run", read_integer),
        "topics": Option("N", "number of topics", read_integer),
        "depth": Option("N", "number of retrieved documents per topic and run", read_integer),
        "grades": Option("N", "number of grades; 4 means 0, 1, 2 and 3", read_integer),
        "pool": Option("N", "pool depth: the first N documents of each contributing run are judged", read_integer),
    },
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Simulate a collection, write it, and suggest the next command."""
    from assay.simulation.directory import check_directory

    check_directory(args.directory, args.force)
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    with show_progress("drawing topics") as progress:
        collection = COMMAND.callable(**arguments, progress=progress)
    with show_progress("writing runs") as progress:
        collection.write(args.directory, force=args.force, progress=progress)
    qrels, results = collection.qrels, sum(map(len, collection.runs))
    relevant = int((qrels.frame()["grade"] > 0).sum())
    print(
        f"{args.directory}: {len(collection.runs)} runs of {len(qrels.topics)} topics, {results:,} retrieved documents"
    )
    print(f"{len(qrels):,} judgments, including {relevant:,} relevant documents; README.md describes the systems")
    where = Path(args.directory)
    print(f"next: assay eval {shlex.quote(str(where / 'qrels.txt'))} {shlex.quote(str(where / 'runs'))} -m AP nDCG@10")
