"""Write a report: one page of HTML with tables, figures and what they say in words, to be shared.

The page needs no network and no other file. It has a leaderboard, effort and gain, archetypes, agreement of measures,
significance, robustness to the pool, uncertainty, topics, and a page for each system; every section says how its
numbers were computed. The same inputs and options give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.cli import _options
from assay.views.report.sections import SECTIONS

if TYPE_CHECKING:
    from assay.views.report.settings import ReportSettings

TASK = "pictures"
EXAMPLES = """\
  assay report qrels.txt runs/ -o report.html
  assay report qrels.txt bm25.run dense.run -m nDCG@10 AP --title 'Spring campaign'
  assay report qrels.txt runs/ --test randomization --resamples 100000 --alpha 0.01 --seed 7
  assay report qrels.txt runs/ --most 10 --without robustness --without uncertainty
"""
DEFAULT = "AP nDCG@10 P@10 RR RBP(p=0.8)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, f"{DEFAULT}; the first one orders the runs")
    parser.add_argument("-o", "--output", default="report.html", metavar="FILE", help="the page (default: report.html)")
    parser.add_argument("--title", default=None, metavar="TEXT", help="the heading (default: how many runs and topics)")
    parser.add_argument(
        "--most",
        type=int,
        default=50,
        metavar="N",
        help="runs with a page of their own: the best by the first measure (default: 50)",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SECTION",
        help=f"leave out a section, may be repeated: {', '.join(SECTIONS)}",
    )
    _comparison(parser)
    group = _options.policies(parser, sampling=False)
    _options.seed(group)


def _comparison(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("comparison")
    _options.significance(group)
    group.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help="significance level; intervals have the confidence 1 - P (default: 0.05)",
    )
    group.add_argument(
        "--resamples",
        type=int,
        default=None,
        metavar="N",
        help="number of resamples for randomization and bootstrap tests",
    )


def run(args: argparse.Namespace) -> None:
    """Make the report and write it, whole or not at all."""
    from assay.io.writing import write_file
    from assay.views.report.build import check_report, report
    from assay.views.report.context import check_ties

    target, settings = _target(args.output), _settings(args)
    check_report(settings)
    check_ties(args.ties)
    with _options.steps("reading runs") as (progress, watch):
        campaign = _options.read_campaign(args, progress, keep="judgments")
        _options.refuse_overwriting(target, campaign.provenance.as_dict())
        page, notes, _ = report(campaign, settings, watch=watch)
    _options.say(notes, where=" (all are in the report)")
    write_file(target, page)
    print(f"assay: wrote {target} ({len(page) / 1e6:.1f} MB)", file=sys.stderr)


def _target(output: str) -> str:
    """Return the file to write; refuse one that cannot be written, before any work is done."""
    from pathlib import Path

    from assay.errors import InputError

    path = Path(output)
    if not output or output == "-" or path.is_dir():
        raise InputError(f"-o {output!r}: name a file to write, such as report.html")
    if not path.parent.is_dir():
        raise InputError(f"{output}: cannot be written (there is no directory {path.parent})")
    if path.suffix.lower() not in (".html", ".htm", ""):
        raise InputError(f"{output}: a report is a page of HTML; name it {path.stem}.html")
    return output


def _settings(args: argparse.Namespace) -> ReportSettings:
    from assay.views.report.settings import ReportSettings

    names = ("title", "test", "correction", "alpha", "resamples", "seed", "most")
    given = {name: getattr(args, name) for name in names}
    if args.measures:
        given["measures"] = tuple(args.measures)
    return ReportSettings(**given, without=tuple(args.without))
