"""Count the pairs of runs that differ significantly under each measure, by several tests and at several levels.

Every two runs are compared over the topics, by a paired two-sided t test and by Wilcoxon's signed-rank test unless
other tests are named. Under a measure that separates systems well more pairs differ (Moffat & Zobel 2008, Table IV).
Each p is of a single comparison; to find out which runs differ use assay compare, which corrects for there being many.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options

DEFAULT = ("RR", "P@10", "Rprec", "AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG")
TESTS = "t,wilcoxon"
LEVELS = "0.05,0.01"
TASK = "measures"
EXAMPLES = """\
  assay significance-counts qrels.txt runs/
  assay significance-counts qrels.txt runs/ -m AP nDCG@10 --tests t,wilcoxon,sign --levels 0.05,0.01,0.001
  assay significance-counts qrels.txt runs/ -m AP --each --format csv -o p.csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument("--tests", default=TESTS, metavar="TEST", help=f"which tests (default: {TESTS})")
    parser.add_argument(
        "--levels", action="append", metavar="P", help=f"p below these is significant (default: {LEVELS})"
    )
    parser.add_argument(
        "--resamples", type=int, default=None, metavar="N", help="of tests that resample (default: their own)"
    )
    parser.add_argument(
        "--best", default=None, metavar="SHARE", help="only the best runs by MAP, such as 75%% (default: all)"
    )
    parser.add_argument("--each", action="store_true", help="the p of every pair")
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compare all pairs, count and print."""
    from assay.meta.selection import parse_share
    from assay.meta.significance_counts import significance_counts
    from assay.views.significance_counts import significance_counts as table

    levels = _numbers.decimals("--levels", args.levels or [LEVELS], "0.05 or 0.05,0.01")
    best = None if args.best is None else parse_share(args.best)
    with _options.progress("reading runs, comparing them") as progress:
        report = significance_counts(
            _options.read_campaign(args, progress),
            args.measures or DEFAULT,
            tests=[test.strip() for test in args.tests.split(",")],
            levels=levels,
            resamples=args.resamples,
            best=best,
            seed=args.seed,
            progress=progress,
        )
    _options.emit(table(report, args.each), args)
