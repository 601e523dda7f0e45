"""Test which runs differ: differences, intervals, significance.

Runs are paired by topic. Each line compares a run with a baseline or with another run: the difference of their means
with its interval, p corrected over all comparisons made, and on how many topics the run wins, ties and loses. Not
significant does not mean equal: --margin tests whether a difference is too small to matter.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import check_comparison

COMMAND = Command(
    "assay.compare",
    """\
  assay compare qrels.txt bm25.run dense.run -m AP nDCG@10
  assay compare qrels.txt runs/ -m AP --baseline bm25 --baseline bm25+rm3 --test randomization
  assay compare qrels.txt runs/ -m AP --test tukey --show matrix
  assay compare qrels.txt bm25.run small.run --baseline bm25 -m nDCG@10 --margin 5% --power 0.8
  assay compare qrels.txt runs/ -m AP --systems seeds.txt --show variance
  assay compare qrels.txt runs/ -m AP RR --family all --correction bh --format csv -o pairs.csv
""",
    check=check_comparison,
)
