"""Count the run pairs that differ significantly, by test and level."""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.meta.significance_counts",
    """\
  assay meta significance-counts qrels.txt runs/
  assay meta significance-counts qrels.txt runs/ -m AP P@10 --tests t,wilcoxon,randomization --levels 0.05,0.01
  assay meta significance-counts qrels.txt runs/ --show pairs --format csv
""",
    moved={"--each": "--show pairs"},
)
