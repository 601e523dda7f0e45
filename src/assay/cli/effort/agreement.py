"""Test whether significant differences in gain correspond to differences in effort.

Every pair of runs is compared by measures of gain and by Twist. The table counts the pairs that differ significantly in
both, in one of them, or in neither, within and across quadrants of gain and effort.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import check_comparison

COMMAND = Command(
    "assay.effort.agreement",
    """\
  assay effort agreement qrels.txt runs/
  assay effort agreement qrels.txt runs/ -m AP nDCG@10 --test wilcoxon --show quadrants
  assay effort agreement qrels.txt runs/ -m AP --show pairs --format csv -o pairs.csv
""",
    check=check_comparison,
)
