"""Bound RBP at several depths, persistences and pool depths.

For the lower bound, unjudged documents and all documents after the end of a ranking are non-relevant. For the upper
bound, they are maximally relevant. Bounds are means over topics. The pool of depth N contains the judgments of the
documents in the first N ranks of any run. To plan judging without runs, use assay uncertainty depth.
"""

from __future__ import annotations

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option

COMMAND = Command(
    "assay.uncertainty.residual",
    """\
  assay uncertainty residual qrels.txt bm25.run
  assay uncertainty residual qrels.txt runs/ --runs bm25 -p 0.5,0.8,0.95 --depths 1..100 --pools 10,100 --format csv
  assay uncertainty residual qrels.txt runs/ --runs bm25,dense --against p --pools 10
""",
    keep="judgments",
    policies=("ties",),
    options={
        "p": OPTIONS["p"]._replace(default="0.5, 0.8, 0.95; with --against p: 0.1 to 0.99"),
        "depths": Option(
            "N,...",
            "evaluation depths: 10, 1..100 or 10,20",
            _numbers.parse_integers,
            ("--depth", "-k"),
            default="1, 2, 5, 10, 20, 50, 100; with --against p: entire rankings",
        ),
        "pools": OPTIONS["pools"]._replace(default="only all judgments"),
        "rel": OPTIONS["rel"]._replace(default="any grade above 0"),
    },
)
