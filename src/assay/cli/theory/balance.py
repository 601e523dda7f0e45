"""Compute the balancing index, which shows how top-heavy measures are.

The balancing index for rankings of n documents is a rank b. It is the last rank b such that a ranking with relevant
documents at ranks b to n has at least the value of a ranking with a single relevant document at rank 1. If it is near
n, all ranks have similar weights; if it is near 1, only the top ranks count.
"""

from __future__ import annotations

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option

COMMAND = Command(
    "assay.theory.balance",
    """\
  assay theory balance
  assay theory balance -m AP 'RBP(p=0.8)' ERR -n 1..200 --format csv -o balance.csv
  assay theory balance -m nDCG 'ERR(max_rel=3)' -n 10,20,50 --qmin 1 --qmax 3
  assay theory balance -m nDCG ERR -n 50 --grades 0,1,2,3
""",
    inputs=(),
    options={
        "n": Option("N,...", "lengths of rankings: 20, 1..200 or 10,20,50", _numbers.parse_integers, ("-n",)),
        "counts": OPTIONS["counts"]._replace(
            help="number of judged documents of each grade of the topic, such as 0:50,1:30,2:10"
        ),
        "grades": Option(
            "LIST",
            "grades of the relevance scale, such as 0,1,2,3: compute an index for every pair of grades above 0",
            lambda option, texts: _numbers.parse_numbers(option, texts, "0,1,2"),
            default="the pair --qmin, --qmax",
        ),
    },
    moved=dict.fromkeys(("--simulate", "--trials", "--drawing"), "assay theory trials"),
)
