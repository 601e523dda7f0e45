"""Compare runs with significance tests and confidence intervals.

Runs are paired by topic. Each line compares a run with a baseline or another run. It shows the difference of the means
and its confidence interval, the p-value corrected for all comparisons, and the number of topics with a win, a tie and a
loss (W/T/L). A difference that is not significant may still exist; --margin tests whether it is too small to matter.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import check_comparison
from assay.cli._slicing import SLICING
from assay.cli._standardize import STANDARDIZATION

COMMAND = Command(
    "assay.compare",
    """\
  assay compare qrels.txt bm25.run dense.run -m AP nDCG@10
  assay compare qrels.txt runs/ -m AP --baseline bm25 --baseline bm25+rm3 --test randomization
  assay compare qrels.txt runs/ -m AP --test tukey --show matrix
  assay compare qrels.txt bm25.run small.run --baseline bm25 -m nDCG@10 --margin 5% --power 0.8
  assay compare qrels.txt runs/ -m AP --systems seeds.txt --show variance
  assay compare qrels.txt runs/ -m AP RR --family all --correction bh --format csv -o pairs.csv
  assay compare qrels.txt bm25.run dense.run -m AP --topics-table topics.csv --by category
  assay compare qrels.txt bm25.run dense.run -m AP --standardize z --reference runs/
""",
    options={**STANDARDIZATION, **SLICING},
    check=check_comparison,
)
