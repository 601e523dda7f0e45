"""Compare the rankings of runs without judgments: rank-biased overlap, Kendall's tau and tau-AP.

rbo is extrapolated: the agreement at the end of the rankings goes on. min and max are what it would be if nothing or
everything that can be were shared beyond the ends; residual is between them. tau and tau_ap are over the documents
that both rankings have, tau_ap is the mean of both directions; overlap is the share of documents that both have.
"""

from __future__ import annotations

import argparse

from assay.cli import _options
from assay.errors import InputError

TASK = "which run is better"
EXAMPLES = """\
  assay rbo bm25.run dense.run
  assay rbo bm25.run dense.run -p 0.98 -k 100 --per-topic --format tsv -o rbo.tsv
  assay rbo bm25.run dense.run --tied a
  assay rbo runs/ --matrix --show tau_ap
  assay rbo original.run again-*.run --first
"""
_TOPICS = {"union": "qrels", "intersection": "intersection"}
"""The values of --topics and the policies that they stand for; there are no qrels to name the topics."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="two runs or more: files, directories or globs; - for standard input"
    )
    parser.add_argument(
        "-p", type=float, default=0.9, metavar="P", help="persistence, above 0 and below 1 (default: 0.9)"
    )
    parser.add_argument("-k", "--depth", type=int, default=None, metavar="K", help="compare the first K documents only")
    parser.add_argument(
        "--first", action="store_true", help="compare the first run with each of the others, not these with each other"
    )
    parser.add_argument("--matrix", action="store_true", help="a table of runs x runs; the same as --show rbo")
    parser.add_argument(
        "--show",
        default=None,
        metavar="WHAT",
        help="a table of runs x runs of one of them: rbo, min, max, residual, tau, tau_ap or overlap",
    )
    _options.reading(parser, judgments=False)
    _policies(parser)
    _options.output(parser, per_topic=True)


def _policies(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("policies")
    group.add_argument(
        "--tied",
        default="order",
        metavar="HOW",
        help="treatment of ties: order (default): they are broken as --ties says; w: tied documents share a rank; "
        "a: the mean over all orders; b: as a, corrected so that a ranking agrees fully with itself",
    )
    _options.tie_policy(group)
    group.add_argument(
        "--topics",
        default="union",
        metavar="WHICH",
        help="union (default): a topic that one of two runs lacks is an empty ranking; intersection: it is left out",
    )


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    from assay.distance.overlap import COEFFICIENTS, overlap
    from assay.views.overlap import matrix
    from assay.views.overlap import overlap as table

    _options.one_of("--show", args.show, COEFFICIENTS)
    shown = args.show or ("rbo" if args.matrix else None)
    if shown is not None and (args.first or args.per_topic):
        raise InputError("a matrix is of all pairs of runs over all topics; leave out --first and --per-topic")
    _options.one_of("--topics", args.topics, _TOPICS)
    names = ("p", "depth", "tied", "first")
    with _options.progress("comparing runs") as progress:
        campaign = _options.read_campaign(args, progress, topics=_TOPICS[args.topics])
        report = overlap(campaign, progress=progress, **{name: getattr(args, name) for name in names})
    _options.emit(table(report, args.per_topic) if shown is None else matrix(report, shown), args)
