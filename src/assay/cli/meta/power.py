"""Measure discriminative power: the share of run pairs a measure separates, and the difference that takes.

Every two runs are compared over the topics. dp is the share of pairs whose achieved significance level (ASL) is below
alpha; delta estimates the difference of means that it takes. The bootstrap looks at each pair by itself (Sakai 2006);
tukey-randomized looks at all runs at once, so that fewer pairs differ the more runs there are.
--curve has the ASL of all pairs, largest first: the data of a figure.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

DEFAULT = ("AP", "nDCG", "nDCG@10", "RBP(p=0.8)", "ERR@20", "P@10", "RR", "bpref", "Twist")
TASK = "measures"
EXAMPLES = """\
  assay power qrels.txt runs/
  assay power qrels.txt runs/ -m AP nDCG@10 --test bootstrap --resamples 1000 --alpha 0.05
  assay power qrels.txt runs/ -m AP P@10 --test tukey-randomized --best 75%
  assay power qrels.txt runs/ --curve --format csv -o asl.csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument("--test", default="bootstrap", metavar="TEST", help="bootstrap (default) or tukey-randomized")
    parser.add_argument(
        "--resamples", type=int, default=1000, metavar="N", help="number of resamples of the topics (default: 1000)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="P", help="pairs with an ASL below it differ (default: 0.05)"
    )
    parser.add_argument(
        "--best", default=None, metavar="SHARE", help="only the best runs by MAP, such as 75%% (default: all)"
    )
    parser.add_argument("--curve", action="store_true", help="the ASL of every pair, largest first")
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compare all pairs and print."""
    from assay.meta.power import discriminative_power
    from assay.meta.selection import parse_share
    from assay.views.power import power

    best = None if args.best is None else parse_share(args.best)
    with _options.progress("reading runs, comparing them") as progress:
        report = discriminative_power(
            _options.read_campaign(args, progress),
            args.measures or DEFAULT,
            test=args.test,
            resamples=args.resamples,
            alpha=args.alpha,
            best=best,
            seed=args.seed,
            progress=progress,
        )
    _options.emit(power(report, args.curve), args)
