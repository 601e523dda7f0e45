"""Check whether measures fall when a ranking gets better by a swap or by a replacement, and show where they do.

Swap: exchanging two documents so that the better one stands first never lowers the value. Replacement: a better
document in place of another never lowers it. Where both hold, a measure never contradicts the order on runs (assay
order). All rankings of small topics are gone through, so that a counterexample is the smallest there is; beyond
that, rankings are drawn at random.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli import _numbers, _options

if TYPE_CHECKING:
    from assay.measures import Measure

TASK = "measures"
EXAMPLES = """\
  assay axioms
  assay axioms -m AP 'AP*' Q Twist
  assay axioms -m 'Q(gains=exp)' --grades 0,1,2,3 --length 6
  assay axioms -m Compat --length 100 --samples 50000
  assay axioms -m Q --counts 1:1,2:1 --length 5
  assay axioms --file my_measure.py
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.measures(parser, "those of --file, or one of each of the catalogue")
    parser.add_argument(
        "--file",
        default=None,
        metavar="FILE",
        help="Python file with measures of your own: a function score(grades, counts), or classes of Measure",
    )
    group = parser.add_argument_group("what is gone through")
    group.add_argument("--grades", default="0,1,2", metavar="LIST", help="the scale (default: 0,1,2)")
    group.add_argument("--length", type=int, default=8, metavar="N", help="rankings of 1 to N documents (default: 8)")
    group.add_argument(
        "--relevant", type=int, default=4, metavar="N", help="topics of 1 to N relevant documents (default: 4)"
    )
    group.add_argument(
        "--counts", default=None, metavar="LIST", help="only a topic with so many of each grade, such as 1:2,2:1"
    )
    group.add_argument(
        "--samples",
        type=int,
        default=20_000,
        metavar="N",
        help="random rankings of --length documents where there are too many to go through (default: 20000)",
    )
    _options.seed(group)
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Check and print."""
    from assay.io.numbers import whole_number
    from assay.theory.axioms import check_several
    from assay.views.axioms import axioms

    reports = check_several(
        _chosen(args),
        grades=_numbers.decimals("--grades", [args.grades], "0,1,2"),
        length=args.length,
        relevant=args.relevant,
        counts=None
        if args.counts is None
        else _numbers.pairs("--counts", args.counts, "grade:documents", "1:2,2:1", whole_number),
        samples=args.samples,
        seed=args.seed,
    )
    _options.emit(axioms(reports), args)


def _chosen(args: argparse.Namespace) -> tuple[str | Measure, ...]:
    """What is named; else what the file defines; else one measure of each class."""
    from assay.measures._user_defined import load_measures
    from assay.theory.axioms import representative, representatives

    own = () if args.file is None else load_measures(args.file)
    if args.measures:
        return tuple(args.measures)
    return tuple(map(representative, own)) if own else representatives()
