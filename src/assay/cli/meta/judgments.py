"""Count judgments by topic and grade, and compute the ideal DCG."""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.meta.judgments",
    """\
  assay meta judgments qrels.txt
  assay meta judgments qrels.txt --per-topic --format csv
  assay meta judgments qrels.txt --show ideal --cutoff 10 --gains exp
""",
    inputs=("qrels",),
    policies=(),
)
