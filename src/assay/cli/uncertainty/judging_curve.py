"""Simulate judging: how fast orders of judging reduce uncertainty.

Judgments are hidden and revealed again, one by one, in several orders.
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
        "orders": OPTIONS["orders"]._replace(help="orders of judging: residual (as judge-next), depth, random"),
        "pair": OPTIONS["pair"]._replace(help="the uncertainty of the difference of these two runs"),
    },
)
