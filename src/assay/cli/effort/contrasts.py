"""Find rankings with nearly the same gain and very different effort.

Each line shows two runs on one topic: their gains are similar, but one of them costs the user much more effort.
"""

from __future__ import annotations

from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_number

COMMAND = Command(
    "assay.effort.contrasts",
    """\
  assay effort contrasts qrels.txt runs/
  assay effort contrasts qrels.txt runs/ -m nDCG@10 --max-gain 0.02 --min-effort 0.3 --most 50
  assay effort contrasts qrels.txt runs/ --show topics
""",
    options={
        "measure": OPTIONS["measure"]._replace(help="the measure of gain"),
        "max_gain": Option("X", "the gains of the two rankings differ by at most X", read_number),
        "min_effort": Option("X", "the values of Twist of the two rankings differ by at least X", read_number),
        "most": OPTIONS["most"]._replace(help="show the N pairs with the largest difference of Twist"),
    },
)
