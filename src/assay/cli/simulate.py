"""Draw a test collection: graded judgments of a pool, and runs of systems of known quality.

The files look like what a TREC campaign leaves behind: systems in families, ties in some runs, a few topics missing,
documents outside the pool unjudged. README.md tells what was drawn; the same options give the same files.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

TASK = "to begin"
EXAMPLES = """\
  assay simulate demo
  assay simulate small --systems 5 --topics 10 --depth 100 --pool 20
  assay simulate binary --grades 2 --seed 7
  assay simulate demo --systems 80 --force
"""
SIZES = {
    "systems": (40, "runs, one for each system"),
    "topics": (50, "topics that each run answers"),
    "depth": (1000, "documents that a run retrieves for a topic"),
    "grades": (4, "degrees of relevance; 4 are 0, 1, 2 and 3"),
    "pool": (100, "documents at the top of each contributing run that are judged"),
    "seed": (1, "seed of everything random"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("directory", metavar="DIR", help="where to write qrels.txt, runs/ and README.md")
    for name, (default, about) in SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{about} (default: {default})")
    parser.add_argument("--force", action="store_true", help="replace the collection that is in DIR")


def run(args: argparse.Namespace) -> None:
    """Simulate, write, and say what to do next."""
    import shlex
    from pathlib import Path

    from assay.simulation import simulate
    from assay.simulation.directory import refuse_taken

    refuse_taken(args.directory, args.force)
    with _options.progress("drawing topics") as progress:
        collection = simulate(**{name: getattr(args, name) for name in SIZES}, progress=progress)
    with _options.progress("writing runs") as progress:
        collection.write(args.directory, force=args.force, progress=progress)
    results, relevant = sum(map(len, collection.runs)), int((collection.qrels.frame()["grade"] > 0).sum())
    print(f"{args.directory}: {len(collection.runs)} runs of {args.topics} topics, {results} results")
    print(f"{len(collection.qrels)} judgments, {relevant} of them relevant; README.md tells what was drawn")
    where = Path(args.directory)
    print(f"next: assay eval {shlex.quote(str(where / 'qrels.txt'))} {shlex.quote(str(where / 'runs'))} -m AP nDCG@10")
