"""Show one ranking rank by rank: document, grade, relative position, gain.

With -m, the table shows the contribution of each document to the measures. The contributions sum to the value.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_integer, read_one

COMMAND = Command(
    "assay.effort.curve",
    """\
  assay effort curve qrels.txt bm25.run --topic 401
  assay effort curve qrels.txt runs/ --run bm25 --topic 401 --depth 20
  assay effort curve qrels.txt bm25.run.gz --topic 401 --gain 'DCG(base=2, gains=exp)' --format csv
  assay effort curve qrels.txt bm25.run --topic 401 -m AP 'RBP(p=0.8)' --credit rank
""",
    keep="documents",
    policies=("ties", "unjudged"),
    options={
        "topic": Option("TOPIC", "the topic", read_one),
        "run": Option("RUN", "the run, by name", read_one, default="the only run"),
        "depth": Option("N", "show the first N ranks", read_integer, ("-k",)),
        "measures": OPTIONS["measures"]._replace(help="show the contribution of each document to these measures"),
        "credit": Option(
            "HOW",
            "contribution of a document: shapley (its share of the value, over all orders of adding documents) or rank "
            "(what it adds to the documents ranked after it)",
        ),
    },
)
