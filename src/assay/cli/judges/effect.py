"""Compare conclusions under several judges: the order of runs, and significant differences.

The runs are evaluated under each judge, on the documents that all judges judged. Runs that use the model of a judge are
named with --shared; their values under this judge do not estimate their quality.
"""

from __future__ import annotations

import argparse
import os

from assay.cli._output import check_output, emit, show_progress
from assay.cli._parameters import Option, read_list
from assay.cli.judges._command import JUDGE_OPTIONS, JudgesCommand
from assay.errors import InputError


def read_shared_runs(option: str, texts: list[str]) -> dict[str, list[str]]:
    """Return the shared runs of each judge from texts such as ``llm=rerank1,rerank2`` or ``llm=FILE``."""
    from assay.io import run_labels

    shared: dict[str, list[str]] = {}
    for text in texts:
        judge, equals, names = text.partition("=")
        if not (judge and equals and names):
            raise InputError(f"{option}: write JUDGE=RUN,RUN or JUDGE=FILE, not {text!r}")
        shared.setdefault(judge, []).extend(run_labels.read_names(names) if os.path.isfile(names) else names.split(","))
    return shared


RUN_OPTIONS = {
    "reference": JUDGE_OPTIONS["reference"],
    "runs": Option("RUN", "runs: files, directories or globs; may be repeated", read_list),
    "shared": Option(
        "JUDGE=RUNS", "runs that use the model of a judge: names, or a file", read_shared_runs, default="none"
    ),
}
COMMAND = JudgesCommand(
    "assay.judges.effect",
    """\
  assay judges effect human=qrels.txt llm=judged.jsonl --runs runs/ -m nDCG@10
  assay judges effect human=qrels.txt llm=judged.jsonl --runs runs/ --reference human --show runs
  assay judges effect human=qrels.txt llm=judged.jsonl --runs runs/ --shared llm=dense,small
""",
    inputs=("judges",),
    options={
        **RUN_OPTIONS,
        "judgments": Option("WHICH", "common (only documents that all judges judged) or own (all judgments of each)"),
    },
    python_only=("judges",),
)


def run_with(command: JudgesCommand, args: argparse.Namespace) -> None:
    """Read judgments and runs, call the function of a command, and print its report."""
    from assay.engine.campaign import read

    check_output(args, command.tables)
    arguments = command.read_options(args, command.parameters)
    if args.runs is None:
        raise InputError("--runs is required; add --runs RUN")
    with show_progress("reading runs") as progress:
        judges = command.read(args)
        campaign = read(None, args.runs, keep="documents", progress=progress)
        report = command.callable(campaign, judges, **arguments)
    emit(report, args)


def run(args: argparse.Namespace) -> None:
    """Compare the conclusions under the judges."""
    run_with(COMMAND, args)
