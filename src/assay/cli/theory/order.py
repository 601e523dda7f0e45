"""Compare runs by a partial order of rankings that needs no measure.

A ranking is at least as good as another if its top k contain at least as many documents of grade g or higher, for every
rank k and every grade g. A measure that satisfies the axioms (see assay theory axioms) never contradicts this order;
the command checks the measures against the order. If two rankings are incomparable, measures may disagree. Rankings of
unequal length are incomparable unless the shorter ranking is padded (--unequal pad).
"""

from __future__ import annotations

import argparse
from typing import Any

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._output import check_output, emit
from assay.cli._parameters import Option
from assay.errors import InputError
from assay.io.numbers import parse_number


def read_gains(option: str, texts: list[str]) -> str | dict[float, float]:
    """Return the name of gains, or a gain for each grade, such as ``1:1,2:3``.

    >>> read_gains("--gains", ["1:1,2:3"])
    {1.0: 1.0, 2.0: 3.0}
    """
    text = texts[-1].strip().removeprefix("{").removesuffix("}")
    if ":" not in text:
        return text
    return _numbers.parse_pairs(option, text, "grade:gain", "1:1,2:3", parse_number)


COMMAND = Command(
    "assay.theory.order",
    """\
  assay theory order qrels.txt bm25.run dense.run
  assay theory order qrels.txt runs/ --show pairs --format csv -o order.csv
  assay theory order qrels.txt runs/ -m AP nDCG@10 'AP*' --show check
  assay theory order qrels.txt bm25.run dense.run --chain 401
  assay theory order qrels.txt runs/ --sets --gains 1:1,2:2
""",
    policies=("ties", "missing", "undefined", "unjudged"),
    options={
        "chain": Option("TOPIC", "show the steps from the worse of two runs to the better run on this topic"),
        "gains": Option(
            "GAINS",
            "compare sums of gains: identity (the grade), exp or another name, or a gain for each grade, such as "
            "1:1,2:3; with --sets, the order is total",
            read_gains,
            default="grades are only ordered",
        ),
    },
)


def run(args: argparse.Namespace) -> None:
    """Compare the runs and print the report, or the steps of --chain."""
    if args.chain is None:
        COMMAND.run(args)
        return
    if getattr(args, "show", None) is not None:
        raise InputError("--chain cannot be combined with --show")
    check_output(args, {})
    report: Any = COMMAND.report(args)
    emit(report.chain(args.chain[-1]), args)
