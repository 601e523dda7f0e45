"""Bound RBP at several depths, persistences and pool depths: how uncertain missing judgments leave it.

The lower bound treats unjudged documents, and all after the last one, as not relevant; the upper bound treats them as
maximally relevant. Bounds are means over topics. The pool of depth N holds the judgments of documents among the first N
of any run. Use assay depth to plan without runs, and assay judge-next to choose documents to judge.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers, _options
from assay.errors import InputError, suggestion

PERSISTENCES = "0.5,0.8,0.95"
MANY = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.99"
DEPTHS = "1,2,5,10,20,50,100"
TASK = "missing judgments"
EXAMPLES = """\
  assay residual qrels.txt bm25.run
  assay residual qrels.txt runs/ --only bm25 -p 0.5,0.8,0.95 --depths 1..100 --pool-depth 10,100 --format csv
  assay residual qrels.txt runs/ --only bm25 dense --against p --pool-depth 10
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    parser.add_argument(
        "--against",
        default="depth",
        metavar="WHAT",
        help="depth (default): bounds against the depth of evaluation; p: of whole rankings against the persistence",
    )
    parser.add_argument(
        "-p",
        dest="persistences",
        action="append",
        metavar="P",
        help=f"persistences, such as 0.8 or 0.5,0.8 (default: {PERSISTENCES}; against p from 0.1 to 0.99)",
    )
    parser.add_argument(
        "--depths",
        action="append",
        metavar="N",
        help=f"depths of evaluation: 10, 1..100 or 10,20 (default: {DEPTHS}; against p all)",
    )
    parser.add_argument(
        "--pool-depth",
        action="append",
        metavar="N",
        help="also with the judgments of pools of these depths only, such as 10 or 10,20",
    )
    parser.add_argument(
        "--only", nargs="+", default=None, metavar="RUN", help="show these runs only; all contribute to the pools"
    )
    parser.add_argument("--topic", action="append", default=None, metavar="TOPIC", help="this topic, not the mean")
    parser.add_argument("--gains", default="binary", metavar="GAINS", help="binary (default), unit, exp12 or exp-unit")
    parser.add_argument("--rel", type=float, default=None, metavar="GRADE", help="lowest grade with a gain")
    parser.add_argument("--max-rel", type=float, default=None, metavar="GRADE", help="top grade of the scale")
    _options.tie_policy(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compute the bounds and print them."""
    from assay.uncertainty.residuals import residual_curves
    from assay.views.residual import residual

    if args.against not in ("depth", "p"):
        hint = suggestion(args.against, ("depth", "p"))
        raise InputError(f"--against {args.against}: choose depth or p{hint}")
    deep = args.against == "depth"
    depths = args.depths or ([DEPTHS] if deep else None)
    pools = _numbers.whole("--pool-depth", args.pool_depth or [])
    persistences = _numbers.decimals("-p", args.persistences or [PERSISTENCES if deep else MANY])
    looked = [None] if depths is None else _numbers.whole("--depths", depths)
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress, keep="judgments" if pools else "grades")
    report = residual_curves(
        campaign,
        persistences,
        depths=looked,
        pools=[*pools, None],
        only=args.only,
        topics=args.topic,
        gains=args.gains,
        rel=args.rel,
        max_rel=args.max_rel,
    )
    _options.emit(residual(report), args)
