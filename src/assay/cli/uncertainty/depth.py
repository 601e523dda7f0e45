"""Compute how deep to judge for RBP: the depth, the accuracy or the persistence from the other two.

Documents after rank d can add at most p^d to RBP. Judging d documents of each ranking is enough once p^d is below the
required accuracy. Give two of persistence, accuracy and depth to get the third; the column "documents" is the mean
number of documents that a user of that persistence looks at. Use assay residual for existing runs and judgments.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options
from assay.errors import InputError

PERSISTENCES = "0.5,0.8,0.95"
ACCURACY = "0.0001"
TASK = "missing judgments"
EXAMPLES = """\
  assay depth
  assay depth -p 0.8 --accuracy 1e-4
  assay depth -p 0.5,0.8,0.95 --accuracy 0.01,0.001,0.0001
  assay depth --depth 100 --accuracy 1e-4
  assay depth -p 0.8,0.9 --depth 10,20,100
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument(
        "-p",
        dest="persistences",
        action="append",
        metavar="P",
        help=f"persistences, such as 0.8 or 0.5,0.8 (default: {PERSISTENCES}, without --depth)",
    )
    parser.add_argument(
        "--accuracy",
        action="append",
        metavar="X",
        help=f"remaining uncertainty, such as 0.01 or 1e-4 (default: {ACCURACY}, unless -p and --depth are given)",
    )
    parser.add_argument(
        "--depth", action="append", metavar="N", help="documents judged of each ranking: 100, 1..20 or 10,20,100"
    )
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compute and print."""
    from assay.uncertainty.depth import depth_plans
    from assay.views.depth import depth

    if args.persistences and args.depth and args.accuracy:
        raise InputError("-p, --depth and --accuracy: give two of the three; the third follows")
    persistences = args.persistences or (None if args.depth else [PERSISTENCES])
    accuracy = args.accuracy or (None if args.persistences and args.depth else [ACCURACY])
    plans = depth_plans(
        None if persistences is None else _numbers.decimals("-p", persistences),
        None if accuracy is None else _numbers.decimals("--accuracy", accuracy, "0.01 or 0.01,1e-4"),
        None if args.depth is None else _numbers.whole("--depth", args.depth),
    )
    _options.emit(depth(plans), args)
