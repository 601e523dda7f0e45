"""Choose the documents whose judgments reduce the uncertainty most.

Unjudged documents are ranked by the amount by which judging them reduces the uncertainty of the runs' values. QRELS may
be "none". --as-qrels prints lines in qrels format, with ? instead of the grade.
"""

from __future__ import annotations

import argparse
import os

from assay.cli._command import Command
from assay.cli._output import check_output, emit, print_notes, refuse_overwriting, show_progress, write_output
from assay.cli._parameters import OPTIONS, Option, read_integer, read_list
from assay.engine.campaign import Campaign
from assay.errors import InputError

QUEUE_OPTIONS = {
    "pair": OPTIONS["pair"]._replace(help="reduce the uncertainty of the difference between these two runs"),
    "order": OPTIONS["order"]._replace(
        help="residual, residual-weighted (prefer uncertain runs), score-weighted (prefer good runs) or, with --pair, "
        "med (reduce the largest possible difference)"
    ),
}
"""Options that determine the order of the documents."""
STOP = Option(
    "RULE",
    "report whether judging can stop: top:K (the order of the best K runs) or pair:RUN,RUN; may be repeated",
    read_list,
)
COMMAND = Command(
    "assay.uncertainty.judge_next",
    """\
  assay uncertainty judge-next qrels.txt runs/ -n 50
  assay uncertainty judge-next qrels.txt runs/ --per-topic 5 --as-qrels -o to-judge.txt
  assay uncertainty judge-next none runs/ -m 'RBP(p=0.95)' -n 100
  assay uncertainty judge-next qrels.txt runs/ --pair bm25 dense
  assay uncertainty judge-next qrels.txt runs/ --order score-weighted -n 20
  assay uncertainty judge-next qrels.txt runs/ --stop top:3 --stop pair:bm25,dense --stop-measures AP@20
""",
    keep="documents",
    policies=("ties",),
    options={
        "n": Option("N", "number of documents", read_integer, ("-n",), default="100, or all with --per-topic"),
        "per_topic": OPTIONS["per_topic"]._replace(help="at most N documents per topic"),
        **QUEUE_OPTIONS,
        "stop": STOP,
        "stop_measures": Option(
            "MEASURE",
            "measure of the stopping rules; may be repeated",
            read_list,
            ("--stop-measure",),
            default="the measure",
        ),
        "as_qrels": Option("", "print lines in qrels format, with ? instead of the grade"),
    },
    moved=dict.fromkeys(("--simulate", "--known"), "assay uncertainty judging-curve"),
)


def run(args: argparse.Namespace) -> None:
    """Choose documents and print them."""
    if args.as_qrels and args.format is not None:
        raise InputError("--as-qrels cannot be combined with --format")
    check_output(args, COMMAND.tables)
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    with show_progress("reading runs") as progress:
        report = COMMAND.callable(read_campaign(COMMAND, args, progress), **arguments)
    if not args.as_qrels:
        emit(report, args)
        return
    print_notes(report.notes, options=vars(args))
    if args.output is not None:
        refuse_overwriting(args.output, report.provenance)
    write_output(report.lines().encode(), args.output)


def read_campaign(command: Command, args: argparse.Namespace, progress: object) -> Campaign:
    """Read runs and judgments; QRELS may be ``none``."""
    if args.qrels == "none" and not os.path.exists("none"):
        args.qrels = None
        if args.grades is not None:
            raise InputError("--grades needs judgments, but QRELS is none; omit --grades")
    if args.qrels is None or not args.all_topics:
        return command.read(args, progress)
    # Here, runs need not share a topic with the judgments, so runs and judgments are read separately.
    judgments = command.read(args, runs=None, keep="grades")
    return command.read(args, progress, qrels=None, grades=None).with_qrels(judgments.qrels, any_topics=True)
