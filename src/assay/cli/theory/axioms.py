"""Check that a better ranking never lowers the value of a measure.

Swap: moving the more relevant of two documents up never lowers the value. Replacement: replacing a document by a more
relevant document never lowers the value. If both axioms hold, the measure never contradicts the partial order of
rankings (see assay theory order). --show appending shows what a measure does when a document is appended at the end of
a ranking. All rankings of small topics are checked, so that the counterexample is the smallest. Longer rankings are
sampled.
"""

from __future__ import annotations

import argparse

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._output import check_output, emit
from assay.cli._parameters import OPTIONS, Option, read_integer

COMMAND = Command(
    "assay.theory.axioms",
    """\
  assay theory axioms
  assay theory axioms -m AP 'AP*' Q Twist
  assay theory axioms -m AP SetP Utility --show appending
  assay theory axioms -m 'Q(gains=exp)' --grades 0,1,2,3 --length 6
  assay theory axioms -m Q --counts 1:1,2:1 --length 5
  assay theory axioms --file my_measure.py
""",
    inputs=(),
    options={
        "measures": OPTIONS["measures"]._replace(default="one measure of each kind, or the measures of --file"),
        "grades": Option(
            "LIST", "grades of the scale", lambda option, texts: _numbers.parse_numbers(option, texts, "0,1,2")
        ),
        "length": Option("N", "check rankings of 1 to N documents", read_integer),
        "file": Option(
            "FILE", "Python file that defines measures: a function score(grades, counts), or subclasses of Measure"
        ),
    },
)


def run(args: argparse.Namespace) -> None:
    """Check the axioms and print the report."""
    check_output(args, COMMAND.tables)
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    if args.file is not None:
        from assay.measures._user_defined import load_measures
        from assay.theory._axioms import choose_representative

        user_measures = load_measures(args.file[-1])
        # A user-defined class may need parameters. If the user names measures with -m, their parameters are known, and
        # no representative is built.
        if "measures" not in arguments:
            arguments["measures"] = tuple(map(choose_representative, user_measures))
    emit(COMMAND.callable(**arguments), args)
