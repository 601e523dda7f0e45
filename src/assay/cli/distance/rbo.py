"""Compare rankings without judgments: rank-biased overlap, tau, tau-AP.

RBO is extrapolated: it assumes that the agreement at the end of the rankings continues. The lowest value assumes that
the rankings have no further common documents, and the highest value assumes as many as possible. Tau and tau-AP use
only the documents that both rankings contain.
"""

from __future__ import annotations

import argparse

from assay.cli._command import Command
from assay.cli._parameters import Option, read_number
from assay.errors import InputError

COMMAND = Command(
    "assay.distance.rbo",
    """\
  assay distance rbo bm25.run dense.run
  assay distance rbo bm25.run dense.run -p 0.98 -k 100 --per-topic --format tsv -o rbo.tsv
  assay distance rbo runs/ --matrix
  assay distance rbo original.run again-*.run --first --tied a
""",
    inputs=("runs",),
    keep="documents",
    policies=("ties", "missing"),
    options={"p": Option("P", "persistence, above 0 and below 1", read_number, ("-p", "--persistence"))},
)


def run(args: argparse.Namespace) -> None:
    """Compare the rankings and print their agreement."""
    if args.show == "matrix" and args.first:
        raise InputError("--matrix shows all pairs of runs; omit --first")
    COMMAND.run(args)
