"""Rank runs by their means, and show which of them are tied.

The column "tied with" lists the places from which a run does not differ significantly. With --baseline each run is
compared with the baselines only: a sign marks runs that are significantly better, with an arrow those that are worse.
--format latex writes a table for a paper (packages booktabs and amssymb).
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import check_comparison

COMMAND = Command(
    "assay.leaderboard",
    """\
  assay leaderboard qrels.txt runs/ -m AP nDCG@10
  assay leaderboard qrels.txt runs/ -m AP --test tukey --top 20 --show intervals
  assay leaderboard qrels.txt runs/ -m AP nDCG@10 --baseline bm25 --format latex --digits 3 --label tab:runs
  assay leaderboard qrels.txt runs/ -m AP --systems seeds.txt --format html -o board.html
""",
    check=check_comparison,
    moved={"--intervals": "--show intervals"},
)
