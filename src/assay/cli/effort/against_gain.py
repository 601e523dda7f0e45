"""Compare effort with gain: in which cells of a grid of Twist and a gain measure runs and topics lie.

For each gain measure the shares of the four classes: diagonal, high-high (much gain for much effort), gray and other.
upper_right is the share with high or huge gain at medium or low effort, where a good system lies; top_row_right is the
share of medium or low effort among the quarter with the most gain.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

DEFAULT = ("AP", "bpref", "RBP(p=0.8)", "nDCG(base=10, gains=base5)")
TASK = "effort"
EXAMPLES = """\
  assay effort-gain qrels.txt runs/ -m AP -m bpref -m 'RBP(p=0.8)'
  assay effort-gain qrels.txt runs/ -m nDCG@10 --per-run
  assay effort-gain qrels.txt runs/ -m AP --cells
  assay effort-gain qrels.txt runs/ -m AP --points --format tsv -o points.tsv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    _options.curves(parser)
    _options.policies(parser, sampling=False)
    _options.output(parser)
    parser.add_argument("--per-run", action="store_true", help="show every run, then all")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--cells", action="store_true", help="show all 16 cells of the grid")
    shown.add_argument("--points", action="store_true", help="show every run and topic with its cell")


def run(args: argparse.Namespace) -> None:
    """Classify runs and topics, and print the shares."""
    from assay.effort.against_gain import effort_gain
    from assay.measures.twist import Twist
    from assay.views.effort import against_gain

    _options.checked_curves(args)
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress)
    twist = Twist(cutoff=args.depth, length=args.length, rel=args.rel)
    grid = effort_gain(campaign, args.measures or DEFAULT, twist=twist)
    shape = "cells" if args.cells else "points" if args.points else "classes"
    _options.emit(against_gain(grid, shape, args.per_run), args)
