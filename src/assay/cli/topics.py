"""Show where a run wins and loses, and the documents that explain it.

The first run is a (before), the second run is b (after); all differences are b - a. --pair A B or --baseline A chooses
the runs by name. With one run, the table shows its hardest and easiest topics. --show documents lists the documents
that explain the largest differences, and --show text states the result in sentences.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_integer, read_number, read_one
from assay.cli._slicing import SLICING

COMMAND = Command(
    "assay.topics",
    """\
  assay topics qrels.txt bm25.run
  assay topics qrels.txt bm25.run dense.run -m AP
  assay topics qrels.txt bm25.run dense.run --show documents --topics 401,402 --queries topics.tsv --docs corpus.jsonl
  assay topics qrels.txt bm25.run dense.run --topics-table attributes.csv --by category --show slices
  assay topics qrels.txt runs/ --baseline bm25 --show runs --failure 0.1
  assay topics qrels.txt runs/ --pair bm25 dense --show wide --format csv -o topics.csv
""",
    policies=("ties", "missing", "undefined", "unjudged"),
    texts=True,
    options={
        **SLICING,
        "pair": OPTIONS["pair"]._replace(help="the runs a and b, by name", default="the first two runs"),
        "baseline": Option("RUN", "run a, by name; run b is the first other run", read_one),
        "top": Option("K", "compare documents and count unjudged documents in the first K ranks", read_integer),
        "most": Option("N", "list the documents of the N topics with the largest differences", read_integer),
        "failure": Option("X", "a topic fails if its value is at most X", read_number, default="0"),
    },
)
