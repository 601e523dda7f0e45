"""Compare runs without a measure: on which topics one is above another.

A ranking is below another if at every rank it has found no more documents of every grade. Measures of utility never
contradict that order, and are checked against it; where two rankings are incomparable, measures are free to differ.
Rankings of unequal length are incomparable unless the shorter ones are padded (--unequal pad).
"""

from __future__ import annotations

import argparse
from typing import Any

from assay.cli._command import Command
from assay.cli._output import check_output, emit
from assay.cli._parameters import Option
from assay.errors import InputError

COMMAND = Command(
    "assay.theory.order",
    """\
  assay theory order qrels.txt bm25.run dense.run
  assay theory order qrels.txt runs/ --show pairs --format csv -o order.csv
  assay theory order qrels.txt runs/ -m AP nDCG@10 'AP*' --show check
  assay theory order qrels.txt bm25.run dense.run --chain 401
""",
    policies=("ties", "missing", "undefined", "unjudged"),
    options={"chain": Option("TOPIC", "the steps from the lower of two runs up to the higher one, on a topic")},
)


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    if args.chain is None:
        COMMAND.run(args)
        return
    if getattr(args, "show", None) is not None:
        raise InputError("--chain cannot be combined with --show")
    check_output(args, {})
    report: Any = COMMAND.report(args)
    emit(report.chain(args.chain[-1]), args)
