"""Measure the effect of deeper judging: evaluate runs with pools rebuilt to several depths, against all judgments.

A pool of depth d keeps the judgments of documents among the first d of some run. For each measure and pool: the mean
over the runs, tau and tau_ap of the order of the runs with that by all judgments, and on how many rankings the value
falls with the next deeper pool, which RBP and other measures without a recall base never do.

With --groups, also what becomes of the runs of each group when the judgments that only this group contributed to the
deepest pool are left out: whether the judgments can be reused for systems that did not contribute.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options
from assay.errors import InputError

DEFAULT = ("AP", "nDCG", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
DEPTHS = "10,20,50,100"
TASK = "measures"
EXAMPLES = """\
  assay pool-depth qrels.txt runs/
  assay pool-depth qrels.txt runs/ -m AP 'RBP(p=0.95)' --depths 10,100 --show runs --format csv -o scatter.csv
  assay pool-depth qrels.txt runs/ -m AP --show falls
  assay pool-depth qrels.txt runs/ -m AP P@10 --depths 100 --groups runs-groups.txt
  assay pool-depth qrels.txt runs/ -m AP --groups runs-groups.txt --show left-out
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument(
        "--depths", action="append", metavar="N", help=f"depths of pools: 10, 1..20 or 10,20,50 (default: {DEPTHS})"
    )
    parser.add_argument(
        "--contributor",
        dest="contributors",
        action="append",
        metavar="NAME",
        help="make pools from this run; repeat it for more (default: from all runs)",
    )
    parser.add_argument(
        "--groups", default=None, metavar="FILE", help="leave out one group after the other; lines: run group"
    )
    parser.add_argument(
        "--show",
        default=None,
        metavar="WHAT",
        help="summary (default), runs or falls; with --groups also reuse (default then), groups or left-out",
    )
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Rebuild pools, evaluate and print."""
    from assay.meta import pool_depth as analysis
    from assay.views.pool_depth import GROUPED, SHOWN, pool_depth

    known = (*SHOWN, *GROUPED)
    _options.one_of("--show", args.show, known)
    if args.show in GROUPED and args.groups is None:
        raise InputError(f"--show {args.show} needs --groups FILE, with lines of a run and its group")
    depths = _numbers.whole("--depths", args.depths or [DEPTHS])
    with _options.progress("evaluating") as progress:
        report = analysis.pool_depth(
            _options.read_campaign(args, progress, keep="judgments"),
            args.measures or DEFAULT,
            depths,
            contributors=args.contributors,
            groups=args.groups,
            progress=progress,
        )
    _options.emit(pool_depth(report, args.show), args)
