"""Measure the agreement of judges: kappa, alpha, and who gives higher grades.

Use it before you replace human judgments by those of a language model. A single table with a column judge may hold all
judges. Intervals and the test of the bias take topics as the sample.
"""

from __future__ import annotations

from assay.cli.judges._command import JUDGE_OPTIONS, JudgesCommand

COMMAND = JudgesCommand(
    "assay.judges.agree",
    """\
  assay judges agree human=qrels.txt llm=judged.jsonl
  assay judges agree human=qrels.txt llm=judged.jsonl --show confusion
  assay judges agree a.qrels b.qrels c.qrels --reference a --gwet
  assay judges agree judgments.csv --show bias --grades llm:2=1
""",
    inputs=("judges",),
    options=JUDGE_OPTIONS,
)
