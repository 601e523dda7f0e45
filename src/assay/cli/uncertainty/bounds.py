"""Bound values by what unjudged documents allow.

The lowest and the highest value that any judgments of the unjudged documents could give, and the share that is judged.
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
