"""Measure how robust measures are to missing judgments: how well fewer judgments preserve the order of runs.

For each ratio a share of the judgments is drawn at random within each topic and grade, at least one of each relevant
grade and ten that are not relevant; the others count as unjudged. tau (Kendall's tau-b) and tau_ap, to which the best
runs matter more, compare the order of the runs by the sample with that by all judgments. Samples of one seed are
nested; the table has mean, standard deviation, least and largest over the seeds.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options

DEFAULT = ("AP", "P@10", "bpref", "nDCG", "RBP(p=0.8)", "Twist")
RATIOS = "90,70,50,30,10"
SEEDS = 10
TASK = "measures"
EXAMPLES = """\
  assay robustness qrels.txt runs/
  assay robustness qrels.txt runs/ -m AP bpref 'RBP(p=0.95)' --ratios 90,70,50,30,10 --seeds 10
  assay robustness qrels.txt runs/ -m AP nDCG@10 --best 75% --format csv -o tau.csv
  assay robustness qrels.txt runs/ --show seeds --format parquet -o seeds.parquet
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument(
        "--ratios",
        action="append",
        metavar="P",
        help=f"which percentages of the judgments are kept (default: {RATIOS})",
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=SEEDS,
        metavar="N",
        help=f"how many samples are drawn for each ratio, from the seeds --seed, --seed + 1, … (default: {SEEDS})",
    )
    parser.add_argument(
        "--best", default=None, metavar="SHARE", help="only the best runs by MAP, such as 75%% (default: all)"
    )
    parser.add_argument(
        "--show",
        default="summary",
        metavar="WHAT",
        help="summary (default), seeds: every sample, or pools: how many judgments they have",
    )
    _options.policies(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Sample, correlate and print."""
    from assay.meta.robustness import robustness
    from assay.meta.selection import parse_share
    from assay.views.robustness import SHOWN
    from assay.views.robustness import robustness as table

    _options.one_of("--show", args.show, SHOWN)
    ratios = _numbers.percents("--ratios", args.ratios or [RATIOS])
    best = None if args.best is None else parse_share(args.best)
    with _options.progress("reading runs, sampling judgments") as progress:
        report = robustness(
            _options.read_campaign(args, progress, keep="judgments"),
            args.measures or DEFAULT,
            ratios=ratios,
            seeds=args.seeds,
            best=best,
            seed=args.seed,
            progress=progress,
        )
    _options.emit(table(report, args.show), args)
