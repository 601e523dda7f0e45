"""Bound the values of runs over all possible grades of unjudged documents.

The bounds are the lowest and the highest value that are possible for any grades of the unjudged documents. The table
also shows the fraction of judged documents.
"""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.uncertainty.bounds",
    """\
  assay uncertainty bounds qrels.txt runs/ -m AP 'RBP(p=0.8)'
  assay uncertainty bounds qrels.txt bm25.run -m nDCG@10 --outside any --per-topic
""",
)
