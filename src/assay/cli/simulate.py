"""Simulate a test collection: judgments and runs of known quality.

The files look like what a TREC campaign leaves behind: systems in families, ties in some runs, a few topics missing,
documents outside the pool unjudged. README.md describes what was drawn; the same options give the same files.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from assay.cli._command import Command
from assay.cli._output import show_progress
from assay.cli._parameters import Option, read_whole
from assay.cli._parse import Parser


def _add_output(parser: Parser) -> None:
    parser.add_input("directory", "DIR", None, "where to write qrels.txt, runs/ and README.md")
    parser.add(parser.group("output"), ["--force"], action="store_true", help="replace the collection in DIR")


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
        "systems": Option("N", "runs, one for each system", read_whole),
        "topics": Option("N", "topics that each run answers", read_whole),
        "depth": Option("N", "documents that a run retrieves for a topic", read_whole),
        "grades": Option("N", "degrees of relevance; 4 are 0, 1, 2 and 3", read_whole),
        "pool": Option("N", "documents at the top of each contributing run that are judged", read_whole),
    },
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Simulate, write, and say what to do next."""
    from assay.simulation.directory import refuse_taken

    refuse_taken(args.directory, args.force)
    given = COMMAND.read_options(args, COMMAND.parameters)
    with show_progress("drawing topics") as progress:
        collection = COMMAND.callable(**given, progress=progress)
    with show_progress("writing runs") as progress:
        collection.write(args.directory, force=args.force, progress=progress)
    qrels, results = collection.qrels, sum(map(len, collection.runs))
    relevant = int((qrels.frame()["grade"] > 0).sum())
    print(f"{args.directory}: {len(collection.runs)} runs of {len(qrels.topics)} topics, {results:,} documents")
    print(f"{len(qrels):,} judgments, {relevant:,} of them relevant; README.md describes what was drawn")
    where = Path(args.directory)
    print(f"next: assay eval {shlex.quote(str(where / 'qrels.txt'))} {shlex.quote(str(where / 'runs'))} -m AP nDCG@10")
