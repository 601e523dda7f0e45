"""Measure how persistence and weights change Twist and the order of runs."""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_words

COMMAND = Command(
    "assay.effort.sensitivity",
    """\
  assay effort sensitivity qrels.txt runs/
  assay effort sensitivity qrels.txt runs/ --persistences 1,0.99,0.9 --weights none,exp --depth 1000
  assay effort sensitivity qrels.txt runs/ --show runs --format csv -o twist.csv
""",
    policies=("ties", "missing", "undefined", "unjudged"),
    options={
        "persistences": OPTIONS["persistences"]._replace(help="persistences of Twist"),
        "weights": Option("GAINS,...", "weights of misplacements, such as exp; none: unweighted", read_words),
    },
)
