"""Simulate pairs of runs to illustrate the balancing index.

Each trial draws two runs. They are equally good down to some rank; then the first run is better down to rank 20, and
the second run is much better below rank 20. The fraction of trials in which a t test finds a difference falls near the
balancing index. Measures that are not weighted sums over ranks, such as AP and ERR, take about a tenth of a second per
trial.
"""

from __future__ import annotations

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import Option, read_integer

COMMAND = Command(
    "assay.theory.trials",
    """\
  assay theory trials
  assay theory trials -m 'RBP(p=0.9)' --drawing bernoulli --trials 2000
  assay theory trials --same 20 --first 70,10 --second 30,70 --top 20
""",
    inputs=(),
    options={
        "topics": Option("N", "number of topics", read_integer),
        "first": Option(
            "PERCENT,PERCENT",
            "percentages of relevant documents of the first run: down to rank --top, and below",
            _numbers.parse_percentage_pair,
        ),
        "top": Option("RANK", "the last rank at which the runs may begin to differ", read_integer),
    },
)
