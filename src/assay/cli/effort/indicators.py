"""Measure what rankings cost their user: Twist, recovery, space, and the archetypes of their curves.

One row for each run and one for all: means over topics, then how many curves are of each archetype. With --per-topic
one row for each run and topic.

With --weights or --persistence rho and Twist are discontinuous: misplacements no longer cancel exactly, so a curve that
came back to the axis may never do so, and rho falls to 0. Archetypes ignore both options.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

TASK = "effort"
EXAMPLES = """\
  assay effort qrels.txt bm25.run dense.run.gz
  assay effort qrels.txt runs/ --per-topic --format tsv -o effort.tsv
  assay effort qrels.txt runs/ --depth 1000 --merge
  assay effort qrels.txt bm25.run --indicators --per-topic
  assay effort qrels.txt runs/ --grades 4=3,-2=0 --crossing literal
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    group = _options.curves(parser)
    group.add_argument(
        "--crossing", default="strict", metavar="HOW", help="of the axis: strict (default), literal, matters"
    )
    group.add_argument(
        "--endpoint", default="left", metavar="END", help="the rank before the crossing, left (default), or right of it"
    )
    group.add_argument(
        "--weights", default=None, metavar="GAINS", help="weigh misplacements by gains, such as exp; makes rho jump"
    )
    group.add_argument(
        "--persistence",
        type=float,
        default=1,
        metavar="P",
        help="weigh misplacements by P^(i-1), i being where they begin (default: 1); makes rho jump",
    )
    _options.policies(parser, sampling=False)
    _options.output(parser, per_topic=True)
    parser.add_argument("--indicators", action="store_true", help="show all indicators, not only those behind Twist")
    parser.add_argument(
        "--merge", action="store_true", help="take ups-and-downs and both kinds of excellent for one archetype"
    )


def run(args: argparse.Namespace) -> None:
    """Report and print."""
    from assay.effort.indicators import effort_report
    from assay.errors import InputError
    from assay.model.relative_position import CROSSINGS, ENDPOINTS
    from assay.views.effort import effort

    _options.checked_curves(args)
    _options.one_of("--crossing", args.crossing, CROSSINGS)
    _options.one_of("--endpoint", args.endpoint, ENDPOINTS)
    if not 0 < args.persistence <= 1:
        raise InputError(f"--persistence must be above 0 and at most 1, got {args.persistence:g}")
    options = {
        name: getattr(args, name)
        for name in ("depth", "length", "crossing", "endpoint", "weights", "persistence", "rel")
    }
    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress)
    report = effort_report(campaign, **options)
    _options.emit(effort(report, args.per_topic, args.indicators, args.merge), args)
