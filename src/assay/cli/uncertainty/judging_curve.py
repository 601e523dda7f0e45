"""Simulate judging in several orders and show how fast uncertainty falls.

The known judgments are hidden and then revealed one by one, in each order.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS

COMMAND = Command(
    "assay.uncertainty.judging_curve",
    """\
  assay uncertainty judging-curve qrels.txt runs/
  assay uncertainty judging-curve qrels.txt runs/ -m 'RBP(p=0.95)' --known 5 --seed 3
""",
    keep="documents",
    policies=("ties",),
    options={
        "orders": OPTIONS["orders"]._replace(
            help="orders of judging: residual, residual-weighted or score-weighted (as in judge-next), depth, random"
        ),
        "pair": OPTIONS["pair"]._replace(help="show the uncertainty of the difference between these two runs"),
    },
)
