"""Estimate the values of runs if all their documents were judged.

Unjudged documents get random grades, with probabilities that are estimated from judged documents. The estimates are
shown next to the values with unjudged documents as non-relevant, condensed rankings and bounds. --show accuracy shows
how well each method recovers the values when the judgments of one group of runs at a time are hidden.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_integer

COMMAND = Command(
    "assay.uncertainty.estimate",
    """\
  assay uncertainty estimate qrels.txt runs/
  assay uncertainty estimate qrels.txt runs/ -m P@10 nDCG@10 --groups groups.txt
  assay uncertainty estimate qrels.txt runs/ --prior pool --no-leave-out --show pairs
  assay uncertainty estimate qrels.txt runs/ --groups groups.txt --show accuracy
""",
    keep="documents",
    policies=("ties", "missing", "undefined"),
    options={
        "groups": OPTIONS["groups"]._replace(
            help="groups of runs; each line has the form: run group", default="each run is a group"
        ),
        "pool": OPTIONS["pool"]._replace(default="the largest depth to which some run is judged"),
        "samples": Option("N", "number of random draws of the grades", read_integer),
    },
)
