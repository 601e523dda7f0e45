"""Rank runs by their means, and show which of them do not differ significantly.

Runs that share a letter do not differ significantly; the caption names those that are tied with the leader. With
--baseline each run is compared with the baselines only: a sign behind a value marks runs that are significantly better
than a baseline, a sign with an arrow those that are significantly worse. --format latex makes a table for a paper
(packages booktabs), html a page.
"""

from __future__ import annotations

import argparse

from assay.cli import _options
from assay.cli.compare import compare_runs, comparison

DEFAULT = ("AP", "nDCG@10")
TASK = "values"
EXAMPLES = """\
  assay leaderboard qrels.txt runs/ -m AP nDCG@10
  assay leaderboard qrels.txt runs/ -m AP --test tukey --top 20 --intervals
  assay leaderboard qrels.txt runs/ -m AP nDCG@10 --baseline bm25 --baseline dense --format latex --digits 3
  assay leaderboard qrels.txt runs/ -m AP --systems seeds.txt --format html -o board.html
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, f"{' '.join(DEFAULT)}; the first one orders the runs")
    parser.add_argument("--top", type=int, default=None, metavar="N", help="show the first N runs; all are compared")
    parser.add_argument("--intervals", action="store_true", help="show the interval of each value over topics")
    parser.add_argument(
        "--symbols", default=None, metavar="SIGNS", help="a sign for each --baseline, such as '*+' (default: †‡§¶)"
    )
    comparison(parser)
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compare, rank and print."""
    from assay.errors import InputError
    from assay.views.leaderboards import leaderboard

    if args.top is not None and args.top < 1:
        raise InputError(f"--top must be at least 1, got {args.top}")
    if args.symbols is not None and not args.baselines:
        raise InputError("--symbols are signs of baselines; name one with --baseline")
    result = compare_runs(args, DEFAULT)
    _options.emit(leaderboard(result, top=args.top, intervals=args.intervals, symbols=args.symbols), args)
