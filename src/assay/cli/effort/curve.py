"""Show one ranking rank by rank: document, grade, relative position, gain."""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import Option, read_integer, read_one

COMMAND = Command(
    "assay.effort.curve",
    """\
  assay effort curve qrels.txt bm25.run --topic 401
  assay effort curve qrels.txt runs/ --run bm25 --topic 401 --depth 20
  assay effort curve qrels.txt bm25.run.gz --topic 401 --gain 'DCG(base=2, gains=exp)' --format csv
""",
    keep="documents",
    policies=("ties", "unjudged"),
    options={
        "topic": Option("TOPIC", "the topic", read_one),
        "run": Option("RUN", "the run, by name", read_one, default="the only run"),
        "depth": Option("N", "show the first N ranks", read_integer, ("-k",)),
    },
)
