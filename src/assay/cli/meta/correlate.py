"""Measure how far measures agree on systems: rank correlation of the orders of runs that they give.

Kendall's tau-b counts pairs of runs on which two measures agree; tau_ap (tau-AP) weighs the best runs more; p is how
likely a tau as far from 0 would be by chance. Above 0.9 measures are commonly called equivalent; below 0.8 they order
systems noticeably differently. With --depth, --rows-qrels or --rows-unjudged the orders of the rows come from fewer or
other judgments than those of the columns, which use all.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options
from assay.errors import InputError

DEFAULT = ("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "RBP(p=0.8)", "ERR")
TASK = "measures"
EXAMPLES = """\
  assay correlate qrels.txt runs/
  assay correlate qrels.txt runs/ -m AP P@10 Rprec RR 'RBP(p=0.5)' 'RBP(p=0.95)' --matrix
  assay correlate qrels.txt runs/ -m AP bpref nDCG 'RBP(p=0.8)' Twist --best 75% --format csv -o tau.csv
  assay correlate qrels.txt runs/ -m RR P@10 Rprec AP --rows 'RBP(p=0.8)' --rows nDCG --depth 10,100 --matrix
  assay correlate qrels.txt runs/ -m AP --rows-qrels other-assessor.qrels
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument(
        "--best", default=None, metavar="SHARE", help="only the best runs by MAP, such as 75%% (default: all)"
    )
    parser.add_argument("--show", default=None, metavar="WHAT", help="pairs (default), or a matrix: tau, tau_ap or p")
    parser.add_argument("--matrix", action="store_true", help="the same as --show tau")
    parser.add_argument(
        "--round",
        dest="decimals",
        type=int,
        default=None,
        metavar="N",
        help="round means to N decimals first, as published tables do: runs shown as equal are tied",
    )
    group = parser.add_argument_group("rows")
    group.add_argument(
        "--rows", action="append", metavar="MEASURE", help="a measure of the rows (default: those of -m); repeat it"
    )
    group.add_argument(
        "--depth",
        action="append",
        metavar="N",
        help="pools rebuilt from the runs to these depths, such as 10 or 10,100 (default: all judgments)",
    )
    group.add_argument("--rows-qrels", default=None, metavar="QRELS", help="other judgments for the rows")
    group.add_argument(
        "--rows-unjudged",
        default=None,
        metavar="HOW",
        help="how the rows treat unjudged documents, if otherwise",
    )
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Correlate and print."""
    from assay.meta.correlation import correlate
    from assay.meta.selection import parse_share
    from assay.views.correlation import SHOWN, correlation

    shown = args.show or ("tau" if args.matrix else "pairs")
    _options.one_of("--show", shown, SHOWN)
    if args.decimals is not None and not 0 <= args.decimals <= 17:
        raise InputError(f"--round must be from 0 to 17, got {args.decimals}")
    depths = None if args.depth is None else _numbers.whole("--depth", args.depth)
    best = None if args.best is None else parse_share(args.best)
    keep = "documents" if args.rows_qrels is not None else "grades" if depths is None else "judgments"
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress, keep=keep)
    report = correlate(
        campaign,
        args.measures or DEFAULT,
        rows=args.rows,
        depths=depths,
        row_qrels=args.rows_qrels,
        row_unjudged=args.rows_unjudged,
        best=best,
        decimals=args.decimals,
    )
    if report.symmetric and len(report.rows) < 2:
        raise InputError(f"measures: name at least two to correlate, found only {report.rows[0].measure}")
    _options.emit(correlation(report, shown), args)
