"""Compute the largest possible difference between runs (MED).

The maximized effectiveness distance (MED) of two rankings is the largest difference between their values over all
possible grades of the unjudged documents. Without --qrels, every document is unjudged.
"""

from __future__ import annotations

import argparse

from assay.cli._command import Command
from assay.cli._output import check_output, emit, show_progress
from assay.cli._parameters import OPTIONS, Option, read_integer, read_one
from assay.errors import InputError

COMMAND = Command(
    "assay.distance.med",
    """\
  assay distance med bm25.run dense.run -m 'RBP(p=0.8)' nDCG@10
  assay distance med runs/ --qrels qrels.txt -m AP@100 --show matrix
  assay distance med original.run again-*.run --first -m ERR@20 --per-topic --format csv
  assay distance med bm25.run dense.run -m P@5 --show labels
  assay distance med bm25.run dense.run --qrels qrels.txt -m nDCG@10 --topics 401 --show trace
  assay distance med runs/ --qrels qrels.txt -m nDCG@10 --show places
""",
    inputs=("runs",),
    keep="documents",
    python_only=("trace", "places"),
    policies=("ties", "missing"),
    options={
        "qrels": Option("QRELS", "judgments: a file or irds:ID", read_one, default="none"),
        "grades": OPTIONS["grades"]._replace(help="with --qrels: replace grades while reading, such as 4=3,-2=0"),
        "depth": Option("K", "compare the first K documents", read_integer, ("-k",), default="all"),
        "seed": Option("N", "seed of the tabu search", read_integer),
        "labels": Option("", "same as --show labels"),
    },
)


def run(args: argparse.Namespace) -> None:
    """Compute distances and print them."""
    check_output(args, COMMAND.tables)
    if args.labels and args.show not in (None, "labels"):
        raise InputError(f"--labels is the same as --show labels and cannot be combined with --show {args.show}")
    if args.labels:
        args.show = "labels"
    args.labels = args.show == "labels"  # The labels take time to compute, and only this table needs them.
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    arguments |= {name: True for name in ("trace", "places") if args.show == name}
    judgments = {"qrels": None, **COMMAND.read_options(args, {"qrels": None, "grades": None})}
    if judgments["qrels"] is None and "grades" in judgments:
        raise InputError("--grades needs judgments; add --qrels QRELS")
    if args.show == "matrix":
        _check_matrix(arguments.get("measures"))
    with show_progress("reading runs, computing distances") as progress:
        campaign = COMMAND.read(args, progress, **judgments)
        report = COMMAND.callable(campaign, **arguments, progress=progress)
    emit(report, args)


def _check_matrix(chosen: list[str] | None) -> None:
    """Raise an error for a matrix of several measures before distances are computed."""
    from assay.distance.maximized_effectiveness import MEASURES
    from assay.measures import measures

    parsed_measures = measures(MEASURES if chosen is None else chosen)
    if len(parsed_measures) > 1:
        names = ", ".join(map(str, parsed_measures))
        raise InputError(f"--show matrix shows one measure; choose one of {names} with -m")
