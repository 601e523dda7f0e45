"""Measure discriminative power: the fraction of run pairs that are separated.

All pairs of runs are compared over the topics. A pair is separated if its achieved significance level (ASL) is below
alpha. The bootstrap test considers each pair separately (Sakai 2006). The test tukey-randomized corrects for the number
of runs, so that it separates fewer pairs if there are more runs.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS

COMMAND = Command(
    "assay.meta.power",
    """\
  assay meta power qrels.txt runs/
  assay meta power qrels.txt runs/ -m AP nDCG@10 --test bootstrap --resamples 1000 --alpha 0.05
  assay meta power qrels.txt runs/ -m AP P@10 --test tukey-randomized --best 75%
  assay meta power qrels.txt runs/ --show pairs --format csv -o asl.csv
""",
    options={"test": OPTIONS["test"]._replace(help="significance test: bootstrap or tukey-randomized")},
    moved={"--curve": "--show pairs"},
)
