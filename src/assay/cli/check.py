"""Report every problem in judgments and runs, and answer questions that reviewers ask.

The exit code is 2 if there are errors (commands stop at these files), 1 if there are only warnings and notes, and 0 if
there are no findings. Files that cannot be read are errors; all other files are still checked.
"""

from __future__ import annotations

import argparse

from assay.cli._command import Command
from assay.cli._output import check_output, emit, show_progress
from assay.cli._parameters import Option

COMMAND = Command(
    "assay.check",
    """\
  assay check qrels.txt runs/
  assay check qrels.txt bm25.run dense.run.gz -k 5,10,100 -m AP
  assay check qrels.txt
  assay check qrels.txt runs/ --show runs
  assay check qrels.txt runs/ --wide
  assay check qrels.txt runs/ --format json -o check.json
""",
    policies=("ties", "missing", "undefined"),
    python_only=("runs",),
    optional=("runs",),
    options={"lenient": Option("", "count invalid lines and duplicates as warnings, because --lenient skips them")},
)


def run(args: argparse.Namespace) -> int:
    """Check the files, print the report and return its exit code."""
    check_output(args, COMMAND.tables)
    with show_progress("reading runs") as progress:
        report = COMMAND.callable(
            args.qrels, args.runs, **COMMAND.read_options(args, COMMAND.parameters), progress=progress
        )
    emit(report, args)
    return int(report.exit_code)
