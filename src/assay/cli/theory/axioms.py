"""Check whether measures fall when a ranking gets better.

Swap: exchanging two documents so that the better one comes first never lowers the value. Replacement: a better document
in place of another never lowers it. Where both hold, a measure never contradicts the order on runs (see assay theory
order). All rankings of small topics are checked, so that a counterexample is the smallest; longer rankings are sampled.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._output import check_output, emit
from assay.cli._parameters import OPTIONS, Option, read_whole

COMMAND = Command(
    "assay.theory.axioms",
    """\
  assay theory axioms
  assay theory axioms -m AP 'AP*' Q Twist
  assay theory axioms -m 'Q(gains=exp)' --grades 0,1,2,3 --length 6
  assay theory axioms -m Q --counts 1:1,2:1 --length 5
  assay theory axioms --file my_measure.py
""",
    inputs=(),
    options={
        "measures": OPTIONS["measures"]._replace(default="one of each kind, or those of --file"),
        "grades": Option("LIST", "the scale", lambda option, texts: _numbers.decimals(option, texts, "0,1,2")),
        "length": Option("N", "rankings of 1 to N documents", read_whole),
        "file": Option("FILE", "Python file with measures of your own: score(grades, counts), or classes of Measure"),
    },
)


def run(args: argparse.Namespace) -> None:
    """Check and print."""
    check_output(args, COMMAND.tables)
    given = COMMAND.read_options(args, COMMAND.parameters)
    if args.file is not None:
        from assay.measures._user_defined import load_measures
        from assay.theory._axioms import representative

        own = load_measures(args.file[-1])
        if "measures" not in given:  # those that are named may be the only ones whose parameters are known
            given["measures"] = tuple(map(representative, own))
    emit(COMMAND.callable(**given), args)
