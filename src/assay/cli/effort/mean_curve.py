"""Show the mean curve of each run over topics, with a confidence band.

The value at a rank is the mean over topics of the cumulated relative position, divided by the number of relevant
documents of the topic.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_integer

COMMAND = Command(
    "assay.effort.mean_curve",
    """\
  assay effort mean-curve qrels.txt bm25.run dense.run.gz
  assay effort mean-curve qrels.txt runs/ --show landmarks
  assay effort mean-curve qrels.txt runs/ --runs bm25,dense --depth 100 --format csv -o curves.csv
""",
    policies=("ties", "missing", "unjudged"),
    options={
        "runs": OPTIONS["runs"]._replace(help="show only these runs", default="all"),
        "depth": Option("N", "show the first N ranks", read_integer, ("-k",), default="the longest ranking"),
    },
)
