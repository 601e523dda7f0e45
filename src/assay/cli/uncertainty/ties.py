"""Count tied documents, and report how much their order can change the values of measures.

Each run has one row for each tie policy, then the smallest and the largest value over all orders of its tied
documents. These are exact for most measures; for the others, lowest seen and highest seen come from sampled orders.
"""

from __future__ import annotations

import argparse

from assay.cli import _options
from assay.cli.eval import DEFAULT

TASK = "values"
EXAMPLES = """\
  assay ties qrels.txt bm25.run
  assay ties qrels.txt runs/ -m AP nDCG@10 --format tsv -o ties.tsv
  assay ties qrels.txt bm25.run -m bpref --per-topic --digits 3
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    _options.policies(parser, ties=False).add_argument(
        "--samples",
        type=int,
        default=100,
        metavar="N",
        help="orders drawn where there is no exact value (default: 100)",
    )
    _options.output(parser, per_topic=True)


def run(args: argparse.Namespace) -> None:
    """Report and print."""
    from assay.uncertainty.ties import tie_report
    from assay.views.ties import ties

    with _options.progress("reading runs") as progress:
        campaign = _options.read_campaign(args, progress, keep="runs", samples=args.samples)
        report = tie_report(campaign, args.measures or DEFAULT, progress=progress)
    _options.emit(ties(report, args.per_topic), args)
