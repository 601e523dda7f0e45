"""Compare effort with gain: classify each run and topic by both."""

from __future__ import annotations

from assay.cli._command import Command

COMMAND = Command(
    "assay.effort.against_gain",
    """\
  assay effort against-gain qrels.txt runs/
  assay effort against-gain qrels.txt runs/ -m nDCG@10 --show cells --format csv
  assay effort against-gain qrels.txt bm25.run -m AP --show points
""",
    moved={"--cells": "--show cells", "--points": "--show points", "--per-run": "--show runs"},
)
