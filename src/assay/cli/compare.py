"""Compare runs with each other or with baselines: differences, intervals and significance.

Runs are paired by topic. Each row is a pair: their means, the difference mean_a - mean_b with its interval, the effect
(Hedges' g), the statistic of the test, p of this pair alone, p corrected over all comparisons made (all pairs, or all
runs against the baselines), and on how many topics run_a wins, ties and loses. The lines below name the runs that do
not differ significantly from the leader. Not significant is not the same: --margin asks whether a difference is too
small to matter.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from assay.cli import _options
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.significance._compare import Comparison

DEFAULT = ("AP", "nDCG@10")
TASK = "which run is better"
EXAMPLES = """\
  assay compare qrels.txt bm25.run dense.run -m AP nDCG@10
  assay compare qrels.txt runs/ -m AP --baseline bm25 --baseline bm25+rm3 --test randomization
  assay compare qrels.txt runs/ -m AP --test tukey --show matrix
  assay compare qrels.txt bm25.run small.run --baseline bm25 -m nDCG@10 --margin 5% --power 0.8
  assay compare qrels.txt runs/ -m AP --systems seeds.txt --show variance
  assay compare qrels.txt runs/ -m AP RR --family all --correction bh --format csv -o pairs.csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    group = comparison(parser)
    group.add_argument(
        "--margin",
        default=None,
        metavar="SIZE",
        help="test equivalence: a difference that does not matter, such as 0.02, or 5%% of the mean of the baseline",
    )
    group.add_argument(
        "--power",
        type=float,
        default=None,
        metavar="P",
        help="estimate how many topics would show the observed difference with this probability, such as 0.8",
    )
    group.add_argument(
        "--detect",
        type=float,
        default=None,
        metavar="SIZE",
        help="with --power: how many topics would show a difference of this size, such as 0.02, given the variance",
    )
    parser.add_argument(
        "--show",
        default="pairs",
        metavar="WHAT",
        help="pairs (default), matrix (runs x runs of one measure) or variance (what topics, systems and the runs of a "
        "system contribute)",
    )
    parser.add_argument("--matrix", dest="show", action="store_const", const="matrix", help="the same as --show matrix")
    _options.policies(parser)
    _options.output(parser)


def comparison(parser: argparse.ArgumentParser) -> Any:
    """The options of tests, shared with leaderboards."""
    group = parser.add_argument_group("comparison")
    _options.significance(group)
    group.add_argument(
        "--family",
        default="measure",
        metavar="WHICH",
        help="what is adjusted together: the comparisons of one measure (default), or all",
    )
    group.add_argument(
        "--baseline",
        dest="baselines",
        action="append",
        default=[],
        metavar="RUN",
        help="compare every run with this one; may be repeated (default: compare all pairs)",
    )
    group.add_argument(
        "--alpha", type=float, default=0.05, metavar="P", help="what p must be below to be significant (default: 0.05)"
    )
    group.add_argument(
        "--systems",
        default=None,
        metavar="FILE",
        help="several runs per system, such as seeds: lines of run and system; the mean of its runs is compared",
    )
    group.add_argument(
        "--resamples",
        type=int,
        default=None,
        metavar="N",
        help="number of resamples for randomization and bootstrap tests",
    )
    return group


def compare_runs(args: argparse.Namespace, default: tuple[str, ...], **more: Any) -> Comparison:
    """Read the runs and compare them; invalid options are refused before anything is read."""
    from assay.io import labels
    from assay.significance._compare import checked, compare

    names = ("test", "correction", "family", "alpha", "resamples", "seed")
    how = {name: getattr(args, name) for name in names}
    checked(**how, power=more.get("power"), detect=more.get("detect"))
    systems = None if args.systems is None else labels.read(args.systems, "system")
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress)
    measures = args.measures or default
    with _options.progress("comparing runs") as progress:
        return compare(campaign, measures, baselines=args.baselines, systems=systems, progress=progress, **how, **more)


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    from assay.views.compare import SHOWN, matrix, pairs, variance

    _options.one_of("--show", args.show, SHOWN)
    if args.show == "matrix" and len(args.measures or DEFAULT) != 1:
        raise InputError("--show matrix is of one measure: name one with -m")
    if args.detect is not None and args.power is None:
        raise InputError("--detect goes with --power, such as --power 0.8")
    result = compare_runs(args, DEFAULT, margin=args.margin, power=args.power, detect=args.detect)
    if args.show == "matrix":
        table = matrix(result, result.results.measures[0])
    else:
        table = variance(result) if args.show == "variance" else pairs(result)
    _options.emit(table, args)
