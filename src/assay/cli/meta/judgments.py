"""Count judgments by topic and grade, compute the ideal DCG, and describe the collection.

With runs, --show collection also reports the lengths of rankings, the pool depth and the share of unjudged documents.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS

COMMAND = Command(
    "assay.meta.judgments",
    """\
  assay meta judgments qrels.txt
  assay meta judgments qrels.txt --per-topic --format csv
  assay meta judgments qrels.txt --show ideal --cutoff 10 --gains exp
  assay meta judgments qrels.txt runs/ --show collection
  assay meta judgments qrels.txt runs/ --show runs --depths 10,100
""",
    optional=("runs",),
    policies=("ties",),
    options={"depths": OPTIONS["depths"]._replace(help="depths at which the share of unjudged documents is reported")},
)
