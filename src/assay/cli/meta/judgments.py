"""Count the relevant documents of each topic by grade, and compute the DCG of ideal rankings.

A measure whose cutoff is beyond the number of relevant documents of a topic cannot reach its best value unless it knows
that number. The ideal DCG of each topic stands beside two reference lines: a ranking full of documents of the top
grade, and one of them followed by documents of the next lower grade.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options

CUTOFF = 20
TASK = "values"
EXAMPLES = """\
  assay judgments qrels.txt
  assay judgments qrels.txt --show topics
  assay judgments qrels.txt --show sorted --thresholds 1,2,3 --format csv -o counts.csv
  assay judgments qrels.txt --show ideal --cutoff 10 --gains exp --max-rel 4
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("qrels", metavar="QRELS", help="judgments: a file, - for standard input, or irds:ID")
    _options.reading(parser)
    parser.add_argument("--show", default="summary", metavar="WHAT", help="summary (default), topics, sorted or ideal")
    parser.add_argument(
        "--thresholds",
        action="append",
        metavar="GRADES",
        help="count documents from these grades on, such as 1,2,3 (default: the grades above 0 in the qrels)",
    )
    group = parser.add_argument_group("ideal DCG")
    group.add_argument(
        "--cutoff", type=int, default=CUTOFF, metavar="K", help=f"how many ranks count (default: {CUTOFF})"
    )
    group.add_argument(
        "--gains", default="exp12", metavar="NAME", help="what grades are worth: exp12 (default), exp, identity, …"
    )
    group.add_argument(
        "--max-rel",
        type=float,
        default=None,
        metavar="GRADE",
        help="top grade of the scale (default: the largest in the qrels)",
    )
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Count and print."""
    from assay.meta.judgments import judgment_report
    from assay.views.judgments import SHOWN, judgments

    _options.one_of("--show", args.show, SHOWN)
    thresholds = None if args.thresholds is None else _numbers.decimals("--thresholds", args.thresholds, "1 or 1,2,3")
    report = judgment_report(
        _options.read_campaign(args),
        thresholds=thresholds,
        cutoff=args.cutoff,
        gains=args.gains,
        max_rel=args.max_rel,
    )
    _options.emit(judgments(report, args.show), args)
