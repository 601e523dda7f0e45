"""Choose the documents to judge next: those that matter most.

Each document is ranked by how much its judgment reduces the uncertainty of the runs' values. QRELS may be "none".
--as-qrels prints lines for the qrels, with ? where the judge writes the grade.
"""

from __future__ import annotations

import argparse
import os

from assay.cli._command import Command
from assay.cli._output import check_output, emit, print_notes, refuse_overwriting, show_progress, write_output
from assay.cli._parameters import OPTIONS, Option, read_whole
from assay.engine.campaign import Campaign
from assay.errors import InputError

COMMAND = Command(
    "assay.uncertainty.judge_next",
    """\
  assay uncertainty judge-next qrels.txt runs/ -n 50
  assay uncertainty judge-next qrels.txt runs/ --per-topic 5 --as-qrels -o to-judge.txt
  assay uncertainty judge-next none runs/ -m 'RBP(p=0.95)' -n 100
  assay uncertainty judge-next qrels.txt runs/ --pair bm25 dense
""",
    keep="documents",
    policies=("ties",),
    options={
        "n": Option("N", "how many documents", read_whole, ("-n",), default="100; with --per-topic all"),
        "per_topic": OPTIONS["per_topic"]._replace(help="at most N documents of each topic"),
        "pair": OPTIONS["pair"]._replace(help="rank by the uncertainty of the difference of these two runs"),
        "as_qrels": Option("", "print lines for the qrels, with ? in place of the grade"),
    },
    moved=dict.fromkeys(("--simulate", "--known"), "assay uncertainty judging-curve"),
)


def run(args: argparse.Namespace) -> None:
    """Choose documents and print them."""
    if args.as_qrels and args.format is not None:
        raise InputError("--as-qrels cannot be combined with --format")
    if args.qrels == "none" and not os.path.exists("none"):
        args.qrels = None
        if args.grades is not None:
            raise InputError("--grades replaces grades of judgments, and QRELS is none; leave it out")
    check_output(args, COMMAND.tables)
    given = COMMAND.read_options(args, COMMAND.parameters)
    with show_progress("reading runs") as progress:
        report = COMMAND.callable(_read(args, progress), **given)
    if not args.as_qrels:
        emit(report, args)
        return
    print_notes(report.notes)
    if args.output is not None:
        refuse_overwriting(args.output, report.provenance)
    write_output(report.lines().encode(), args.output)


def _read(args: argparse.Namespace, progress: object) -> Campaign:
    if args.qrels is None or not args.all_topics:
        return COMMAND.read(args, progress)
    # Runs that share no topic with the judgments are welcome here, so the two are read apart.
    judgments = COMMAND.read(args, runs=None, keep="grades")
    return COMMAND.read(args, progress, qrels=None, grades=None).with_qrels(judgments.qrels, any_topics=True)
