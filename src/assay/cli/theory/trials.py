"""Simulate pairs of runs to illustrate the balancing index.

In each trial two runs are drawn: they are equally good down to a rank, then the first is better down to rank 20, and
the second is much better below. The share of trials in which a t test finds a difference falls near the balancing
index. Measures that are not weighted sums over ranks, such as AP and ERR, take about a tenth of a second per trial.
"""

from __future__ import annotations

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import Option, read_whole

COMMAND = Command(
    "assay.theory.trials",
    """\
  assay theory trials
  assay theory trials -m 'RBP(p=0.9)' --drawing bernoulli --trials 2000
  assay theory trials --same 20 --first 70,10 --second 30,70 --top 20
""",
    inputs=(),
    options={
        "n": Option("N", "length of rankings", read_whole, ("-n",)),
        "topics": Option("N", "number of topics", read_whole),
        "first": Option(
            "PERCENT,PERCENT", "relevant documents of the first run, down to --top and below", _numbers.shares
        ),
        "top": Option("RANK", "the last rank at which the runs may begin to differ", read_whole),
    },
)
