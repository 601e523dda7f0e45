"""Compare runs without a measure: on which topics one is at least as good as another whatever is rewarded.

A ranking is below another if at every rank it has found no more documents of every grade. Measures of utility never
contradict that order, and are checked against it; where two rankings are incomparable, measures are free to differ.
Rankings of unequal length are incomparable unless the shorter ones are padded (--unequal pad).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli import _options
from assay.errors import InputError, suggestion

if TYPE_CHECKING:
    from assay.theory.order import OrderReport
    from assay.views.tables import Table

DEFAULT = ("AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR")
TASK = "which run is better"
EXAMPLES = """\
  assay order qrels.txt bm25.run dense.run
  assay order qrels.txt runs/ --show matrix --format csv -o below.csv
  assay order qrels.txt runs/ -m AP nDCG@10 'AP*' --show check
  assay order qrels.txt runs/ -m AP 'RBP(p=0.8)' RR --show profile
  assay order qrels.txt bm25.run dense.run --chain --topic 401
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    parser.add_argument(
        "--show",
        default=None,
        metavar="WHAT",
        help="summary, pairs, matrix, check, violations or profile (default: pairs, of more than 10 runs a summary)",
    )
    parser.add_argument("--matrix", dest="show", action="store_const", const="matrix", help="the same as --show matrix")
    parser.add_argument("--set", action="store_true", help="the set-based order: ranks do not matter")
    parser.add_argument("--depth", type=int, default=None, metavar="N", help="compare the first N documents only")
    parser.add_argument(
        "--unequal",
        default="incomparable",
        metavar="HOW",
        help="rankings of unequal length: incomparable (default), or pad: ranks that one lacks count as non-relevant",
    )
    parser.add_argument(
        "--chain", action="store_true", help="the steps from the lower of two runs up to the higher one"
    )
    parser.add_argument("--topic", default=None, metavar="TOPIC", help="the topic of --chain")
    _options.policies(parser, sampling=False)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    from assay.theory.order import UNEQUAL, order_report
    from assay.views.order import SHOWN, order

    _options.one_of("--show", args.show, SHOWN)
    _options.one_of("--unequal", args.unequal, UNEQUAL)
    if args.depth is not None and args.depth < 1:
        raise InputError(f"--depth must be at least 1, got {args.depth}")
    if args.chain != (args.topic is not None):
        raise InputError("--chain and --topic go together: --chain --topic 401")
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress)
    measures = args.measures or DEFAULT
    report = order_report(campaign, measures, ranked=not args.set, depth=args.depth, unequal=args.unequal)
    _options.emit(_chain(report, args.topic) if args.chain else order(report, args.show), args)


def _chain(report: OrderReport, topic: str) -> Table:
    """The chain between the only two runs, whichever is the lower one."""
    from assay.theory.chain import chain
    from assay.theory.order import GREATER, INCOMPARABLE, judged_grades
    from assay.views.order import steps

    topics = report.results.topics
    if len(report.results.runs) != 2:
        raise InputError(f"--chain: name two runs, not {len(report.results.runs)}")
    if topic not in topics:
        raise InputError(f"--topic {topic}: the qrels have no such topic{suggestion(topic, topics)}")
    number = topics.index(topic)
    first, second = report.results.runs
    if report.outcomes[0, number] == INCOMPARABLE:
        raise InputError(_no_chain(report, first, second, number))
    low, high = (1, 0) if report.outcomes[0, number] == GREATER else (0, 1)
    return steps(chain(judged_grades(report.campaign, low, number), judged_grades(report.campaign, high, number)))


def _no_chain(report: OrderReport, first: str, second: str, topic: int) -> str:
    """Say why there is no chain between two rankings: they differ in length, or neither is better."""
    one, other = report.campaign.judged.length.reshape(report.campaign.shape)[:, topic]
    why, remedy = "incomparable", ""
    if one != other and report.unequal != "pad":
        why, remedy = f"of unequal length ({one} and {other} documents)", "; try --unequal pad or --depth"
    return (
        f"--chain: {first} and {second} are {why} on topic {report.results.topics[topic]}, so there is no chain{remedy}"
    )
