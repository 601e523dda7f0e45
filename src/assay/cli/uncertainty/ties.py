"""Count tied documents and show how much their order can change values."""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.uncertainty.ties",
    """\
  assay uncertainty ties qrels.txt runs/
  assay uncertainty ties qrels.txt bm25.run -m AP RR --show orders
  assay uncertainty ties qrels.txt bm25.run --per-topic --format csv
""",
    keep="runs",
    policies=("missing", "undefined", "unjudged", "samples", "seed"),
)
