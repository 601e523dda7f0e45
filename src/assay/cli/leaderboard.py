"""Rank runs and show which runs do not differ significantly.

The column "tied with" lists the places of the runs that are not significantly different. With --baseline, each run is
compared only with the baselines. A sign marks a run that is significantly better, and a sign with an arrow marks a run
that is significantly worse. --format latex writes a table for a paper (it needs the packages booktabs and amssymb).
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import check_comparison
from assay.cli._slicing import SLICING
from assay.cli._standardize import STANDARDIZATION

COMMAND = Command(
    "assay.leaderboard",
    """\
  assay leaderboard qrels.txt runs/ -m AP nDCG@10
  assay leaderboard qrels.txt runs/ -m AP --test tukey --top 20 --show intervals
  assay leaderboard qrels.txt runs/ -m AP nDCG@10 --baseline bm25 --format latex --digits 3 --label tab:runs
  assay leaderboard qrels.txt runs/ -m AP --systems seeds.txt --format html -o board.html
  assay leaderboard qrels.txt runs/ -m AP --topics-table topics.csv --by category
  assay leaderboard qrels.txt runs/ -m AP --standardize Phi
""",
    options={**STANDARDIZATION, **SLICING},
    check=check_comparison,
    moved={"--intervals": "--show intervals"},
)
