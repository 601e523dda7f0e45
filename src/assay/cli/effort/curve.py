"""Show one ranking rank by rank: the document, its grade, its relative position and the cumulated gain.

dcg and ideal_dcg are cumulated; delta_gain is the difference at the rank alone: the discounted gain of its document
minus that of the ideal ranking. --depth N shows the first N ranks.
"""

from __future__ import annotations

import argparse

from assay.cli import _options

TASK = "effort"
EXAMPLES = """\
  assay curve qrels.txt bm25.run --topic 401
  assay curve qrels.txt bm25.run --topic 401 --depth 20
  assay curve qrels.txt bm25.run.gz --topic 401 --gain 'DCG(base=2, gains=exp)' --format csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("qrels", metavar="QRELS", help="judgments: a file, - for standard input, or irds:ID")
    parser.add_argument("runs", metavar="RUN", help="a run: a file, or - for standard input")
    parser.add_argument("--topic", required=True, metavar="TOPIC", help="the topic")
    parser.add_argument("--gain", default="DCG", metavar="DCG", help="the form of DCG (default: DCG)")
    _options.reading(parser)
    _options.curves(parser)
    _options.tie_policy(parser)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Compute the curve and print it."""
    from dataclasses import replace

    from assay.effort.curve import curve
    from assay.views.effort import one_curve

    _options.checked_curves(args)
    campaign = _options.read_campaign(args, keep="documents")
    frame = curve(campaign, args.topic, depth=args.depth, length=args.length, gain=args.gain, rel=args.rel)
    notes = campaign.notes
    if frame["document"].null_count() == len(frame):
        notes += (f"{args.runs}: has no documents for topic {args.topic}; shown as an empty ranking",)
    _options.emit(replace(one_curve(frame), provenance=campaign.provenance.as_dict(), notes=notes), args)
