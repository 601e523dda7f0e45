"""Measure how well fewer judgments preserve the order of runs.

For each ratio a share of the judgments is drawn at random within each topic and grade, at least one of each relevant
grade and ten that are not relevant; the others count as unjudged. Kendall's tau-b and tau-AP compare the order of the
runs by the sample with that by all judgments. Samples of one seed are nested.
"""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.meta.robustness",
    """\
  assay meta robustness qrels.txt runs/
  assay meta robustness qrels.txt runs/ -m AP bpref 'RBP(p=0.95)' --ratios 90,70,50,30,10 --seeds 10
  assay meta robustness qrels.txt runs/ -m AP nDCG@10 --best 75% --format csv -o tau.csv
""",
    keep="judgments",
)
