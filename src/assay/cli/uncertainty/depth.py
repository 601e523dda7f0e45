"""Compute the judging depth that RBP needs, from persistence and accuracy.

Documents after rank d can add at most p^d to RBP. Judging the first d documents of each ranking suffices if p^d is at
most the required accuracy. Give two of persistence, accuracy and depth to compute the third.
"""

from __future__ import annotations

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option

COMMAND = Command(
    "assay.uncertainty.depth",
    """\
  assay uncertainty depth
  assay uncertainty depth -p 0.8 --accuracy 1e-4
  assay uncertainty depth --depth 100 --accuracy 1e-4
  assay uncertainty depth -p 0.8,0.9 --depth 10,20,100
""",
    inputs=(),
    options={
        "p": OPTIONS["p"]._replace(default="0.5, 0.8, 0.95, unless --depth is given"),
        "accuracy": OPTIONS["accuracy"]._replace(default="0.0001, unless -p and --depth are given"),
        "depth": Option(
            "N,...",
            "judging depth: the number of judged documents of each ranking: 100, 1..20 or 10,20",
            _numbers.parse_integers,
            ("-k",),
        ),
    },
)
