"""Judge measures on a collection: agreement, pools, significance, power and robustness, as tables in a folder.

Scores, judgments, correlation of measures, pool depths, significance counts, discriminative power and robustness, with
the settings of the papers on Twist and RBP. Effort, order, balancing and distances have commands of their own. A study
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.cli import _numbers, _options

if TYPE_CHECKING:
    from assay.meta.study_steps import StudySettings

TASK = "measures"
EXAMPLES = """\
  assay study qrels.txt runs/ -o study
  assay study qrels.txt runs/ -o three-measures -m AP nDCG@10 'RBP(p=0.8)' --seeds 5
  assay study qrels.txt runs/ -o reuse --groups runs-groups.txt --best 100% --depths 10,100
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder of the study")
    parser.add_argument("--fresh", action="store_true", help="begin anew in a folder that holds a study")
    _options.measures(parser, "those of the papers")
    parser.add_argument(
        "--groups", default=None, metavar="FILE", help="lines 'run group': also leave out each group's judgments"
    )
    parser.add_argument("--best", default=None, metavar="SHARE", help="which runs are the best by MAP (default: 75%%)")
    parser.add_argument(
        "--ratios",
        action="append",
        default=None,
        metavar="N",
        help="percent of the judgments (default: 90,70,50,30,10)",
    )
    parser.add_argument(
        "--depths", action="append", default=None, metavar="N", help="depths of pools (default: 10,20,50,100)"
    )
    parser.add_argument("--alpha", type=float, default=None, metavar="P", help="level of power (default: 0.05)")
    parser.add_argument("--seeds", type=int, default=None, metavar="N", help="samples of the judgments (default: 10)")
    parser.add_argument("--resamples", type=int, default=None, metavar="N", help="resamples of tests (default: 1000)")
    _options.tie_policy(parser, expected=True)
    _options.seed(parser)


def run(args: argparse.Namespace) -> None:
    """Compute the steps that are left."""
    from assay.io.writing import write_file
    from assay.meta.study import study
    from assay.views.study import summary

    settings = _settings(args)
    with _options.steps("reading runs") as (progress, watch), _report_interrupt():
        campaign = _options.read_campaign(args, progress, keep="judgments")
        done = study(campaign, args.output, settings, fresh=args.fresh, watch=watch)
    write_file(done.folder / "summary.md", summary(done).encode())
    _options.say(done.notes, where="")
    if done.resumed:
        print(f"assay: note: {len(done.resumed)} of {len(done.steps)} steps were done before", file=sys.stderr)
    print(done.folder / "summary.md")


@contextmanager
def _report_interrupt() -> Iterator[None]:
    """Say that nothing is lost when the user interrupts."""
    try:
        yield
    except KeyboardInterrupt:
        print("assay: interrupted; the same command goes on with what is left", file=sys.stderr)
        raise


def _settings(args: argparse.Namespace) -> StudySettings:
    from assay.errors import InputError
    from assay.meta.downsampling import check_ratio
    from assay.meta.selection import parse_share
    from assay.meta.study_steps import StudySettings

    given = {name: getattr(args, name) for name in ("groups", "seeds", "resamples", "seed", "alpha")}
    given["best"] = None if args.best is None else parse_share(args.best)
    if args.ratios is not None:
        given["ratios"] = tuple(check_ratio(ratio) for ratio in _numbers.percents("--ratios", args.ratios))
    if args.depths is not None:
        given["depths"] = tuple(_numbers.whole("--depths", args.depths))
    if args.alpha is not None and not 0 < args.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1, such as 0.05, got {args.alpha:g}")
    for name, least in (("seeds", 1), ("resamples", 1), ("seed", 0)):
        if given[name] is not None and given[name] < least:
            raise InputError(f"--{name} must be at least {least}, got {given[name]}")
    if args.measures:
        given["measures"] = tuple(args.measures)
    return StudySettings(**{name: value for name, value in given.items() if value is not None})
