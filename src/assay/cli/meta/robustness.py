"""Measure how well the order of runs is preserved with fewer judgments.

For each ratio, a fraction of the judgments is sampled within each topic and grade: at least one judgment of each
relevant grade and ten of non-relevant documents. All other documents count as unjudged. Kendall's tau-b and tau-AP
compare the order of the runs by the sample with the order by all judgments. Samples with the same seed are nested.
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
