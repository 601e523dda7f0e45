"""Bound the values of runs over all grades of the unjudged documents.

The bounds are the lowest and highest values that judging the unjudged documents could give. The table also shows the
share of judged documents.
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
