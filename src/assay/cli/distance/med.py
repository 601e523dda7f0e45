"""Measure the largest difference between rankings that the judgments still allow (MED).

For each pair of runs: med is the largest |M(a) - M(b)| over all labels of their unjudged documents, difference is
M(a) - M(b) as judged so far, and smallest and largest are the ends between which labels let it lie. direction tells
which run the labels favour. Documents that neither run has within the depth of the measure stay not relevant unless
they are judged. Without --qrels nothing is judged.

Over topics all are means. That of med is a mean of sizes, whichever run is ahead on a topic, so it can be far above the
difference of the means, even if everything is judged; smallest and largest say whether the runs may change places.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

DEFAULT = ("AP@100", "nDCG@10", "RBP(p=0.8)")
TASK = "which run is better"
EXAMPLES = """\
  assay med bm25.run dense.run --qrels qrels.txt -m AP@100 nDCG@10
  assay med bm25.run dense.run -m 'RBP(p=0.8)' --residual
  assay med runs/ --qrels qrels.txt -m nDCG@10 --matrix
  assay med bm25.run dense.run --qrels qrels.txt -m AP -k 100 --labels --format tsv
  assay med bm25.run dense.run -m AP@20 --method greedy --per-topic
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="two runs or more: files, directories or globs; - for standard input"
    )
    parser.add_argument("--qrels", default=None, metavar="QRELS", help="judgments: a file or irds:ID (default: none)")
    _options.reading(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument(
        "-k",
        "--depth",
        type=int,
        default=None,
        metavar="DEPTH",
        help="compare the first DEPTH documents; the cutoff of measures that have none",
    )
    parser.add_argument(
        "--method",
        default="exact",
        metavar="HOW",
        help="exact (default) or exhaustive; max-grade, greedy, greedy-on and tabu give lower bounds",
    )
    parser.add_argument(
        "--residual",
        action="store_true",
        help="assume that the favoured ranking would go on with relevant documents (affects RBP and other sums)",
    )
    parser.add_argument(
        "--first", action="store_true", help="compare the first run with each of the others, not these with each other"
    )
    parser.add_argument("--labels", action="store_true", help="show the labels that reach each distance")
    parser.add_argument("--matrix", action="store_true", help="show runs x runs of one measure")
    _options.tie_policy(parser)
    _options.seed(parser)
    _options.output(parser, per_topic=True)


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    from assay.distance.maximized import med
    from assay.errors import InputError
    from assay.measures import measures as parse
    from assay.views.med import distances, labels, matrix

    measures = parse(args.measures or DEFAULT)
    if args.matrix and (len(measures) != 1 or args.labels or args.per_topic):
        raise InputError("--matrix shows one measure, its mean only: name one with -m, without --labels or --per-topic")
    names = ("depth", "method", "residual", "first", "labels", "seed")
    with _options.progress("comparing rankings") as progress:
        campaign = _options.read_campaign(args, progress, keep="documents")
        report = med(campaign, measures, progress=progress, **{name: getattr(args, name) for name in names})
    if args.matrix:
        table = matrix(report, report.measures[0])
    else:
        table = labels(report) if args.labels else distances(report, args.per_topic)
    _options.emit(table, args)
