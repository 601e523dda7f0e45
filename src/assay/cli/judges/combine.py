"""Estimate means from few human and many machine judgments, with valid intervals.

The first judge has judgments for some topics (human), the second for all topics (machine). The estimate is unbiased
whatever the errors of the machine are, if the topics with human judgments are a random sample.
"""

from __future__ import annotations

import argparse

from assay.cli._parameters import OPTIONS, Option, read_number, read_one
from assay.cli.judges._command import JudgesCommand
from assay.cli.judges.effect import RUN_OPTIONS, run_with

COMMAND = JudgesCommand(
    "assay.judges.combine",
    """\
  assay judges combine human=qrels.txt llm=judged.jsonl --runs runs/ -m nDCG@10
  assay judges combine human=qrels.txt llm=judged.jsonl --runs runs/ -m nDCG@10 --baseline bm25
  assay judges combine human=qrels.txt llm=judged.jsonl --runs runs/ --lam 1
""",
    inputs=("judges",),
    options={
        "runs": RUN_OPTIONS["runs"],
        "shared": RUN_OPTIONS["shared"],
        "baseline": OPTIONS["baseline"]._replace(read=read_one, help="also estimate differences from this run"),
        "lam": Option("X", "weight of the machine values, from 0 to 1", read_number, default="tuned"),
    },
    python_only=("judges",),
)


def run(args: argparse.Namespace) -> None:
    """Estimate means and differences."""
    run_with(COMMAND, args)
