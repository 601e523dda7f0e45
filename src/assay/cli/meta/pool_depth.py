"""Measure the effect of the pool depth on values and on the order of runs."""

from __future__ import annotations

import argparse

from assay.cli._command import Command
from assay.errors import InputError

_GROUP_TABLES = ("reuse", "groups", "left-out")

COMMAND = Command(
    "assay.meta.pool_depth",
    """\
  assay meta pool-depth qrels.txt runs/
  assay meta pool-depth qrels.txt runs/ -m AP bpref --depths 10,20,50 --show runs
  assay meta pool-depth qrels.txt runs/ --groups groups.txt --show left-out --format csv
""",
    keep="judgments",
)


def run(args: argparse.Namespace) -> None:
    """Evaluate the pools and print the report; some tables need --groups."""
    if args.show in _GROUP_TABLES and args.groups is None:
        raise InputError(f"--show {args.show} needs groups; add --groups FILE, with lines 'run group'")
    COMMAND.run(args)
